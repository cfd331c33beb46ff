import Fathom

/// The declared anchors of a recording, in the order of their file.
public struct DeclaredAnchors: Sendable, Equatable {
  /// The names of the anchors, all different.
  public var names: [String] = []
  /// The anchors, parallel to ``names``.
  public var anchors: [Anchor] = []

  /// No anchors.
  public init() {}
}

/// Reads `anchors.csv`: `id,x,y,z` and optionally `sigma_m`, `bias_m`, `scale`.
///
/// Anchors are no samples that one could do without: whatever is wrong with one is an error.
public enum AnchorsReader {
  /// Reads the anchors file at `path`, which may be compressed.
  ///
  /// ## Edge cases
  /// A header without rows means that the recording has no anchors. Empty optional cells mean: not
  /// known, no bias, scale 1. Coordinates are metres unless the columns' names say otherwise.
  ///
  /// - Throws: ``RecordingError/noInput(path:reason:)`` where the file cannot be read;
  ///   ``RecordingError/badData(path:line:reason:)`` where its header or any of its rows cannot be
  ///   used, two anchors have one name, or there are more than ``RecordingLimits/mostAnchors``.
  public static func read(
    _ path: String, decimalSeparator: DecimalSeparator = .point
  ) throws(RecordingError) -> DeclaredAnchors {
    try read(ByteSource(path: path), decimalSeparator: decimalSeparator)
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
  /// The name and the anchor of a row of an anchors file, whose columns are in the order of the
  /// reader's list.
  fileprivate func anchor() throws(RowFault) -> (String, Anchor) {
    try check()
    let name = try name(0)
    let position: Vector<3> = Vector([try length(1), try length(2), try length(3)])
    // Their squares and differences must be numbers still.
    guard (0..<3).allSatisfy({ position[$0].magnitude <= RecordingLimits.farthest }) else {
      throw RowFault(
        reason: "the position is out of range: more than \(RecordingLimits.farthest) m")
    }
    let sigma = try optionalLength(4)
    if let sigma, sigma < 0 { throw RowFault(reason: "sigma_m is negative: \(sigma)") }
    let scale = try optionalNumber(6) ?? 1
    if scale <= 0 { throw RowFault(reason: "scale is not above zero: \(scale)") }
    return (
      name,
      Anchor(
        position: position, positionSigma: sigma, bias: try optionalLength(5) ?? 0, scale: scale)
    )
  }
}
