/// An error in the input of a position solver.
public enum TrilaterationError: Error, Sendable, Equatable {
  /// The counts differ: one anchor is required per range, and one standard deviation if any are
  /// given.
  case countMismatch(ranges: Int, anchors: Int)
  /// A coordinate of the anchor at `index` is NaN or infinite.
  case anchorNotFinite(index: Int)
  /// The standard deviation of the range at `index` is not a positive number.
  case sigmaNotPositive(index: Int)
  /// A standard deviation among the options is negative, not finite, or zero where it must not be;
  /// the name of the option.
  case optionNotPositive(String)
  /// The known height is NaN or infinite.
  case heightNotFinite
  /// The standard deviation of the height is not a positive number.
  case heightSigmaNotPositive
  /// The standard deviation of the heading is not within (0, 180°].
  case headingSigmaNotInRange
}
