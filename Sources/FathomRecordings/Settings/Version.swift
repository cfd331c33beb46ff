/// The version of Fathom, as `fathom --version` prints it and summaries record it.
public enum FathomVersion {
  /// Current version.
  public static let current = "0.1.0"
}
