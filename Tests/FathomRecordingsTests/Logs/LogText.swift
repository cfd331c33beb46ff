import Fathom
import Testing

@testable import FathomRecordings

/// A device log in memory, for tests.
struct LogText {
  var text: String
  var options = RecordingOptions()
  var declared: [String] = []

  init(_ text: String, _ change: (inout RecordingOptions) -> Void = { _ in }) {
    self.text = text
    change(&options)
  }

  /// Reads the log; checks that blocks of any size give the same ranges.
  func read() throws -> ParsedRanges {
    let input = StoredInput(path: "log.txt", bytes: Array(text.utf8))
    let file = try RangesReader.read(input, options: options, declared: declared)
    #expect(file.rowsRead == file.ranges.count + file.events.count + file.rejected.total)
    for blockSize in [16, 61, 300] {
      let other = try RangesReader.read(
        input, options: options, declared: declared, blockSize: blockSize)
      #expect(other.ranges.time == file.ranges.time, "blocks of \(blockSize)")
      #expect(other.ranges.distance == file.ranges.distance, "blocks of \(blockSize)")
      #expect(other.ranges.line == file.ranges.line, "blocks of \(blockSize)")
      #expect(other.rejected.reasons == file.rejected.reasons, "blocks of \(blockSize)")
    }
    return file
  }

  /// Checks that a stream of the text in parts of any size gives the distances of a file in `format`.
  func expectPartsToGive(_ expected: [Double], _ format: LogFormat) throws {
    let bytes = Array(text.utf8)
    for size in [1, 7, 300, 5000] {
      var lines = LiveLines(
        name: "stream", declared: declared, options: options, startsMidLine: false)
      var distances: [Double] = []
      for begin in stride(from: 0, to: bytes.count, by: size) {
        let part = Array(bytes[begin..<min(begin + size, bytes.count)])
        distances += try lines.parse(part)?.ranges.ranges.distance ?? []
      }
      distances += try lines.parse([], isLast: true)?.ranges.ranges.distance ?? []
      #expect(distances == expected, "parts of \(size)")
      #expect(lines.layout?.format == format, "parts of \(size)")
    }
  }

  var format: LogFormat { RecognisedFormat(head: Array(text.utf8), isWhole: true).format }
}

extension ParsedRanges {
  /// Names of the anchors, range by range.
  var anchors: [String] { ranges.anchor.map { anchorNames[Int($0)] } }
  var tags: [String] { ranges.tag.map { tagNames[Int($0)] } }
  var seconds: [Double] { ranges.time.map(\.seconds) }
}

/// Returns `degrees` in radians.
func radians(_ degrees: Double) -> Double { degrees * .pi / 180 }
