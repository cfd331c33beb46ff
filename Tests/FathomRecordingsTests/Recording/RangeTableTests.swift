import Fathom
import FathomEvaluation
import Foundation
import TestSupport
import Testing

@testable import FathomRecordings

@Suite("Rows of ranges in memory")
struct RangeTableTests {
  @Test("Seconds in a double become the nanoseconds of their decimal text")
  func decimalSeconds() throws {
    // Text of six decimals at the time of an experiment, of a day, and of 2023.
    for text in [
      "12.345678", "86399.999999", "1700000000.123457", "-0.000001", "4102444799.999999",
    ] {
      let digits = text.replacing(".", with: "")
      let expected = try #require(Int64(digits)) * 1000
      let seconds = try #require(Double(text))
      #expect(Timestamp(decimalSeconds: seconds)?.nanoseconds == expected, "\(text)")
    }
    #expect(Timestamp(decimalSeconds: 123.456789012)?.nanoseconds == 123_456_789_012)
    #expect(Timestamp(decimalSeconds: .nan) == nil)
    #expect(Timestamp(decimalSeconds: 1e10) == nil)
  }

  @Test("Random microseconds and nanoseconds survive")
  func randomTimes() {
    var generator = SeededGenerator(seed: 2653)
    for _ in 0..<repetitions(20_000, long: 1_000_000) {
      let micro = Int64.random(
        in: -4_000_000_000_000_000...4_000_000_000_000_000, using: &generator)
      let text = Double(micro) / 1e6
      let found = Timestamp(decimalSeconds: text)?.nanoseconds
      if found != micro * 1000 { Issue.record("\(micro) µs became \(found ?? 0) ns") }
      let nano = Int64.random(in: 0...1_000_000_000_000_000, using: &generator)
      let fine = Timestamp(decimalSeconds: Double(nano) / 1e9)?.nanoseconds
      if fine != nano { Issue.record("\(nano) ns became \(fine ?? 0) ns") }
    }
  }

  @Test("Angles that can only be degrees are rejected")
  func anglesInDegrees() throws {
    let (time, distance, azimuth) = (Held<Double>(2), Held<Double>(2), Held<Double>(2))
    for (row, angle) in [0.5, 45].enumerated() {
      (time[row], distance[row], azimuth[row]) = (Double(row), 3, angle)
    }
    var table = BorrowedRanges(count: 2)
    (table.seconds, table.distance, table[.azimuth]) = (
      time.column, distance.column, azimuth.column
    )
    let made = try Recording(name: "walk", table: table, declared: DeclaredAnchors())
    #expect(made.ranges[.azimuth] == [0.5])
    #expect(
      made.rejected.map(\.reason) == [
        "azimuth_rad is beyond ±2π: 45.0 (degrees? tables have radians)"
      ])
  }

  /// Rows of two tags that range to anchors and to each other, with measured heights and true distances.
  @Test("A table is read as a file with the same rows")
  func sameAsFile() throws {
    let names = ["A", "B", "C", "D", "T1", "T2", "X"]
    let tags = ["T1", "T2"]
    var text = "time_s,tag,anchor,distance_m,truth_distance_m,height_m\n"
    let count = 140
    let (time, distance) = (Held<Double>(count), Held<Double>(count))
    let (truth, height) = (Held<Double>(count), Held<Double>(count))
    let (tag, anchor) = (Held<Int32>(count), Held<Int32>(count))
    for row in 0..<count {
      time[row] = Double(row / 7)
      tag[row] = Int32(row / 7 % 2)
      anchor[row] = Int32(row % 7)
      distance[row] = 3 + 0.25 * Double(row % 11)
      truth[row] = row % 3 == 0 ? .nan : 3 + 0.25 * Double(row % 5)
      height[row] = row % 4 == 0 ? .nan : 1 + 0.125 * Double(row % 6)
      func field(_ value: Double) -> String { value.isNaN ? "" : "\(value)" }
      text += "\(time[row]),\(tags[Int(tag[row])]),\(names[Int(anchor[row])]),\(distance[row]),"
      text += "\(field(truth[row])),\(field(height[row]))\n"
    }
    var table = BorrowedRanges(count: count)
    (table.seconds, table.distance) = (time.column, distance.column)
    (table[.trueDistance], table[.height]) = (truth.column, height.column)
    (table.tag, table.tagNames) = (tag.column, tags)
    (table.anchor, table.anchorNames) = (anchor.column, names)
    var declared = DeclaredAnchors()
    declared.names = ["A", "B", "C", "D"]
    declared.anchors = (0..<4).map { Anchor(position: Vector([Double($0), Double($0 % 2), 2])) }
    let made = try Recording(name: "walk", table: table, declared: declared)
    try withTemporaryFolder { folder in
      let anchors = declared.names.indices.map { "\(declared.names[$0]),\($0),\($0 % 2),2\n" }
      try text.write(toFile: folder + "/ranges.csv", atomically: true, encoding: .utf8)
      try ("id,x,y,z\n" + anchors.joined())
        .write(toFile: folder + "/anchors.csv", atomically: true, encoding: .utf8)
      let read = try RecordingReader.read(folder)
      #expect(made.tagRanges.count == 20)
      // As text, in which what is unknown equals itself.
      #expect("\(made.tagRanges)" == "\(read.tagRanges)")
      #expect("\(made.ranges)" == "\(read.ranges)")
      #expect(made.tagNames == read.tagNames && made.anchorNames == read.anchorNames)
      // A range to the tag itself, and one to an anchor that is not declared.
      #expect(made.rejected.total == 40 && read.rejected.total == 40)
      #expect(made.rejected.map(\.reason) == read.rejected.map(\.reason))
    }
  }
}

/// Memory of a column, as a caller of the library holds it.
private final class Held<Element> {
  private let memory: UnsafeMutableBufferPointer<Element>

  init(_ count: Int) { memory = .allocate(capacity: count) }
  deinit { memory.deallocate() }

  var column: BorrowedRanges.Column<Element> { UnsafeBufferPointer(memory) }

  subscript(row: Int) -> Element {
    get { memory[row] }
    set { memory.initializeElement(at: row, to: newValue) }
  }
}
