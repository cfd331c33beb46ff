import FathomEvaluation
import Foundation
import TestSupport
import Testing

@testable import FathomRecordings

/// Nested objects, faults, and the bytes between objects.
@Suite struct JSONObjectsTests {
  private func rows(_ text: String) throws -> [String] {
    let read = try readRanges(text)
    return (0..<read.ranges.count).map { row in
      "\(read.ranges.time[row].seconds) \(read.tagNames[Int(read.ranges.tag[row])])"
        + " \(read.anchorNames[Int(read.ranges.anchor[row])]) \(read.ranges.distance[row])"
    }
  }

  @Test(arguments: [
    #"{"time_s":1,"tag":"t1","ranges":[{"id":"A1","dist":3.2},{"id":"A2","dist":4.1}]}"#,
    #"{"time_s":1,"tag":"t1","ranges":{"A1":3.2,"A2":4.1}}"#,
    #"{"time_s":1,"tag":"t1","ranges_cm":{"A1":320,"A2":410}}"#,
    #"{"time_s":1,"id":"t1","ranges":[{"id":"A1","distance":3.2},{"id":"A2","distance":4.1}]}"#,
    #"{"time_s":1,"tag":"t1","A1":3.2,"A2":4.1}"#,
    #"{"tag":"t1","meta":{"time_s":1},"ranges":{"A1":{"range":3.2},"A2":{"range":4.1}}}"#,
    #"{"tag":"t1","data":[{"time_s":1,"meas":[{"anchor":"A1","dist":3.2},{"anchor":"A2","dist":4.1}]}]}"#,
    #"{"time_s":1,"tag":"t1","range":{"anchor":"A1","distance":3.2}} {"time_s":1,"tag":"t1","r":{"anchor":"A2","distance":4.1}}"#,
    #"{"time_s":1,"tag":{"id":"t1"},"anchor":{"id":"A1"},"distance":{"value":3.2}} {"time_s":1,"tag":"t1","anchor":{"name":"A2","x":4},"distance":{"unit":"m","value":4.1}}"#,
    #"{"t":1,"tag":"t1","anchor":{"addr":"A1"},"range":{"value":320,"unit":"cm"}} {"t":1,"tag":"t1","anchor":{"addr":"A2"},"range":{"value":410,"unit":"cm"}}"#,
  ])
  func nestedForms(_ text: String) throws {
    #expect(try rows(text) == ["1.0 t1 A1 3.2", "1.0 t1 A2 4.1"])
    let more = try readRanges("\n\(text)\n\(text)")
    #expect(more.ranges.line == [2, 2, 3, 3])
  }

  @Test func anchorsByName() throws {
    for text in [
      #"{"anchors":[{"id":"A","x":1,"y":2,"z":3},{"id":"B","x":4,"y":5,"z":6}]}"#,
      #"{"A":{"x":1,"y":2,"z":3},"B":{"x":4,"y":5,"z":6}}"#,
      #"{"anchors":{"A":{"x":1,"y":2,"z":3},"B":{"x":4,"y":5,"z":6}}}"#,
      #"[{"id":"A","position":[1,2,3]},{"id":"B","position":[4,5,6]}]"#,
    ] {
      let read = try AnchorsReader.read(try source("a.json", text), options: RecordingOptions())
      #expect(read.names == ["A", "B"] && !read.isPlanar)
      #expect(read.anchors.map { $0.position.array } == [[1, 2, 3], [4, 5, 6]])
    }
  }

  @Test(arguments: [
    (#"{"time_s":1,"anchor":"A","distance_m":2"#, JSONFault.missingKey),
    (#"{"time_s":1,"anchor":"A,"distance_m":2}"#, .missingComma),
    (#"{"time_s":1,"anchor":"A}"#, .unclosedText), (#"{"time_s" 1}"#, .missingColon),
    (#"{"time_s":1 "anchor":"A"}"#, .missingComma), (#"{time_s:1}"#, .missingKey),
    (#"{"time_s":,"anchor":"A"}"#, .missingValue), (#"{"time_s":none}"#, .missingValue),
    (#"{"time_s":1,"distance_m":2} x"#, .textAfterObject), ("1,T,A,3", .noObject),
    (#"{"a":[[[[[[[[1]]]]]]]]}"#, .tooDeep), (#"{"colour":"red"}"#, .noKind), ("{}", .noKind),
  ])
  func faults(_ line: String, _ fault: JSONFault) throws {
    let good = #"{"time_s":1,"anchor":"A","distance_m":2,"tag":"T"}"#
    for blockSize in [16, 1 << 17] {
      // The first object's lack of a comma shows at the next line, where a brace is no key.
      let read = try RangesReader.read(
        mixed([good, line, good].joined(separator: "\n"), blockSize: blockSize).ranges(),
        options: RecordingOptions(), declared: [])
      let expected = fault == .missingKey && line.hasSuffix("2") ? .missingComma : fault
      #expect(read.rejected.map(\.line) == [2])
      #expect(read.rejected.map(\.reason) == [expected.reason])
      #expect(read.rejected.map(\.text) == [line])
      #expect(read.ranges.line == [1, 3] && read.rowsRead == 3)
    }
  }

  @Test func lastObjectIsNotClosed() throws {
    let read = try readRanges("{\"t\":1,\"range\":2}\n{\"t\":1,\"range\":")
    #expect(read.rejected.map(\.reason) == [JSONFault.unclosedObject.reason])
    #expect(read.ranges.count == 1)
  }

  /// A faulty element of an array on one line costs that element.
  @Test func faultInArray() throws {
    let good = #"{"time_s":1,"anchor":"A","distance_m":2}"#
    let read = try readRanges("[\(good),{\"time_s\":oops},\(good)]")
    #expect(read.ranges.count == 2 && read.rejected.count == 1 && read.rowsRead == 3)
  }

  @Test func blankLinesAndComments() throws {
    let read = try readRanges(
      "\u{FEFF}# by hand\r\n\r\n  {\"t\":1,\"range\":2}\r\n \t\r\n{\"t\":2,\"range\":oops}\r\n"
        + "{\"t\":3,\"range\":3}\r\n\r\n")
    #expect(read.ranges.line == [3, 6] && read.rejected.map(\.line) == [5])
  }

  @Test(arguments: [
    ("{\"a\":1}", true), (" [ {\"a\":1} ]", true), ("[\n{\n\"a\":1}]", true), ("{}", true),
    ("uwb/t1 {\"a\":1}\n", true), ("time,tag\n1,{\"a\":1}", false), ("[1,2]", false),
    ("[2024-01-01] x", false), ("SESSION_INFO_NTF: {session_handle=1}", false), ("", false),
    ("a,\"b\"\n", false), ("{a:1}", false),
  ])
  func recognisesObjects(_ text: String, _ isJSON: Bool) {
    #expect(JSONObjects.begins(Array(text.utf8)) == isJSON)
  }

  /// Texts are read as the standard library reads them.
  @Test func randomObjectsMatchStandardLibrary() throws {
    let seed: UInt64 = 2652
    var generator = SeededGenerator(seed: seed)
    func pick<Value>(_ values: [Value]) -> Value {
      values[Int(generator.next() % UInt64(values.count))]
    }
    let pieces = [
      "a", "ß", "\u{1F600}", "\"", "\\", "\n", "\r\n", ",", "#", " ", "\t", "/", "\u{1}", "{", "}",
      "\u{15}", "é",
    ]
    for round in 0..<repetitions(300, long: 10_000) {
      var lines: [String] = []
      var names: [String] = []
      for index in 0..<8 {
        let name = "A\(index)" + (0..<6).map { _ in pick(pieces) }.joined()
        let object: [String: Any] = [
          "time_s": Double(index) / 8, "anchor": name, "distance_m": Double(index) + 0.5,
          "note": (0..<4).map { _ in pick(pieces) }.joined(),
          pick(["odd", "x,\"y", "\u{1F600}"]): pick(
            [1, 2.5, NSNull(), true, [1, 2], ["k": 1]] as [Any]),
        ]
        let options: JSONSerialization.WritingOptions = pick([[], .prettyPrinted, .sortedKeys])
        lines.append(
          String(
            decoding: try JSONSerialization.data(withJSONObject: object, options: options),
            as: UTF8.self))
        names.append(name)
      }
      let text = pick(["[" + lines.joined(separator: ",") + "]", lines.joined(separator: "\n")])
      let read = try readRanges(text, blockSize: 64, width: pick([1, 2]))
      #expect(read.rejected.isEmpty, "seed \(seed), round \(round): \(text)")
      #expect(read.anchorNames == names, "seed \(seed), round \(round): \(text)")
      #expect(
        read.ranges.distance == (0..<8).map { Double($0) + 0.5 }, "seed \(seed), round \(round)")
      #expect(read.ranges.time.map(\.seconds) == (0..<8).map { Double($0) / 8 })
    }
  }

  /// Device logs in JSON stay the logs that they are.
  @Test(
    .needsReference("logs/a6_uwbcore.jsonl"),
    arguments: [("a6_uwbcore.jsonl", LogFormat.uwbCore), ("a2_json.log", .qorvoJSON)])
  func logsInJSON(_ name: String, _ format: LogFormat) throws {
    let input = try StoredInput(
      path: Reference.url("logs/\(name)").path(percentEncoded: false))
    #expect(try RecognisedFormat(input, options: RecordingOptions()).format == format)
  }

  @Test(.needsReference("cases/jsonl_plain"))
  func plainLines() throws {
    let recording = try RecordingReader.read(
      Reference.url("cases/jsonl_plain/ranges.jsonl").path(percentEncoded: false))
    #expect(recording.ranges.count == 12 && recording.rejected.isEmpty)
  }
}
