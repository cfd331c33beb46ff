/// Maximum sizes of the parts of a recording; the article Limits of the documentation lists them.
///
/// Each limit is well above the values of real recordings and below what would exhaust a machine. A
/// file beyond a limit is damaged, of another kind, or malicious. Each comment states what happens
/// beyond the limit; a message always names the limit.
public enum RecordingLimits {
  /// Bytes of the name of a tag or anchor; a row with a longer name is rejected.
  public static let longestName = 255

  /// Bytes of one row; a longer row is rejected as damaged.
  public static let longestRow = 1 << 20

  /// Bytes of one line, also of a comment; a longer line is an error.
  public static let longestLine = 1 << 30

  /// Bytes of a quoted field that spans several lines; a longer one indicates a missing quote, and
  /// the row is rejected.
  public static let longestFieldOfLines = 1 << 16

  /// Fields of one row; a header with more is an error, any other row with more is rejected.
  public static let mostColumns = 4096

  /// Levels of objects and lists in an object of a JSON file; an object with more is rejected.
  public static let mostJSONLevels = 8

  /// Tags of one recording; more are an error: the tag column then holds other data.
  public static let mostTags = 65_536

  /// Anchors of one recording, declared or not; more are an error.
  public static let mostAnchors = 65_536

  /// Number of tags times number of anchors of one recording, whether each pair ranges or not; more
  /// are an error.
  public static let mostPairs = 1 << 24

  /// Bytes of a settings file, such as `recording.json` or a scenario; a longer file is an error.
  public static let longestSettings = 1 << 20

  /// Decompressed bytes of a file that is held in memory, and bytes from a pipe, which are kept in
  /// a temporary file; more are an error.
  public static let mostBytes = 1 << 33

  /// Maximum ratio of decompressed to stored size of a file that is larger than ``freeExpansion``
  /// when decompressed; a larger ratio is an error.
  ///
  /// Recordings reach 20. The maximum of the compression method is 1032, for one byte repeated.
  public static let mostExpansion = 250

  /// Decompressed bytes that are allowed at any compression ratio.
  public static let freeExpansion = 1 << 26

  /// Decompressed bytes of an anchors file, which has ``mostAnchors`` rows at most; more are an
  /// error.
  public static let longestAnchors = 1 << 24

  /// Ranges in one epoch of the method `fix`; more are an error, because every instant would solve
  /// for all of them.
  public static let mostEpochRanges = 1024

  /// Rejected rows of a file that are kept in memory; the others are counted by reason.
  public static let mostKeptRejected = 1000

  /// Threads that work on recordings; more are not used.
  public static let mostThreads = 1024

  /// Positions at a fixed output rate per range of the recording, when there are more than
  /// ``freeGridRows``; more are an error, because the rate was given in a wrong unit.
  public static let mostGridRowsPerRange = 100

  /// Positions at a fixed output rate that are allowed for any number of ranges.
  public static let freeGridRows = 10_000_000

  /// Time for which positions at a fixed rate continue without ranges, in seconds: a damaged time
  /// stamp must not fill the disk.
  static let longestGridCoast = 10.0

  /// Maximum magnitude of a coordinate, offset or height, in metres; a larger one is an error in
  /// settings and anchor files, and a rejected row in files of positions.
  public static let farthest = 1e9

  /// Coordinates, offsets and heights, in metres.
  package static let coordinates = -farthest...farthest

  /// Standard deviations of ranges, in metres.
  package static let sigmas = 1e-6...1e6

  /// Standard deviations of directions, in radians.
  package static let angleSigmas = 1e-8...Double.pi

  /// Returns why a coordinate of `value` metres is too large; nil when it is not.
  static func reasonTooFar(_ value: Double) -> String? {
    value.magnitude <= farthest ? nil : "is out of range: more than \(farthest) m"
  }

  /// Returns the error for an input `path` longer than `mostBytes`.
  static func tooLong(_ path: String, _ mostBytes: Int) -> RecordingError {
    .badData(path: path, line: nil, reason: "the file is longer than \(mostBytes) bytes")
  }

  /// Returns the reason, as shown to the user, why a fixed output rate gives too many positions;
  /// nil when it does not.
  static func reasonTooMany(gridRows rows: Double, of ranges: Int) -> String? {
    guard rows > Double(freeGridRows), rows > Double(mostGridRowsPerRange) * Double(ranges) else {
      return nil
    }
    return "the rate gives \(Int(min(rows, 1e18))) positions for \(ranges) ranges, more than"
      + " \(mostGridRowsPerRange) per range; use a lower --rate"
  }

  /// Returns why `tags` and `anchors` are too many for one recording; nil when they are not.
  package static func reasonTooMany(tags: Int, anchors: Int) -> String? {
    if tags > mostTags {
      return "more than \(mostTags) tags; check that the column tag holds tag names"
    }
    if anchors > mostAnchors {
      return "more than \(mostAnchors) anchors; check that the column anchor holds anchor names"
    }
    if tags * anchors > mostPairs {
      return "\(tags) tags and \(anchors) anchors give more than \(mostPairs) pairs"
    }
    return nil
  }
}
