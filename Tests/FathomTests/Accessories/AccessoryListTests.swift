import FathomEvaluation
import Testing

@testable import Fathom

@Suite struct AccessoryListTests {
  typealias List = AccessoryList<String>

  static func milliseconds(_ count: Int64) -> Timestamp {
    Timestamp(nanoseconds: count * 1_000_000)
  }

  /// A list with an advertisement of each given accessory at time 0.
  static func list(_ names: String...) -> List {
    var list = List()
    for name in names { _ = list.hear(name, name: name, at: milliseconds(0)) }
    return list
  }

  @Test func appendsAndAnnouncesUnknownAccessories() throws {
    var list = List()
    #expect(list.hear("a", name: "Beacon", at: Self.milliseconds(10)) == .appeared("a"))
    #expect(list.hear("b", name: "Other", at: Self.milliseconds(20)) == .appeared("b"))
    // A known accessory only gets a new time.
    #expect(list.hear("a", name: "Renamed", at: Self.milliseconds(30)) == nil)
    #expect(list.accessories.map(\.id) == ["a", "b"])
    let accessory = try #require(list["a"])
    #expect(accessory.name == "Beacon")
    #expect(accessory.status == .discovered)
    #expect(accessory.lastHeard == Self.milliseconds(30))
    #expect(accessory.location == LocationRecord())
    #expect(list["c"] == nil)
  }

  @Test func keepsAccessoriesForExactlyFiveSeconds() {
    var list = Self.list("a")
    #expect(list.removeExpired(at: Self.milliseconds(5000)) == [])
    // Rounded to whole milliseconds: 5000.499999 is 5000, 5000.5 is 5001.
    #expect(list.removeExpired(at: Timestamp(nanoseconds: 5_000_499_999)) == [])
    #expect(list.accessories.count == 1)
    #expect(list.removeExpired(at: Timestamp(nanoseconds: 5_000_500_000)) == [.disappeared("a")])
    #expect(list.accessories.isEmpty)
    // The removal is announced once.
    #expect(list.removeExpired(at: Self.milliseconds(9000)) == [])
  }

  @Test func timeoutIsExactForCurrentTimes() {
    let start: Int64 = 1_760_000_000_123
    var list = List()
    _ = list.hear("a", name: "a", at: Self.milliseconds(start))
    #expect(list.removeExpired(at: Self.milliseconds(start + 5000)) == [])
    #expect(list.removeExpired(at: Self.milliseconds(start + 5001)) == [.disappeared("a")])
  }

  @Test func roundsTimesToWholeMilliseconds() throws {
    var list = List()
    _ = list.hear("a", name: "a", at: Timestamp(nanoseconds: 1_500_000))
    #expect(try #require(list["a"]).lastHeard == Self.milliseconds(2))
    _ = list.hear("a", name: "a", at: Timestamp(nanoseconds: -1_499_999))
    #expect(try #require(list["a"]).lastHeard == Self.milliseconds(-1))
    _ = list.hear("a", name: "a", at: Timestamp(nanoseconds: -1_500_000))
    #expect(try #require(list["a"]).lastHeard == Self.milliseconds(-2))
    // The nearest whole millisecond is outside the range there.
    _ = list.hear("a", name: "a", at: Timestamp(nanoseconds: .max))
    #expect(list.removeExpired(at: Timestamp(nanoseconds: .min)) == [])
    _ = list.hear("a", name: "a", at: Timestamp(nanoseconds: .min))
    #expect(list.removeExpired(at: Timestamp(nanoseconds: .max)) == [.disappeared("a")])
  }

  @Test func regularChecksRemoveWithin200Milliseconds() throws {
    let seed: UInt64 = 91
    var generator = SeededGenerator(seed: seed)
    let step = Int64(List.checkInterval * 1000)
    for _ in 0..<100 {
      let heard = Int64(generator.uniform(in: 0...1000))
      var list = List()
      _ = list.hear("a", name: "a", at: Self.milliseconds(heard))
      var now: Int64 = 0
      while list.removeExpired(at: Self.milliseconds(now)).isEmpty { now += step }
      #expect(now - heard > 5000 && now - heard <= 5200, "seed \(seed)")
    }
  }

  @Test func removesAllExpiredAccessoriesTogether() {
    // By position over a copy, removing the second (index 1) and the third (index 2, by then the
    // fourth accessory) would leave c and remove d.
    var list = Self.list("a", "b", "c", "d")
    _ = list.hear("a", name: "a", at: Self.milliseconds(3000))
    _ = list.hear("d", name: "d", at: Self.milliseconds(3000))
    #expect(
      list.removeExpired(at: Self.milliseconds(5001)) == [.disappeared("b"), .disappeared("c")])
    #expect(list.accessories.map(\.id) == ["a", "d"])
  }

  @Test func connectedAndRangingAccessoriesNeverExpire() throws {
    var list = Self.list("connected", "ranging", "discovered")
    try list.connect("connected")
    try list.connect("ranging")
    try list.startRanging("ranging")
    #expect(list.removeExpired(at: Self.milliseconds(3_600_000)) == [.disappeared("discovered")])
    #expect(list.accessories.map(\.status) == [.connected, .ranging])
    // Nor after ranging has stopped.
    try list.stopRanging("ranging")
    #expect(list.removeExpired(at: Self.milliseconds(7_200_000)) == [])
  }

  @Test func disconnectingResetsTheTimeout() throws {
    var list = Self.list("a", "b")
    try list.connect("a")
    try list.startRanging("a")
    try list.connect("b")
    try list.disconnect("a", at: Self.milliseconds(60_000))
    #expect(try #require(list["a"]).status == .discovered)
    #expect(list.removeExpired(at: Self.milliseconds(65_000)) == [])
    #expect(list.removeExpired(at: Self.milliseconds(65_001)) == [.disappeared("a")])
    #expect(list.accessories.map(\.id) == ["b"])
  }

  @Test func removesNothingAfterAClockStepBack() {
    var list = List()
    _ = list.hear("a", name: "a", at: Self.milliseconds(100_000))
    #expect(list.removeExpired(at: Self.milliseconds(0)) == [])
    #expect(list.removeExpired(at: Self.milliseconds(105_000)) == [])
    #expect(list.removeExpired(at: Self.milliseconds(105_001)) == [.disappeared("a")])
  }

  @Test func rejectsInvalidStatusChanges() throws {
    var list = Self.list("a")
    #expect(throws: AccessoryListError.notListed) { try list.connect("b") }
    #expect(throws: AccessoryListError.wrongStatus(.discovered)) { try list.startRanging("a") }
    try list.connect("a")
    #expect(throws: AccessoryListError.wrongStatus(.connected)) { try list.connect("a") }
    #expect(throws: AccessoryListError.wrongStatus(.connected)) { try list.stopRanging("a") }
    try list.startRanging("a")
    #expect(throws: AccessoryListError.wrongStatus(.ranging)) { try list.connect("a") }
    #expect(throws: AccessoryListError.notListed) {
      try list.disconnect("b", at: Self.milliseconds(0))
    }
    #expect(try #require(list["a"]).status == .ranging)
  }

  @Test func updatesOnlyTheLocationOfOneAccessory() throws {
    var list = Self.list("a", "b")
    let change = try list.updateLocation(of: "b") {
      $0.update(
        distance: 3, direction: nil, horizontalAngle: nil, verticalEstimate: .unknown,
        converged: false)
    }
    #expect(change == .distance)
    #expect(try #require(list["b"]).location.distance == 3)
    #expect(try #require(list["a"]).location.distance == 0)
    #expect(throws: AccessoryListError.notListed) { try list.updateLocation(of: "c") { _ in } }
  }
}
