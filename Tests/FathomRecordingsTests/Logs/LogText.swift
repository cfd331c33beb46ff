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
