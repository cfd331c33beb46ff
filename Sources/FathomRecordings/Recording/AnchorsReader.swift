import Fathom

/// Declared anchors of a recording, in the order of the file.
public struct DeclaredAnchors: Sendable, Equatable {
  /// Names of the anchors, all different.
  public var names: [String] = []
  /// Anchors, parallel to ``names``.
  public var anchors: [Anchor] = []

  /// Creates an empty list.
  public init() {}
}

/// A reader of `anchors.csv`: `id,x,y,z` and optionally `sigma_m`, `bias_m`, `scale`.
///
/// An anchor cannot be left out like a sample: any invalid row is an error.
public enum AnchorsReader {
  /// Reads the anchors file at `path`, which may be compressed.
  ///
  /// ## Edge cases
  /// A header without rows means that the recording has no anchors. An empty optional cell means an
  /// unknown standard deviation, bias 0 or scale 1. Coordinates are in metres unless the columns'
  /// names state another unit.
  ///
  /// - Throws: ``RecordingError/noInput(path:reason:)`` when the file cannot be read;
  ///   ``RecordingError/badData(path:line:reason:)`` when its header or any row is invalid, two
  ///   anchors have the same name, there are more than ``RecordingLimits/mostAnchors``, or the file
  ///   is longer than ``RecordingLimits/longestAnchors``.
  public static func read(
    _ path: String, decimalSeparator: DecimalSeparator = .point
  ) throws(RecordingError) -> DeclaredAnchors {
    try read(Self.source(path), decimalSeparator: decimalSeparator)
  }

  /// Returns the content of the anchors file at `path`, which is at most
  /// ``RecordingLimits/longestAnchors`` bytes long.
  static func source(_ path: String) throws(RecordingError) -> ByteSource {
    try ByteSource(path: path, mostBytes: RecordingLimits.longestAnchors)
  }

  private static let columns: [ColumnName] = [
    ColumnName("id", ["id", "anchor", "anchor_id", "name"], isRequired: true),
    ColumnName("x", ["x"], .length, isRequired: true),
    ColumnName("y", ["y"], .length, isRequired: true),
    ColumnName("z", ["z"], .length, isRequired: true),
    ColumnName("sigma_m", ["sigma"], .length),
    ColumnName("bias_m", ["bias"], .length),
    ColumnName("scale", ["scale"]),
  ]

  static func read(
    _ source: ByteSource, decimalSeparator: DecimalSeparator
  ) throws(RecordingError) -> DeclaredAnchors {
    var scanner = try CSVScanner(atHeaderOf: source)
    let header = try CSVHeader(at: scanner, columns: columns, path: source.path)
    var declared = DeclaredAnchors()
    var lines: [String: Int] = [:]
    while scanner.next() {
      do throws(RowFault) {
        let row = NumericRow(
          scanner: scanner, header: header, decimalSeparator: decimalSeparator)
        let (name, anchor) = try row.anchor()
        if let first = lines.updateValue(scanner.line, forKey: name) {
          throw RowFault(
            reason: "anchor \(Excerpt.quoted(name)) is declared twice, first on line \(first)")
        }
        if let reason = RecordingLimits.reasonTooMany(tags: 1, anchors: lines.count) {
          throw RowFault(reason: reason)
        }
        declared.names.append(name)
        declared.anchors.append(anchor)
      } catch {
        throw .badData(path: source.path, line: scanner.line, reason: error.reason)
      }
    }
    return declared
  }
}

extension NumericRow {
  /// Returns the name and the anchor of a row; columns are indexed in the order of the reader's
  /// list.
  fileprivate func anchor() throws(RowFault) -> (String, Anchor) {
    try check()
    let name = try name(0)
    let position: Vector<3> = Vector([try length(1), try length(2), try length(3)])
    for axis in 0..<3 {
      if let reason = RecordingLimits.reasonTooFar(position[axis]) {
        throw RowFault(reason: "the position \(reason)")
      }
    }
    let sigma = try optionalLength(4)
    if let sigma, sigma < 0 { throw RowFault(reason: "sigma_m is negative: \(sigma)") }
    let scale = try optionalNumber(6) ?? 1
    if scale <= 0 { throw RowFault(reason: "scale must be positive: \(scale)") }
    return (
      name,
      Anchor(
        position: position, positionSigma: sigma, bias: try optionalLength(5) ?? 0, scale: scale)
    )
  }
}
