import Fathom
import Foundation
import TestSupport
import Testing

@testable import FathomRecordings

@Suite struct OutputScheduleTests {
  private func time(_ seconds: Double) -> Timestamp {
    Timestamp(nanoseconds: 0).advanced(bySeconds: seconds)
  }

  /// The instants of a tag with ranges at `times`, in seconds.
  private func instants(
    _ times: [Double], end: Double?, rateHz: Double? = nil, continuesInGaps: Bool = true
  ) -> [Double] {
    var schedule = OutputSchedule(
      end: end.map(time), rateHz: rateHz, continuesInGaps: continuesInGaps)
    var found: [Double] = []
    func note(_ instant: Timestamp?) { if let instant { found.append(instant.seconds) } }
    for next in times {
      while let instant = schedule.next(before: time(next)) { note(instant) }
      schedule.expect(time(next))
    }
    // The recording goes on with other tags.
    while let instant = schedule.next(before: time(1000)) { note(instant) }
    note(schedule.last())
    return found
  }

  @Test func everyInstantWithRangesIsDueOnce() {
    #expect(instants([0, 0, 0.1, 0.1, 0.4], end: 0.4) == [0, 0.1, 0.4])
  }

  @Test func secondsOfGapsAreDueForAMinute() {
    let found = instants([0, 3.5, 100], end: 100)
    #expect(found.prefix(5) == [0, 1, 2, 3, 3.5])
    #expect(found.count == 4 + 1 + 60 + 1 && found.suffix(2) == [63.5, 100])
    #expect(instants([0, 3.5, 100], end: 100, continuesInGaps: false) == [0, 3.5, 100])
  }

  @Test func gridInstantsAreMultiplesOfTheStep() {
    #expect(instants([0.1, 0.4, 1.2], end: 1.2, rateHz: 2) == [0.5, 1])
    #expect(instants([0.1, 0.4, 1], end: 1, rateHz: 2) == [0.5, 1])
  }

  /// A tag that ends before others has one row an instant, by every method.
  @Test(arguments: PositionMethod.allCases)
  func rowsOnAGridComeOnceAndInOrder(_ method: PositionMethod) throws {
    let anchors = [(0.0, 0.0, 0.0), (8.0, 0.0, 0.2), (8.0, 6.0, 2.0), (0.0, 6.0, 1.0)]
    var ranges = "time_s,tag,anchor,distance_m\n"
    for index in 0..<800 {
      let seconds = Double(index) / 40
      for (tag, end) in [("one", 20.0), ("two", 10.0)] where seconds <= end {
        let (x, y, z) = anchors[index % 4]
        let place = (2 + 0.2 * seconds + (tag == "one" ? 0 : 1), 3 + sin(seconds), 1.3)
        let distance = hypot(hypot(place.0 - x, place.1 - y), place.2 - z)
        ranges += "\(seconds),\(tag),\("ABCD".dropFirst(index % 4).prefix(1)),\(distance)\n"
      }
    }
    try withTemporaryFolder { folder in
      try ranges.write(toFile: folder + "/ranges.csv", atomically: true, encoding: .utf8)
      try "id,x,y,z\nA,0,0,0\nB,8,0,0.2\nC,8,6,2\nD,0,6,1\n".write(
        toFile: folder + "/anchors.csv", atomically: true, encoding: .utf8)
      var settings = ProcessingSettings()
      (settings.method, settings.rateHz) = (method, 5)
      let result = try RecordingReader.read(folder).processed(with: settings)
      let rows = ResultWriter.files(of: result, in: "")[0].bytes
      let keys = String(decoding: rows, as: UTF8.self).split(separator: "\n").dropFirst().map {
        $0.split(separator: ",").prefix(2).joined(separator: ",")
      }
      #expect(Set(keys).count == keys.count)
      let times = keys.compactMap { Double($0.prefix { $0 != "," }) }
      #expect(times == times.sorted() && times.count > 140)
    }
  }
}
