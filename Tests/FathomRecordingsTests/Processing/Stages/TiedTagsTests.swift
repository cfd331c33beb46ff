import Fathom
import TestSupport
import Testing

@testable import FathomRecordings

/// Ranges between tags in a recording.
@Suite struct TiedTagsTests {
  private static let anchors = ["A", "B", "C", "D"]

  /// A recording of a tag `guide` that hears four anchors and `guest` that hears one.
  private func text(_ more: String = "") -> String {
    var text = "time_s,tag,anchor,distance_m,sigma_m\n"
    let corners = [(0.0, 0.0), (8.0, 0.0), (8.0, 6.0), (0.0, 6.0)]
    func distance(_ x: Double, _ y: Double) -> Double { (x * x + y * y).squareRoot() }
    for step in 0..<100 {
      let time = 0.1 * Double(step)
      let (x, y) = (2 + 0.02 * Double(step), 3.0)
      let (u, v) = (5.0, 1 + 0.02 * Double(step))
      for (name, corner) in zip(Self.anchors, corners) {
        text += "\(time),guide,\(name),\(distance(x - corner.0, y - corner.1)),0.1\n"
      }
      text += "\(time),guest,A,\(distance(u, v)),0.1\n"
      text += "\(time),guide,guest,\(distance(u - x, v - y)),0.1\n"
    }
    return text + more
  }

  private func parsed(
    _ text: String, width: Int = 1, blockSize: Int = TextBlocks.usualSize
  ) throws -> ParsedRanges {
    let input = StoredInput(path: "test", bytes: Array(text.utf8))
    let first = try RangesReader.read(
      input, options: RecordingOptions(), declared: Self.anchors, blockSize: blockSize, width: width
    )
    guard !first.tagAnchors.isEmpty else { return first }
    var options = RecordingOptions()
    options.tagAnchors = first.tagAnchors
    var second = try RangesReader.read(
      input, options: options, declared: Self.anchors, blockSize: blockSize, width: width)
    second.tagRanges.resolve(options.tagAnchors, tags: second.tagNames)
    return second
  }

  private func recording(_ text: String) throws -> Recording {
    let table = try parsed(text)
    var recording = Recording(name: "test")
    recording.tagNames = table.tagNames
    recording.anchorNames = table.anchorNames
    let corners: [[Double]] = [[0, 0, 0], [8, 0, 0], [8, 6, 0], [0, 6, 0]]
    recording.anchors = corners.map { Anchor(position: Vector([$0[0], $0[1], $0[2]])) }
    recording.facts.heightM = 0
    recording.facts.boundsM = [[0, 0, -1], [8, 6, 1]]
    recording.ranges = table.ranges
    recording.tagRanges = table.tagRanges
    recording.rejected = table.rejected
    recording.rowsRead = table.rowsRead
    return recording
  }

  @Test func namesOfTagsAreNoUndeclaredAnchors() throws {
    let table = try parsed(
      text("9.95,guide,guide,1,0.1\n9.96,guide,elsewhere,1,0.1\n9.97,guest,guide,nan,0.1\n"))
    #expect(table.ranges.count == 500)
    #expect(table.tagRanges.count == 100)
    #expect(table.tagRanges.tag.allSatisfy { table.tagNames[Int($0)] == "guide" })
    #expect(table.tagRanges.other.allSatisfy { table.tagNames[Int($0)] == "guest" })
    #expect(table.rowsRead == 603)
    #expect(table.rejected.total == 3)
    #expect(table.rejected.first?.reason.contains("no range to itself") == true)
    #expect(table.undeclared?.contains("elsewhere") == true)
    #expect(table.undeclared?.contains("guest") == false)
  }

  @Test func threadsAndBlocksDoNotMatter() throws {
    let text = text("9.95,guest,guide,1,0.1\n")
    let whole = try parsed(text)
    for (width, size) in [(1, 4096), (3, 512), (4, 4096)] {
      let parts = try parsed(text, width: width, blockSize: size)
      #expect(parts.tagRanges == whole.tagRanges)
      #expect(parts.ranges == whole.ranges)
      #expect(parts.tagNames == whole.tagNames)
    }
  }

  @Test(arguments: [PositionMethod.filter, .smooth, .fix])
  func countsAreHonest(_ method: PositionMethod) throws {
    var settings = ProcessingSettings()
    settings.method = method
    let recording = try recording(text("9.95,guide,guide,1,0.1\n"))
    let summary = recording.processed(with: settings).summary
    #expect(summary.rows.read == 601)
    #expect(summary.rows.used == 600)
    #expect(summary.rows.rejected == 1)
    #expect(summary.tagRanges?.values.reduce(0, +) == 100)
    #expect(summary.decisions.values.reduce(0, +) == 500)
    if method == .fix {
      #expect(summary.tagRanges == ["unused": 100])
      #expect(summary.warnings.contains { $0.contains("ranges between tags not used") })
    } else {
      #expect((summary.tagRanges?["used"] ?? 0) > 50)
    }
  }

  @Test(arguments: [PositionMethod.filter, .smooth])
  func guestIsLocated(_ method: PositionMethod) throws {
    var settings = ProcessingSettings()
    settings.method = method
    let positions = try recording(text()).processed(with: settings).positions
    let last = try #require(positions.tag.lastIndex { $0 == "guest" })
    #expect(positions.status[last] != .starting)
    let found =
      [positions.position[last]]
      + (positions.alternatives[last].map { [$0] } ?? [])
    #expect(found.contains { ($0 - Vector([5, 2.98, 0])).length < 0.5 })
  }

  @Test func withoutRangesBetweenTagsNothingIsTied() throws {
    let plain =
      text().split(separator: "\n").filter { !$0.contains("guide,guest") }
      .joined(separator: "\n") + "\n"
    let table = try parsed(plain)
    #expect(table.tagAnchors.isEmpty && table.tagRanges.count == 0)
    let summary = try recording(plain).processed().summary
    #expect(summary.tagRanges == nil)
  }

  @Test func groupsAreConnectedTags() {
    var ranges = TagRangeColumns()
    for (tag, other) in [(4, 2), (2, 7), (1, 3)] {
      ranges.append(
        at: Timestamp(nanoseconds: 0), from: Int32(tag), to: Int32(other), distance: 1, sigma: .nan,
        line: 2)
    }
    #expect(ranges.groups(tagCount: 8) == [[1, 3], [2, 4, 7]])
  }
}
