import Testing

@testable import Fathom

@Suite struct ZoneDwellTests {
  private func seconds(_ value: Double) -> Timestamp {
    Timestamp(nanoseconds: Int64((value * 1e9).rounded()))
  }

  @Test func zoneChangesAfterEachDwellTime() {
    var dwell = ZoneDwell(zones: 2, dwell: 0.5, forgetAfter: 2)
    func changes(_ zone: Int, isBeyond: Bool = true, at time: Double) -> Bool {
      dwell.changes(zone, isBeyond: isBeyond, at: seconds(time))
    }
    #expect(!changes(0, at: 0))
    // Each zone has its own time.
    #expect(!changes(1, at: 0.2))
    #expect(!changes(0, at: 0.499_999_999))
    #expect(changes(0, at: 0.5))
    #expect(!changes(0, at: 0.6))
    #expect(!changes(1, isBeyond: false, at: 0.6))
    #expect(!changes(1, at: 0.8))
    #expect(changes(0, at: 1.1))
    #expect(!changes(1, at: 1.2))
    #expect(changes(1, at: 1.3))
  }

  @Test func everyMeasurementBeyondChangesZoneWithoutDwell() {
    var dwell = ZoneDwell(zones: 1, dwell: 0, forgetAfter: 2)
    for step in 0..<3 {
      let there = dwell.changes(0, isBeyond: true, at: seconds(Double(step)))
      let back = dwell.changes(0, isBeyond: false, at: seconds(Double(step)))
      #expect(there && !back)
    }
  }

  @Test func orderIsRelativeToLastMeasurement() {
    var dwell = ZoneDwell(zones: 1, dwell: 0.5, forgetAfter: 2)
    #expect(dwell.order(of: seconds(-1e6)) == .next)
    dwell.measure(at: seconds(10))
    #expect(dwell.order(of: seconds(10)) == .next)
    #expect(dwell.order(of: seconds(12)) == .next)
    #expect(dwell.order(of: seconds(12.000_000_001)) == .forgotten)
    #expect(dwell.order(of: seconds(9.999_999_999)) == .late)
    #expect(dwell.order(of: seconds(8)) == .late)
    #expect(dwell.order(of: seconds(7.999_999_999)) == .forgotten)

    var patient = ZoneDwell(zones: 1, dwell: 0.5, forgetAfter: .infinity)
    patient.measure(at: seconds(0))
    #expect(patient.order(of: seconds(9e9)) == .next)
    #expect(patient.order(of: seconds(-9e9)) == .late)
  }

  @Test func resetClearsDwellAndTime() {
    var dwell = ZoneDwell(zones: 1, dwell: 0.5, forgetAfter: 2)
    dwell.measure(at: seconds(10))
    _ = dwell.changes(0, isBeyond: true, at: seconds(10))
    dwell.reset()
    #expect(dwell.order(of: seconds(0)) == .next)
    let isLong = dwell.changes(0, isBeyond: true, at: seconds(10.6))
    #expect(!isLong)
  }
}
