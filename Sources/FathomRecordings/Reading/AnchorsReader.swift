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
  ///   used, or two anchors have one name.
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
    var scanner = CSVScanner(
      source.bytes, delimiter: CSVScanner.detectedDelimiter(of: source.bytes))
    guard scanner.next() else {
      let reason = source.bytes.isEmpty ? "the file is empty" : "the file has no header"
      throw .badData(path: source.path, line: nil, reason: reason)
    }
    let header = try Header(at: scanner, columns: columns, path: source.path)
    var declared = DeclaredAnchors()
    var lines: [String: Int] = [:]
    while scanner.next() {
      do throws(RowFault) {
        let row = AnchorRow(scanner: scanner, header: header, decimalSeparator: decimalSeparator)
        let (name, anchor) = try row.anchor()
        if let first = lines.updateValue(scanner.line, forKey: name) {
          throw RowFault(
            reason: "anchor \(Excerpt.quoted(name)) is declared twice, first on line \(first)")
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

/// One row of an anchors file; the order of its columns is that of the reader's list.
private struct AnchorRow {
  let scanner: CSVScanner
  let header: Header
  let decimalSeparator: DecimalSeparator

  /// The name and the anchor.
  func anchor() throws(RowFault) -> (String, Anchor) {
    if scanner.fault != nil { throw RowFault(reason: "the row's quotes do not match") }
    guard scanner.fields.count == header.names.count else {
      throw RowFault(
        reason: "row has \(scanner.fields.count) fields, the header has \(header.names.count)")
    }
    let name = try name()
    let x = try coordinate(1)
    let y = try coordinate(2)
    let z = try coordinate(3)
    let sigma = try number(4)
    if let sigma, sigma < 0 { throw RowFault(reason: "sigma_m is negative: \(sigma)") }
    let scale = try number(6) ?? 1
    if scale <= 0 { throw RowFault(reason: "scale is not above zero: \(scale)") }
    return (
      name,
      Anchor(
        position: Vector<3>([x, y, z]), positionSigma: sigma, bias: try number(5) ?? 0, scale: scale
      )
    )
  }

  private func name() throws(RowFault) -> String {
    guard let match = header.matches[0] else { throw RowFault(reason: "id is missing") }
    let content = scanner.content(scanner.fields[match.field])
    if content.isEmpty { throw RowFault(reason: "\(match.given) is missing") }
    guard content.count <= RangesRow.longestName, !content.contains(0),
      let name = String(validating: content, as: UTF8.self)
    else {
      throw RowFault(
        reason: "\(match.given) is no name of at most \(RangesRow.longestName) bytes in UTF-8: "
          + Excerpt.quoted(content[...]))
    }
    return name
  }

  private func coordinate(_ column: Int) throws(RowFault) -> Double {
    guard let value = try number(column) else {
      throw RowFault(reason: "\(header.matches[column]?.given ?? "") is missing")
    }
    return value
  }

  /// The number in `column`, in metres where it is a length; nil where it is empty or absent.
  private func number(_ column: Int) throws(RowFault) -> Double? {
    guard let match = header.matches[column] else { return nil }
    let field = scanner.trimmed(scanner.fields[match.field])
    if field.isEmpty { return nil }
    let unit = match.unit.flatMap { DistanceUnit(rawValue: $0) } ?? .metres
    let number = DecimalNumber(
      scanner.bytes, field.range, decimalSeparator: decimalSeparator.byte)
    guard let value = number?.value(in: scanner.bytes, scaledBy: unit.exponent), value.isFinite
    else {
      let text = Excerpt.quoted(scanner.bytes[field.range])
      throw RowFault(reason: "\(match.given) is not a finite number: \(text)")
    }
    return value
  }
}
