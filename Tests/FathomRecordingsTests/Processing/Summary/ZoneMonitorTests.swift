import Fathom
import TestSupport
import Testing

@testable import FathomRecordings

@Suite struct ZoneMonitorTests {
  private let zones = ZoneSettings(areas: [
    ZoneSettings.Area(name: "left", cornersM: [[-1, -1], [4, -1], [4, 7], [-1, 7]]),
    ZoneSettings.Area(name: "right", cornersM: [[4, -1], [9, -1], [9, 7], [4, 7]]),
  ])

  private func recording() -> Recording {
    // T goes from the left to the right half of the room; U stays in the right half.
    var ranges: [MadeRange] = []
    for step in 0..<240 {
      let seconds = 0.05 * Double(step)
      let x = 2 + min(4, max(0, seconds - 4))
      let (name, anchor) = roomAnchors[step % 4]
      for (tag, place) in [("T", Vector<3>([x, 3, 1])), ("U", Vector([6.5, 3, 1]))] {
        ranges.append(
          MadeRange(
            seconds: seconds, tag: tag, anchor: name,
            distance: (anchor.position - place).length + 1e-9 * Double(step)))
      }
    }
    return Recording.made(anchors: roomAnchors, ranges: ranges)
  }

  @Test(arguments: PositionMethod.allCases)
  func walkCrossesZones(_ method: PositionMethod) {
    var settings = ProcessingSettings()
    settings.zones = zones
    settings.method = method
    // With a known height the four ranges check each other. Untold, `fix` takes the motion between
    // the ranges of an epoch for their noise, and confidence takes longer.
    settings.heightM = 1
    settings.rangeSigmaM = RangingDefaults.rangeSigma
    let processed = recording().processed(with: settings)
    let events = (0..<processed.zones.count).map { index in
      "\(processed.zones.tag[index]) \(processed.zones.event[index])"
        + " \(processed.zones.zone[index])"
    }
    #expect(
      Set(events.prefix(2)) == ["T entered left", "U entered right"], "\(events)")
    #expect(Set(events.dropFirst(2)) == ["T left left", "T entered right"], "\(events)")
    #expect(processed.zones.time == processed.zones.time.sorted())
    #expect(
      processed.summary.zones?.map { [$0.entered, $0.left, $0.forgotten] } == [
        [1, 1, 0], [2, 0, 0],
      ])
    // T crosses the boundary at 6 s. Confidence and the dwell time of half a second delay the
    // event.
    let crossing = processed.zones.time.last?.seconds ?? 0
    #expect((6.5...8).contains(crossing), "\(crossing)")
  }

  @Test func givenZonesReplaceThoseOfTheRecording() {
    var recording = recording()
    recording.facts.zones = zones
    #expect(recording.processed().summary.zones?.map(\.zone) == ["left", "right"])
    var settings = ProcessingSettings()
    settings.zones = ZoneSettings(areas: [zones.areas[1]])
    let summary = recording.processed(with: settings).summary
    #expect(summary.zones?.map(\.zone) == ["right"] && summary.settings.zones == settings.zones)
  }

  @Test func zonesAreIgnoredWithoutAnchors() {
    var settings = ProcessingSettings()
    settings.zones = zones
    let summary = Recording.made(ranges: [MadeRange(seconds: 0, anchor: "A", distance: 2)])
      .processed(with: settings).summary
    #expect(summary.zones == nil)
    #expect(summary.warnings.contains { $0.hasPrefix("zones are ignored without anchors") })
  }
}
