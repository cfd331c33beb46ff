import Fathom
import FathomEvaluation
import Testing

@testable import FathomRecordings

/// Reads truncated and damaged copies of the log `bytes` of `format`: none ends the program, every row is
/// accounted for, and a truncated copy has the ranges of the whole as far as it goes.
func expectDamageIsAccountedFor(
  _ bytes: [UInt8], _ format: LogFormat, seed: UInt64 = 23,
  sourceLocation: SourceLocation = #_sourceLocation
) throws {
  var options = RecordingOptions()
  options.format = format
  func read(_ bytes: [UInt8]) throws -> ParsedRanges? {
    do throws(RecordingError) {
      let file = try RangesReader.read(
        StoredInput(path: "log", bytes: bytes), options: options, declared: [])
      #expect(
        file.rowsRead == file.ranges.count + file.events.count + file.rejected.total,
        sourceLocation: sourceLocation)
      for row in file.rejected { #expect(!row.reason.isEmpty, sourceLocation: sourceLocation) }
      return file
    } catch {
      #expect(error.exitCode == 65, "\(error)", sourceLocation: sourceLocation)
      return nil
    }
  }
  let whole = try #require(try read(bytes), sourceLocation: sourceLocation)
  #expect(whole.ranges.count > 3, sourceLocation: sourceLocation)
  for length in stride(from: 0, through: bytes.count, by: 1 + bytes.count / 400) {
    guard let part = try read(Array(bytes.prefix(length))) else { continue }
    // The last distance can be cut to another number.
    let count = max(0, part.ranges.count - 1)
    #expect(
      part.ranges.distance.prefix(count).elementsEqual(whole.ranges.distance.prefix(count)),
      "\(length) bytes", sourceLocation: sourceLocation)
  }
  var generator = SeededGenerator(seed: seed)
  for _ in 0..<400 {
    var copy = bytes
    for _ in 0..<Int.random(in: 1...20, using: &generator) {
      let place = Int.random(in: copy.indices, using: &generator)
      switch Int.random(in: 0..<3, using: &generator) {
      case 0: copy[place] = .random(in: 0...255, using: &generator)
      case 1: copy.remove(at: place)
      default: copy.insert(copy[Int.random(in: copy.indices, using: &generator)], at: place)
      }
    }
    _ = try read(copy)
  }
}
