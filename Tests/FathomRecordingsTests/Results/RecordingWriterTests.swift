import Fathom
import Foundation
import TestSupport
import Testing

@testable import FathomRecordings

@Suite struct RecordingWriterTests {
  @Test func writesWhatIsReadAgain() throws {
    var recording = Recording(name: "walk")
    recording.tagNames = ["T,1"]
    recording.anchorNames = ["A", "B"]
    recording.anchors = [
      Anchor(position: Vector([1.0 / 3, 2, 0])),
      Anchor(position: Vector([0, 1e-7, 2]), positionSigma: 0.1, bias: -0.05, scale: 1.01),
    ]
    recording.ranges.time = [1, 1_000_000_001, -5].map { Timestamp(nanoseconds: $0) }
    recording.ranges.tag = [0, 0, 0]
    recording.ranges.anchor = [0, 1, 0]
    recording.ranges.distance = [0.1 + 0.2, 1e-9, 12_345.678]
    recording.ranges.line = [2, 3, 5]
    recording.ranges[.azimuth] = [.nan, .pi / 7, 0]
    recording.ranges[.rssi] = [.nan, .nan, .nan]
    recording.events = [
      RecordedEvent(
        time: Timestamp(nanoseconds: 7), tag: 0, anchor: nil, event: SessionEvent.allCases[0],
        line: 4)
    ]
    recording.facts.heightM = 1.5
    let files = RecordingWriter.files(of: recording)
    #expect(files.map(\.name) == ["ranges.csv", "anchors.csv", "recording.json"])
    let anchors = try AnchorsReader.read(
      ByteSource(path: "anchors.csv", stored: files[1].bytes), options: RecordingOptions())
    #expect(anchors.names == ["A", "B"] && anchors.anchors == recording.anchors)
    let read = try RangesReader.read(
      StoredInput(path: "ranges.csv", bytes: files[0].bytes), options: RecordingOptions(),
      declared: anchors.names)
    #expect(read.tagNames == ["T,1"] && read.rejected.isEmpty)
    #expect(read.ranges.time == recording.ranges.time)
    #expect(read.ranges.distance == recording.ranges.distance)
    #expect(read.ranges[.azimuth]?[1] == .pi / 7 && read.ranges[.azimuth]?[0].isNaN == true)
    #expect(read.ranges[.rssi] == nil)
    #expect(read.events.map(\.event) == recording.events.map(\.event))
  }

  /// The text is never in memory as a whole.
  @Test func writesBlocksOfWholeRows() {
    var recording = Recording(name: "walk")
    (recording.tagNames, recording.anchorNames) = (["T"], ["A"])
    let count = 30_000
    for index in 0..<count {
      recording.ranges.append(
        at: Timestamp(nanoseconds: Int64(index) * 1_000_000), tag: 0, anchor: 0,
        distance: 1 + 0.001 * Double(index), line: index + 2, .none)
    }
    let file = RecordingWriter.files(of: recording)[0]
    var blocks: [[UInt8]] = []
    file.forEachBlock { (block: UnsafeRawBufferPointer) in blocks.append(Array(block)) }
    #expect(blocks.count > 1 && blocks.allSatisfy { $0.count < 300_000 })
    #expect(blocks.allSatisfy { $0.last == UInt8(ascii: "\n") })
    #expect(Array(blocks.joined()) == file.bytes)
    #expect(file.bytes.count { $0 == UInt8(ascii: "\n") } == 1 + count)
  }

  /// Two tags range to anchors and to each other, with and without a standard deviation.
  @Test func writesRangesBetweenTags() throws {
    let text = """
      time_s,tag,anchor,distance_m,sigma_m,event
      1,T1,A,2.5,,
      1,T1,T2,1.25,0.2,
      2,T2,B,3.5,,
      2,T2,,,,suspended
      3,T2,T1,1.5,,

      """
    try withTemporaryFolder { folder in
      func read(_ files: [RecordedFile]) throws -> Recording {
        for file in files {
          try Data(file.bytes).write(to: URL(filePath: "\(folder)/\(file.name)"))
        }
        return try RecordingReader.read(folder)
      }
      let anchors = Array("id,x,y,z\nA,0,0,1\nB,4,0,2\n".utf8)
      let recording = try read([
        RecordedFile("ranges.csv", Array(text.utf8)), RecordedFile("anchors.csv", anchors),
      ])
      #expect(recording.tagRanges.count == 2 && recording.ranges.count == 2)
      let again = try read(RecordingWriter.files(of: recording))
      // As text, in which what is unknown equals itself.
      #expect("\(again.tagRanges)" == "\(recording.tagRanges)")
      #expect(again.ranges.distance == recording.ranges.distance)
      #expect(again.events.map(\.time) == recording.events.map(\.time))
      #expect(again.rejected.isEmpty)
    }
  }

  @Test(arguments: [TrajectoryFormat.tum, .euroc, .kitti, .csv])
  func writesTrajectoriesThatAreReadAgain(_ format: TrajectoryFormat) throws {
    var trajectory = RecordedTrajectory(path: "est.csv", format: .csv)
    trajectory.tracks[""] = EstimatedTrack(
      times: [1_700_000_000_123_456_789, 1_700_000_001_000_000_000].map {
        Timestamp(nanoseconds: $0)
      }, positions: [Vector([0.1, -2, 1e-5]), Vector([1.0 / 3, 2, 3])])
    let (files, omitted) = TrajectoryWriter.files(of: trajectory, as: format, name: "est")
    #expect(omitted == 0)
    let sources = try files.map { try ByteSource(path: $0.name, stored: $0.bytes) }
    let read = try TrajectoryReader.read(sources[0], times: sources.count > 1 ? sources[1] : nil)
    #expect(read.format == format)
    #expect(read.tracks == trajectory.tracks)
  }

  @Test func countsIncompletePositions() {
    var trajectory = RecordedTrajectory(path: "est.csv", format: .csv)
    for tag in ["A", "B/C"] {
      trajectory.tracks[tag] = EstimatedTrack(
        times: [Timestamp(nanoseconds: 0)], positions: [Vector([0, 0, tag == "A" ? .nan : 1])])
    }
    let (files, omitted) = TrajectoryWriter.files(of: trajectory, as: .tum, name: "est")
    #expect(files.map(\.name) == ["est.A.tum", "est.B_C.tum"])
    #expect(omitted == 1)
  }
}
