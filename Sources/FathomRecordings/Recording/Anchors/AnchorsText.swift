import Fathom

/// Anchors in YAML, or in JSON that is not a list of objects, as rows of a table.
///
/// The forms are anchors by name, `A: [0, 0, 2.5]` and `{"A": {"x": 0, "y": 0}}`, lists of lists,
/// `["A", 0, 0, 2.5]`, lists of `id: A`, `x: 0` ..., and points in GeoJSON [RFC 7946]; alone, or below one key
/// such as `anchors`. A table with a row for each axis, `axis,A,B` above `x,0,4` and `y,0,3`, is turned.
enum AnchorsText {
  /// Returns `source`, or its rows in CSV if it is of one of these forms.
  static func rows(of source: ByteSource) -> ByteSource {
    guard source.lines == nil, let first = firstLine(source.bytes) else { return source }
    guard isMarked(first) else { return turned(source).map { table($0, source) } ?? source }
    var parser = PlainYAML(source.bytes)
    guard let document = parser.document() else { return source }
    // A list of JSON objects is a table already.
    if JSONObjects.begins(source.bytes), case .list(let nodes) = document, case .map = nodes.first {
      return source
    }
    let rows = anchors(in: document)
    return rows.isEmpty ? source : table(rows, source)
  }

  /// Returns `rows`, pairs of column and cell, as a table in CSV.
  private static func table(_ rows: [[(String, String)]], _ source: ByteSource) -> ByteSource {
    var csv: [UInt8] = []
    var lines = LineMap()
    let keys = rows.reduce(into: [String]()) { keys, row in
      for (key, _) in row where !keys.contains(key) { keys.append(key) }
    }
    for (place, row) in ([keys.map { ($0, $0) }] + rows).enumerated() {
      for (column, key) in keys.enumerated() {
        if column > 0 { csv.append(UInt8(ascii: ",")) }
        let cell = row.first { $0.0 == key }?.1 ?? ""
        _ = JSONText.appendField(Array(cell.utf8), to: &csv)
      }
      csv.append(UInt8(ascii: "\n"))
      lines.append(max(1, place))
    }
    return ByteSource(
      csv, path: source.path, storedCount: source.storedCount, storedHash: source.storedHash,
      lines: lines)
  }

  /// Returns the rows of a table with a column for each anchor and a row for each axis; nil for another table.
  private static func turned(_ source: ByteSource) -> [[(String, String)]]? {
    guard source.bytes.count < RecordingLimits.longestRow else { return nil }
    var scanner = CSVScanner(
      source.bytes, delimiter: CSVScanner.detectedDelimiter(of: source.bytes))
    var rows: [[String]] = []
    while rows.count < 5, scanner.next() {
      rows.append(scanner.fields.map { String(decoding: scanner.content($0), as: UTF8.self) })
    }
    let axes = TableColumns.localAnchors[1...3]
    guard (3...4).contains(rows.count), let names = rows.first, names.count > 2,
      rows.allSatisfy({ $0.count == names.count }),
      // Anchors can be called `east` and `north`, below a header of coordinates.
      !names.contains(where: { name in axes.contains { $0.match(name) != nil } }),
      zip(rows.dropFirst(), axes).allSatisfy({ row, axis in
        axis.match(row[0]) != nil && row.dropFirst().allSatisfy { Double($0) != nil }
      })
    else { return nil }
    return names.indices.dropFirst().map { place in
      [("id", names[place])] + rows.dropFirst().map { ($0[0], $0[place]) }
    }
  }

  /// Returns the first line that is no comment.
  private static func firstLine(_ bytes: [UInt8]) -> ArraySlice<UInt8>? {
    bytes.prefix(RecordingLimits.longestRow).split(separator: UInt8(ascii: "\n")).first { line in
      line.first { $0 > UInt8(ascii: " ") }.map { $0 != UInt8(ascii: "#") } ?? false
    }
  }

  /// Whether a line begins JSON or YAML: a bracket, a dash, or a key without a comma before its colon.
  private static func isMarked(_ line: ArraySlice<UInt8>) -> Bool {
    let text = line.drop { $0 <= UInt8(ascii: " ") }
    guard let first = text.first else { return false }
    if first == UInt8(ascii: "{") || first == UInt8(ascii: "[") { return true }
    if text.starts(with: "- ".utf8) || text.starts(with: "---".utf8) { return true }
    guard let colon = text.firstIndex(of: UInt8(ascii: ":")) else { return false }
    let next = text.index(after: colon)
    return !text[..<colon].contains { $0 == 44 || $0 == 59 || $0 == 9 }
      && (next == text.endIndex || text[next] <= UInt8(ascii: " "))
  }

  /// Returns the rows of `node`, as pairs of column and cell.
  private static func anchors(in node: PlainYAML.Node) -> [[(String, String)]] {
    switch node {
    case .scalar: return []
    case .list(let nodes): return nodes.compactMap { row($0, name: nil) }
    case .map(let pairs):
      if pairs.count == 1, let below = pairs.first.map({ anchors(in: $0.value) }), !below.isEmpty {
        return below
      }
      let rows = pairs.compactMap { row($0.value, name: $0.key) }
      if !rows.isEmpty { return rows }
      // Other keys can stand beside that of the anchors.
      return pairs.lazy.map { anchors(in: $0.value) }.first { !$0.isEmpty } ?? []
    }
  }

  /// Keys of a position as a list or as a mapping of coordinates.
  private static let positionKeys: Set<String> = [
    "position", "pos", "xyz", "coordinates", "coords", "location", "point", "p", "t", "translation",
  ]

  /// Returns the row of an anchor; nil if `node` is not one.
  private static func row(_ node: PlainYAML.Node, name: String?) -> [(String, String)]? {
    switch node {
    case .scalar: return nil
    case .list(let nodes):
      var cells: [String] = name.map { [$0] } ?? []
      for case .scalar(let cell) in nodes { cells.append(cell) }
      guard (3...4).contains(cells.count), cells.count == nodes.count + (name == nil ? 0 : 1),
        cells[1...].allSatisfy({ Double($0) != nil })
      else { return nil }
      return Array(zip(["id", "x", "y", "z"], cells))
    case .map(let pairs):
      if let point = point(pairs) { return point }
      var cells: [(String, String)] = name.map { [("id", $0)] } ?? []
      for pair in pairs {
        switch pair.value {
        case .scalar(let cell):
          let isName = TableColumns.localAnchors[0].match(pair.key) != nil
          cells.append((isName ? "id" : pair.key, cell))
        case .list(let nodes)
        where (2...3).contains(nodes.count) && positionKeys.contains(pair.key.lowercased()):
          for (axis, node) in zip(["x", "y", "z"], nodes) {
            if case .scalar(let cell) = node { cells.append((axis, cell)) }
          }
        case .map(let inner) where positionKeys.contains(pair.key.lowercased()):
          for member in inner {
            if case .scalar(let cell) = member.value { cells.append((member.key, cell)) }
          }
        case .list, .map: break
        }
      }
      let columns = TableColumns.anchors
      let isPlace = ["x", "latitude_deg"].contains { name in
        cells.contains { cell in columns.first { $0.name == name }?.match(cell.0) != nil }
      }
      return isPlace ? cells : nil
    }
  }

  /// Returns the row of a point in GeoJSON, whose coordinates are longitude, latitude and altitude; nil for
  /// another mapping.
  private static func point(_ pairs: [PlainYAML.Member]) -> [(String, String)]? {
    func member(_ key: String, _ pairs: [PlainYAML.Member]) -> PlainYAML.Node? {
      pairs.first { $0.key == key }?.value
    }
    guard case .map(let geometry)? = member("geometry", pairs),
      case .list(let nodes)? = member("coordinates", geometry), (2...3).contains(nodes.count)
    else { return nil }
    var names = pairs
    if case .map(let properties)? = member("properties", pairs) { names = properties + pairs }
    let name = names.lazy.compactMap { pair -> String? in
      guard case .scalar(let cell) = pair.value,
        TableColumns.localAnchors[0].match(pair.key) != nil
      else { return nil }
      return cell
    }.first
    guard let name else { return nil }
    let cells = nodes.compactMap { node -> String? in
      if case .scalar(let cell) = node { cell } else { nil }
    }
    return [("id", name)] + zip(["longitude", "latitude", "altitude"], cells)
  }
}
