import Fathom
import Testing

@testable import FathomRecordings

/// Logs of apps for phones and of home automation, from the file to the positions.
@Suite struct PhoneAndHomeReaderTests {
  private let walk = SimulatedWalk()

  /// Returns the seconds of a range as a time of day.
  private func clock(_ range: SimulatedWalk.Range) -> String {
    "12:00:\(range.clockSeconds)"
  }

  @Test func readsPositionsOfAndroidX() throws {
    let text = walk.lines {
      "11-28 \(clock($0))  1234  1234 D Uwb: RangingResultPosition(device=UwbDevice(address="
        + "UwbAddress{\($0.name)}), position=RangingPosition(distance=RangingMeasurement(value="
        + "\($0.distance)), azimuth=RangingMeasurement(value=-12.5), elevation=null,"
        + " elapsedRealtimeNanos=\(1_000_000_000 + 1_000_000 * $0.milliseconds)))"
    }
    let recording = try #require(
      try walk.expectPositions(
        text + "11-28 12:01:00.000  1  1 D Uwb: RangingResultPosition(device=x\n", .android,
        rejected: 1))
    #expect(recording.ranges.time.first?.seconds == 1)
    #expect(recording.ranges[.azimuth]?.first == radians(-12.5))
    #expect(recording.ranges[.elevation]?.allSatisfy(\.isNaN) != false)
  }

  @Test func readsESPresense() throws {
    var walk = walk
    walk.names = ["kitchen", "hall", "bed-room", "bath"]
    let names = walk.names
    for stamp in [true, false] {
      let text = walk.lines { range in
        (stamp ? "2026-05-01T\(clock(range))Z " : "")
          + "espresense/devices/phone:1/\(names[range.anchor]) {\"mac\":\"aabb\",\"id\":\"phone:1\","
          + "\"rssi\":-70.5,\"raw\":1.2,\"distance\":\(range.distance),\"var\":0.1}"
      }
      var options = RecordingOptions()
      options.epochRate = 10
      let recording = try #require(
        try walk.expectPositions(
          text + "espresense/devices/phone:1/hall {\"id\":\"phone:1\"}\n", options: options,
          .espresense, rejected: 1))
      #expect(recording.tagNames == ["phone:1"])
      #expect(recording.ranges[.rssi]?.first == -70.5)
    }
  }

  @Test func saysThatPozyxHasNoRanges() {
    let text =
      "[{\"version\":\"1\",\"tagId\":\"24576\",\"timestamp\":1524496105.895,\"data\":"
      + "{\"coordinates\":{\"x\":1000,\"y\":2000,\"z\":500}},\"success\":true}]"
    do throws(RecordingError) {
      _ = try MixedTables(
        StoredInput(path: "pozyx.json", bytes: Array(text.utf8)), RecordingOptions(), declared: [],
        hasAnchors: true, findsAnchors: true)
      Issue.record("was read")
    } catch {
      #expect("\(error)".contains("from positions nothing can be computed: log the distances"))
    }
  }
}
