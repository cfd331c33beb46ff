import Foundation
import Testing

/// Reference material outside the project: third-party recordings and independent oracles.
///
/// `FATHOM_REFERENCE` gives its folder, by default `../shared` beside the project. Suites that need
/// it are marked `.needsReference(...)`, which reports them as skipped when it is missing.
public enum Reference {
  /// The folder of the package.
  public static let packageRoot = URL(filePath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

  /// The folder of the reference material, whether or not it exists.
  public static let folder: URL = {
    if let path = ProcessInfo.processInfo.environment["FATHOM_REFERENCE"] {
      return URL(filePath: path, relativeTo: packageRoot)
    }
    return packageRoot.deletingLastPathComponent().appending(path: "shared")
  }()

  /// Returns the URL of the file or folder at `path` inside the reference material.
  public static func url(_ path: String) -> URL { folder.appending(path: path) }

  /// Returns whether `path` exists inside the reference material.
  public static func has(_ path: String) -> Bool {
    FileManager.default.fileExists(atPath: url(path).path(percentEncoded: false))
  }
}

extension Trait where Self == ConditionTrait {
  /// Runs a test only when `path` exists inside the reference material, and otherwise reports why
  /// not.
  public static func needsReference(_ path: String) -> Self {
    .enabled(
      if: Reference.has(path),
      "\(path) is not there: set FATHOM_REFERENCE to the folder of the reference material")
  }

  /// Runs a numeric suite only in the release configuration: debug is fifty times slower.
  public static var releaseOnly: Self {
    #if DEBUG
      .disabled("numeric suite: runs in the release configuration")
    #else
      .enabled(if: true)
    #endif
  }
}
