import Fathom

/// A point of InfluxDB line protocol: a measurement, tags, fields, and an instant in nanoseconds.
///
/// The protocol has no spelling for a control character in a name, nor for a backslash before the character
/// that ends one. Both become U+FFFD, so that a line is always one point.
struct LinePoint {
  private var bytes: [UInt8]
  private var hasFields = false

  /// Creates a point of `measurement`, a word.
  init(_ measurement: String) { bytes = Array(measurement.utf8) }

  /// Appends a tag, before all fields; one without a value is left out.
  mutating func appendTag(_ key: String, _ value: String) {
    guard !value.isEmpty else { return }
    bytes.append(UInt8(ascii: ","))
    bytes += key.utf8
    bytes.append(UInt8(ascii: "="))
    bytes += Self.escaped(tag: value)
  }

  /// Appends a number with a fixed number of decimals; one that is not finite is left out.
  mutating func appendField(_ key: String, _ number: Double, decimals: Int) {
    guard number.isFinite else { return }
    begin(key)
    FixedDecimal.append(number, decimals: decimals, to: &bytes)
  }

  /// Appends an integer.
  mutating func appendField(_ key: String, _ count: Int) {
    begin(key)
    bytes += "\(count)i".utf8
  }

  /// Appends a text.
  mutating func appendField(_ key: String, _ text: String) {
    begin(key)
    bytes += Self.quoted(text)
  }

  /// Returns the line of the point at `time`; empty without a field, because a point has at least one.
  consuming func line(at time: Timestamp) -> [UInt8] {
    guard hasFields else { return [] }
    bytes += " \(time.nanoseconds)\n".utf8
    return bytes
  }

  private mutating func begin(_ key: String) {
    bytes.append(UInt8(ascii: hasFields ? "," : " "))
    hasFields = true
    bytes += key.utf8
    bytes.append(UInt8(ascii: "="))
  }

  /// Returns the value of a tag, with a backslash before blanks, commas and equals signs.
  static func escaped(tag: String) -> [UInt8] {
    var text: [UInt8] = []
    for byte in tag.utf8 {
      if byte < 0x20 || byte == 0x7F {
        text += replacement
        continue
      }
      if " ,=".utf8.contains(byte) {
        // A backslash before would escape the backslash instead of the character.
        if text.last == backslash { text.replaceSubrange((text.count - 1)..., with: replacement) }
        text.append(backslash)
      }
      text.append(byte)
    }
    if text.last == backslash { text.replaceSubrange((text.count - 1)..., with: replacement) }
    return text
  }

  /// Returns the value of a field of text, in quotes.
  static func quoted(_ text: String) -> [UInt8] {
    var field = [UInt8(ascii: "\"")]
    for byte in text.utf8 {
      if byte < 0x20 || byte == 0x7F {
        field += replacement
        continue
      }
      if byte == UInt8(ascii: "\"") || byte == backslash { field.append(backslash) }
      field.append(byte)
    }
    return field + [UInt8(ascii: "\"")]
  }

  private static let backslash = UInt8(ascii: "\\")
  private static let replacement = Array("\u{FFFD}".utf8)
}

/// Formats the rows of a live stream as InfluxDB line protocol: `position`, `distance` and `event`.
///
/// Columns of names are tags; all others are fields under the names of the CSV columns, with the same
/// decimals. What is not known has no field.
struct LineProtocol: Sendable {
  private let targets: TargetNames
  private let tags: [String]
  private let anchors: [String]
  private let geodetic: GeodeticColumns?
  private let frame: DeviceFrame
  private let positionFields: [PositionField]

  /// Creates the formatter for the names and the frame of `outline`.
  init(_ outline: RecordingOutline, _ settings: ProcessingSettings) {
    let extra = settings.extraColumns ?? []
    targets = TargetNames(outline)
    (tags, anchors) = (outline.tagNames, outline.anchorNames)
    geodetic = extra.contains(.geodetic) ? GeodeticColumns(outline) : nil
    frame = settings.deviceFrame ?? .phone
    positionFields = PositionField.fields(with: extra)
  }

  /// Returns the points of `positions`.
  func text(of positions: PositionsByTag) -> [UInt8] {
    var text: [UInt8] = []
    positions.forEachInOrder { tag, position in
      let place = targets.place(of: position, tag: tag)
      let row = LocatedRow(position, name: place, textWith: geodetic)
      text += line("position", row, positionFields) { _, place in targets.name(at: place) }
    }
    return text
  }

  /// Returns the points of the ranges with results of `done`.
  func text(of done: ProcessedSlice) -> [UInt8] {
    var text: [UInt8] = []
    var results = ResultsByTag(done.results)
    results.forEachRow(of: done.slice.entries[...], in: done.slice.ranges, frame) { row in
      text += line("distance", row, DistanceField.fields()) { names, place in
        names == .anchor ? anchors[place] : tags[place]
      }
    }
    return text
  }

  /// Returns the points of events of zones, on the floor plan and around anchors.
  static func text(
    of zones: ZoneColumns, _ links: [RecordingSummary.ZoneEvent]
  ) -> [UInt8] {
    var text: [UInt8] = []
    for index in 0..<zones.count {
      var point = LinePoint("event")
      point.appendTag("tag", zones.tag[index])
      point.appendTag("zone", zones.zone[index])
      point.appendField("event", zones.event[index].rawValue)
      text += point.line(at: zones.time[index])
    }
    for link in links {
      guard let time = Timestamp(seconds: link.timeS) else { continue }
      var point = LinePoint("event")
      point.appendTag("tag", link.tag)
      point.appendTag("anchor", link.anchor)
      point.appendField("radius_m", link.radiusM, decimals: 4)
      point.appendField("event", "\(link.kind)")
      text += point.line(at: time)
    }
    return text
  }

  /// Returns the point of a row with `fields`; `name` returns a name by its index.
  private func line<Field: ResultField>(
    _ measurement: String, _ row: Field.Row, _ fields: [Field],
    _ name: (ResultNames, Int) -> String
  ) -> [UInt8] {
    var point = LinePoint(measurement)
    var time = Timestamp(nanoseconds: 0)
    // Names precede all other columns of a table.
    for field in fields {
      let column = field.column
      switch (field.value(in: row), column.content) {
      case (.time(let instant), _): time = instant
      case (.name(let index), .name(let names)):
        point.appendTag(column.name, name(names, Int(index)))
      case (.number(let number), .number(let decimals)):
        point.appendField(column.name, number, decimals: decimals)
      case (.count(let count), _): point.appendField(column.name, count)
      case (.word(let code), _): point.appendField(column.name, column.words[Int(code)])
      default: break
      }
    }
    return point.line(at: time)
  }
}
