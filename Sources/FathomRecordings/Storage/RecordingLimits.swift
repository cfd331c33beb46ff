/// How large the parts of a recording can be; the article Limits of the catalogue lists them.
///
/// They stand well above what recordings have, and below what would exhaust a machine: a file
/// beyond one is damaged, of another kind, or made to do harm. What happens at a limit is said beside
/// it, always with a message that names it.
public enum RecordingLimits {
  /// Bytes of the name of a tag or anchor; a row with a longer one is set aside.
  public static let longestName = 255

  /// Bytes of one row; a longer one is set aside, as damage.
  public static let longestRow = 1 << 20

  /// Bytes of one line, a comment or damage: a longer one is an error.
  public static let longestLine = 1 << 30

  /// Bytes of a quoted field that runs over the end of a line; beyond, a quote was forgotten, and the
  /// row is set aside.
  public static let longestFieldOfLines = 1 << 16

  /// Fields of one row: a header with more is an error, any other row is set aside.
  public static let mostColumns = 4096

  /// Tags of one recording; more are an error: a column of something else was taken for their names.
  public static let mostTags = 65_536

  /// Anchors of one recording, declared or not; more are an error.
  public static let mostAnchors = 65_536

  /// Pairs of a tag and an anchor that one recording could have, whether they range or not: the
  /// number of its tags times that of its anchors; more are an error.
  public static let mostPairs = 1 << 24

  /// Bytes of a file of settings: `recording.json`, a scenario; a longer one is an error.
  public static let longestSettings = 1 << 20

  /// Bytes, decompressed, of a file that is held in memory, and of what comes through a pipe, which is
  /// kept in a temporary file; more are an error.
  public static let mostBytes = 1 << 33

  /// How many times its stored size a compressed file may expand to, once it is larger than
  /// ``freeExpansion``; beyond, it is an error.
  ///
  /// Recordings reach 20; the worst that the method of compression can do is 1032, which takes a file
  /// of one byte repeated.
  public static let mostExpansion = 250

  /// Bytes that a compressed file may expand to in any case.
  public static let freeExpansion = 1 << 26

  /// Positions on a grid of a fixed rate for each range of the recording, once there are more than
  /// ``freeGridRows``; beyond, it is an error: the rate was given in another unit.
  public static let mostGridRowsPerRange = 100

  /// Positions on a grid of a fixed rate that a recording may have in any case.
  public static let freeGridRows = 10_000_000

  /// How long a grid goes on without ranges, seconds: a damaged time stamp must not fill the disk.
  static let longestGridCoast = 10.0

  /// Largest magnitude of a coordinate, an offset or a height in files of settings and anchors, metres;
  /// beyond, an error.
  public static let farthest = 1e9

  /// The error that the input called `path` is longer than `mostBytes`.
  static func tooLong(_ path: String, _ mostBytes: Int) -> RecordingError {
    .badData(path: path, line: nil, reason: "the file is longer than \(mostBytes) bytes")
  }

  /// Why a grid of a fixed rate has too many positions; nil where it has not.
  ///
  /// - Parameters:
  ///   - rows: about how many positions it has.
  ///   - ranges: the number of ranges that they are made of.
  /// - Returns: the reason in words.
  static func reasonTooMany(gridRows rows: Double, of ranges: Int) -> String? {
    guard rows > Double(freeGridRows), rows > Double(mostGridRowsPerRange) * Double(ranges) else {
      return nil
    }
    return "the rate makes \(Int(min(rows, 1e18))) positions of \(ranges) ranges, more than"
      + " \(mostGridRowsPerRange) of each; ask for a lower --rate"
  }

  /// Why `tags` and `anchors` are too many for one recording; nil where they are not.
  ///
  /// - Parameters:
  ///   - tags: the number of tags.
  ///   - anchors: the number of anchors.
  /// - Returns: the reason in words.
  package static func reasonTooMany(tags: Int, anchors: Int) -> String? {
    if tags > mostTags {
      return "more than \(mostTags) tags; is the column tag something else?"
    }
    if anchors > mostAnchors {
      return "more than \(mostAnchors) anchors; is the column anchor something else?"
    }
    if tags * anchors > mostPairs {
      return "\(tags) tags and \(anchors) anchors make more than \(mostPairs) pairs"
    }
    return nil
  }
}
