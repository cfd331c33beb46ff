import Fathom
import FathomEvaluation
import Foundation
import TestSupport
import Testing

@testable import FathomRecordings

/// InfluxDB line protocol, read back by a parser that knows only the rules of the protocol.
@Suite struct LineProtocolTests {
  /// A point as read back; fields are their text, without the quotes of texts.
  private struct Point: Equatable {
    var measurement = ""
    var tags: [String: String] = [:]
    var fields: [String: String] = [:]
    var nanoseconds: Int64 = 0

    /// Parses a line; nil if it breaks a rule of the protocol.
    init?(_ line: some StringProtocol) {
      var rest = Array(line)[...]
      /// Takes the characters before an unescaped one of `ends`.
      func token(_ ends: String, _ escaped: String) -> String {
        var text = ""
        while let next = rest.first, !ends.contains(next) {
          rest.removeFirst()
          if next == "\\", let after = rest.first, escaped.contains(after) {
            text.append(rest.removeFirst())
          } else {
            text.append(next)
          }
        }
        return text
      }
      measurement = token(", ", ", ")
      while rest.first == "," {
        rest.removeFirst()
        let key = token("=", ",= ")
        guard rest.popFirst() == "=" else { return nil }
        let value = token(", ", ",= ")
        guard !key.isEmpty, !value.isEmpty, tags.updateValue(value, forKey: key) == nil else {
          return nil
        }
      }
      repeat {
        guard rest.popFirst() != nil else { return nil }
        let key = token("=", ",= ")
        guard !key.isEmpty, rest.popFirst() == "=" else { return nil }
        var value: String
        if rest.first == "\"" {
          rest.removeFirst()
          value = token("\"", "\"\\")
          guard rest.popFirst() == "\"" else { return nil }
        } else {
          value = token(", ", "")
          let number = value.last == "i" ? String(value.dropLast()) : value
          guard value.last == "i" ? Int(number) != nil : Double(number)?.isFinite == true else {
            return nil
          }
        }
        guard fields.updateValue(value, forKey: key) == nil else { return nil }
      } while rest.first == ","
      guard rest.popFirst() == " ", let time = Int64(String(rest)) else { return nil }
      nanoseconds = time
    }
  }

  private func text(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }

  // MARK: Points

  /// The rules of the protocol's reference, by hand.
  @Test(arguments: [
    ("tag1", "tag1"), ("cart 1,a=b", #"cart\ 1\,a\=b"#), (#"a"b"#, #"a"b"#), (#"a\b"#, #"a\b"#),
    ("Ö1", "Ö1"), ("0x1:F", "0x1:F"), ("a\nb\u{7F}", "a\u{FFFD}b\u{FFFD}"), (#"a\"#, "a\u{FFFD}"),
    (#"a\ b"#, "a\u{FFFD}\\ b"), (#"\\"#, "\\\u{FFFD}"),
  ])
  func escapesTags(_ name: String, _ expected: String) throws {
    #expect(text(LinePoint.escaped(tag: name)) == expected)
    var point = LinePoint("position")
    point.appendTag("tag", name)
    point.appendField("x_m", 1, decimals: 1)
    let line = text(point.line(at: Timestamp(nanoseconds: 5)))
    #expect(line == "position,tag=\(expected) x_m=1.0 5\n")
    let parsed = try #require(Point(line.dropLast()))
    #expect(parsed.tags["tag"]?.contains("\u{FFFD}") == true || parsed.tags["tag"] == name)
  }

  @Test(arguments: [
    ("fix", #""fix""#), (#"a "b" \ c"#, #""a \"b\" \\ c""#), ("a,b=c", #""a,b=c""#),
    ("a\nb", "\"a\u{FFFD}b\""), ("", #""""#),
  ])
  func quotesFields(_ value: String, _ expected: String) throws {
    #expect(text(LinePoint.quoted(value)) == expected)
    var point = LinePoint("event")
    point.appendField("event", value)
    let parsed = try #require(Point(text(point.line(at: Timestamp(nanoseconds: -7))).dropLast()))
    #expect(parsed.fields["event"] == value.replacing("\n", with: "\u{FFFD}"))
    #expect(parsed.nanoseconds == -7 && parsed.tags.isEmpty)
  }

  @Test func leavesOutWhatIsNotKnown() {
    var point = LinePoint("position")
    point.appendTag("tag", "")
    point.appendField("x_m", .nan, decimals: 4)
    point.appendField("y_m", .infinity, decimals: 4)
    let empty = point
    #expect(empty.line(at: Timestamp(nanoseconds: 1)).isEmpty)
    point.appendField("ranges_used", 3)
    point.appendField("z_m", -1.5, decimals: 2)
    #expect(
      text(point.line(at: Timestamp(nanoseconds: 1_700_000_000_000_000_001)))
        == "position ranges_used=3i,z_m=-1.50 1700000000000000001\n")
  }

  /// Any name comes back from its line, but for what the protocol has no spelling for.
  @Test func namesComeBack() throws {
    var generator = SeededGenerator(seed: 31)
    let letters = Array("ab ,=\\\"'#\u{1}\u{E9}\u{1F600}")
    for _ in 0..<2000 {
      let name = String(
        (0..<Int.random(in: 1...6, using: &generator)).map { _ in
          letters[Int.random(in: letters.indices, using: &generator)]
        })
      var point = LinePoint("position")
      point.appendTag("tag", name)
      point.appendField("status", name)
      let line = text(point.line(at: Timestamp(nanoseconds: 1)))
      let parsed = try #require(Point(line.dropLast()), "\(line)")
      #expect(parsed.fields["status"] == name.replacing("\u{1}", with: "\u{FFFD}"))
      let found = try #require(parsed.tags["tag"])
      // A backslash before a character that is escaped, and at the end, is replaced.
      let differs = zip(found, name).filter { $0 != $1 }.map { $1 }
      #expect(found.count == name.count && differs.allSatisfy { $0 == "\\" || $0 == "\u{1}" })
      #expect(line.count { $0.isNewline } == 1)
    }
  }

  // MARK: Rows

  /// Returns the rows of a stream of a recording in `format`.
  private func rows(
    _ name: String, _ format: LiveFormat, _ extra: [ExtraColumns]
  ) throws -> LiveText {
    let path = Reference.packageRoot.appending(path: "Datasets/\(name)").path(
      percentEncoded: false)
    var options = LivePipeline.Options()
    options.tables = [.positions, .distances]
    options.calibration = .none
    options.format = format
    options.settings.method = .filter
    options.settings.extraColumns = extra
    var replay = try LiveReplay(path, anchors: nil, options: RecordingOptions())
    var pipeline = try LivePipeline(at: replay.site, options)
    replay.prepare(&pipeline)
    var all = pipeline.headers
    while let next = try replay.nextTime() {
      guard let batch = try replay.next(before: next.advanced(bySeconds: 0.5)) else { break }
      let text = pipeline.process(batch).text
      all.positions += text.positions
      all.distances += text.distances
    }
    let last = pipeline.finish().text
    all.positions += last.positions
    all.distances += last.distances
    return all
  }

  /// Expects that the points `lines` have the cells of the rows in `table`, and no field for an empty one.
  private func expectSame(_ lines: [UInt8], _ table: [UInt8], _ measurement: String) throws {
    let points = text(lines).split(separator: "\n")
    let rows = text(table).split(separator: "\n")
    let names = try #require(rows.first).split(separator: ",").map(String.init)
    #expect(points.count == rows.count - 1 && points.count > 100)
    for (line, row) in zip(points, rows.dropFirst()) {
      let point = try #require(Point(line), "\(line)")
      #expect(point.measurement == measurement)
      var known = 0
      for (name, cell) in zip(
        names, row.split(separator: ",", omittingEmptySubsequences: false).map(String.init))
      {
        switch name {
        case "time_s":
          let seconds = try #require(Double(cell))
          #expect(abs(Double(point.nanoseconds) / 1e9 - seconds) < 1e-6, "\(line)")
        case "tag", "anchor": #expect(point.tags[name] == cell)
        case _ where cell.isEmpty: #expect(point.fields[name] == nil)
        default:
          known += 1
          let isCount = name.hasPrefix("ranges_")
          #expect(point.fields[name] == (isCount ? "\(cell)i" : cell), "\(line)")
        }
      }
      #expect(point.fields.count == known)
    }
  }

  @Test(arguments: ["robot-2d", "drone-3d", "phone-accessory"])
  func pointsHaveTheCellsOfTheTables(_ name: String) throws {
    let points = try rows(name, .influx, [.alternative])
    let tables = try rows(name, .csv, [.alternative])
    try expectSame(points.positions, tables.positions, "position")
    try expectSame(points.distances, tables.distances, "distance")
  }

  @Test func writesEvents() throws {
    var zones = ZoneColumns()
    zones.time = [Timestamp(nanoseconds: 1_500_000_000)]
    zones.tag = ["cart 1"]
    zones.zone = ["desk,2"]
    zones.event = [.entered]
    #expect(
      text(LineProtocol.text(of: zones, []))
        == #"event,tag=cart\ 1,zone=desk\,2 event="entered" 1500000000"# + "\n")
  }
}
