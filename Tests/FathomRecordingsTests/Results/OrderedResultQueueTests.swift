import Fathom
import FathomEvaluation
import TestSupport
import Testing

@testable import FathomRecordings

@Suite struct OrderedResultQueueTests {
  /// Collects the text written to all tables.
  private final class Lines: ResultOutput {
    var text = ""

    func append(_ bytes: UnsafeRawBufferPointer, to table: ResultTable) throws(RecordingError) {
      text += String(decoding: bytes, as: UTF8.self)
    }
  }

  private func positions(_ line: String) -> FormattedResults {
    var text = FormattedResults()
    text.positions = CSVBuffer(header: line, rows: 0)
    return text
  }

  private func distances(_ line: String) -> FormattedResults {
    var text = FormattedResults()
    text.distances = CSVBuffer(header: line, rows: 0)
    return text
  }

  @Test func writesSlicesInOrder() throws {
    let output = Lines()
    var texts = OrderedResultQueue()
    let (first, second, third) = (texts.begin(), texts.begin(), texts.begin())
    texts.add(positions("c"), of: third)
    texts.add(distances("b"), of: second)
    texts.add(positions("b"), of: second)
    try texts.write(to: output)
    #expect(output.text.isEmpty)
    texts.add(positions("a"), of: first)
    try texts.write(to: output)
    #expect(output.text.isEmpty)
    texts.add(distances("a"), of: first)
    try texts.write(to: output)
    #expect(output.text == "a\na\nb\nb\n")
    texts.add(distances("c"), of: third)
    try texts.write(to: output)
    try texts.write(to: output)
    #expect(output.text == "a\na\nb\nb\nc\nc\n")
  }

  /// Slices after an incomplete slice stay in memory, even if they are complete.
  @Test func missingTextBlocksLaterSlices() throws {
    var texts = OrderedResultQueue()
    let (first, second, third) = (texts.begin(), texts.begin(), texts.begin())
    #expect(texts.blocked == 3)
    for slice in [second, third] {
      texts.add(positions("b"), of: slice)
      texts.add(distances("b"), of: slice)
    }
    texts.add(positions("a"), of: first)
    #expect(texts.blocked == 3)
    texts.add(distances("a"), of: first)
    #expect(texts.blocked == 0)
    #expect(texts.begin() == 3)
    #expect(texts.blocked == 1)
    try texts.write(to: Lines())
    #expect(texts.blocked == 1)
  }

  @Test func outputDoesNotDependOnArrivalOrder() throws {
    for seed in UInt64(1)...20 {
      var generator = SeededGenerator(seed: seed)
      let output = Lines()
      var texts = OrderedResultQueue()
      var waiting: [(slice: Int, isPosition: Bool)] = []
      for _ in 0..<12 {
        let slice = texts.begin()
        waiting += [(slice, true), (slice, false)]
        waiting.shuffle(using: &generator)
        while waiting.count > 4 {
          let (slice, isPosition) = waiting.removeLast()
          texts.add(
            isPosition ? positions("\(slice)") : distances("\(slice)"), of: slice)
        }
        try texts.write(to: output)
      }
      for (slice, isPosition) in waiting {
        texts.add(isPosition ? positions("\(slice)") : distances("\(slice)"), of: slice)
      }
      try texts.write(to: output)
      #expect(texts.blocked == 0)
      let expected = (0..<12).map { "\($0)\n\($0)\n" }.joined()
      #expect(output.text == expected, "seed \(seed)")
    }
  }

  /// Recycled buffers are empty for all formats.
  @Test func recycledBuffersAreEmpty() {
    var text = FormattedResults()
    text.positions = CSVBuffer(header: "a", rows: 2)
    text.distances = CSVBuffer(header: "b", rows: 2)
    text.zones = CSVBuffer(header: "c", rows: 2)
    text.positionLines = CSVBuffer(header: "d", rows: 2)
    let buffers = ResultBufferPool()
    buffers.give(text)
    for _ in 0..<2 {
      for spare in [buffers.textForPositions(), buffers.textForDistances()] {
        #expect(spare.positions.isEmpty && spare.distances.isEmpty)
        #expect(spare.zones.isEmpty && spare.positionLines.bytes.isEmpty)
      }
    }
  }

  /// The memory of a table is recycled only for the same table.
  @Test func recyclesMemoryPerTable() {
    var text = FormattedResults()
    text.distances = CSVBuffer(header: "b", rows: 2)
    let address = address(of: text.distances)
    let buffers = ResultBufferPool()
    buffers.give(text)
    let (other, same, new) = (
      buffers.textForPositions(), buffers.textForDistances(), buffers.textForDistances()
    )
    #expect(self.address(of: other.distances) != address)
    #expect(self.address(of: same.distances) == address)
    #expect(self.address(of: new.distances) != address)
  }

  private func address(of row: CSVBuffer) -> UnsafeRawPointer? {
    var address: UnsafeRawPointer?
    row.withBytes { address = $0.baseAddress }
    return address
  }
}
