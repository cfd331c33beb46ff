import TestSupport
import Testing

@testable import Fathom

@Suite struct LocationRecordTests {
  static let ahead: SIMD3<Float> = [0, 0, -1]

  /// A record after a measured direction to the right at 2 m.
  static func measured() -> LocationRecord {
    var record = LocationRecord()
    record.update(
      distance: 2, direction: [1, 0, 0], horizontalAngle: nil, verticalEstimate: .unknown,
      converged: false)
    return record
  }

  @Test func startsEmpty() {
    let record = LocationRecord()
    #expect(record.distance == 0)
    #expect(record.vector == .zero)
    #expect(record.elevation == .unknown)
    #expect(!record.hasNoUpdate)
    #expect(!record.isDirectionCurrent)
    #expect(record.origin == nil)
    #expect(record.direction == nil)
  }

  @Test(
    arguments: [
      nil, .nan, .infinity, -.infinity, -1, Float.greatestFiniteMagnitude,
    ] as [Float?])
  func ignoresUpdatesWithoutDistance(_ distance: Float?) {
    var record = Self.measured()
    // With the flag set and cleared.
    for _ in 0..<2 {
      let before = record
      let change = record.update(
        distance: distance, direction: Self.ahead, horizontalAngle: 1, verticalEstimate: .above,
        converged: true)
      #expect(change == .none)
      #expect(record == before)
      record.update(
        distance: 3, direction: nil, horizontalAngle: nil, verticalEstimate: .unknown,
        converged: false)
      #expect(record.hasNoUpdate)
    }
  }

  @Test func storesTheDirectionAndKeepsTheElevation() {
    var record = LocationRecord()
    record.update(
      distance: 1, direction: nil, horizontalAngle: 0.5, verticalEstimate: .above, converged: true)
    #expect(record.elevation == .above)
    // Converged and with an angle: the vector takes precedence.
    let change = record.update(
      distance: 4, direction: Self.ahead, horizontalAngle: 0.5, verticalEstimate: .below,
      converged: true)
    #expect(change == .distanceAndDirection)
    #expect(record.distance == 4)
    #expect(record.vector == Self.ahead)
    #expect(record.origin == .measured)
    #expect(record.elevation == .above)
    #expect(!record.hasNoUpdate && record.isDirectionCurrent)
  }

  @Test func usesTheHorizontalAngleAfterConvergence() throws {
    var record = Self.measured()
    let change = record.update(
      distance: 5, direction: nil, horizontalAngle: 0.25, verticalEstimate: .below,
      converged: true)
    #expect(change == .distanceAndDirection)
    #expect(record.vector == NearbyInteraction.direction(fromHorizontalAngle: 0.25))
    #expect(record.origin == .horizontalAngle)
    #expect(record.elevation == .below)
    #expect(!record.hasNoUpdate && record.isDirectionCurrent)
    let direction = try #require(record.direction)
    #expect(isClose(direction.azimuth.radians, 0.25, within: 1e-7))
    #expect(direction.elevation == nil)
  }

  @Test(arguments: [nil, .nan, .infinity, Float.greatestFiniteMagnitude] as [Float?])
  func keepsTheFlagWithoutAnAngleAfterConvergence(_ angle: Float?) {
    for startsWithFlag in [false, true] {
      var record = Self.measured()
      if startsWithFlag {
        record.update(
          distance: 3, direction: nil, horizontalAngle: nil, verticalEstimate: .unknown,
          converged: false)
      }
      let change = record.update(
        distance: 6, direction: nil, horizontalAngle: angle, verticalEstimate: .above,
        converged: true)
      #expect(change == .distance)
      #expect(record.distance == 6)
      #expect(record.vector == [1, 0, 0])
      #expect(record.origin == .measured)
      #expect(record.elevation == .unknown)
      #expect(record.hasNoUpdate == startsWithFlag)
      // The flag does not show this.
      #expect(!record.isDirectionCurrent)
    }
  }

  @Test func updatesOnlyTheDistanceBeforeConvergence() throws {
    var record = Self.measured()
    let change = record.update(
      distance: 7, direction: nil, horizontalAngle: 0.5, verticalEstimate: .above,
      converged: false)
    #expect(change == .distance)
    #expect(record.distance == 7)
    #expect(record.vector == [1, 0, 0])
    #expect(record.elevation == .unknown)
    #expect(record.hasNoUpdate)
    #expect(!record.isDirectionCurrent)
    #expect(try #require(record.direction).azimuth.radians == .pi / 2)
    // The next direction clears the flag.
    record.update(
      distance: 7, direction: Self.ahead, horizontalAngle: nil, verticalEstimate: .unknown,
      converged: false)
    #expect(!record.hasNoUpdate && record.isDirectionCurrent)
  }

  @Test func keepsTheOriginOfAnEarlierDirection() throws {
    var record = LocationRecord()
    record.update(
      distance: 1, direction: nil, horizontalAngle: 0, verticalEstimate: .same, converged: true)
    record.update(
      distance: 2, direction: nil, horizontalAngle: nil, verticalEstimate: .unknown,
      converged: false)
    #expect(record.hasNoUpdate)
    // (0, 0, 1) from a horizontal angle is ahead, not behind.
    #expect(record.vector == [0, 0, 1])
    #expect(try #require(record.direction).azimuth == .zero)
    #expect(record.elevation == .same)
  }

  @Test(
    arguments: [
      [0, 0, 0], [.nan, 0, 0], [0, .infinity, 0], [0, 0, .greatestFiniteMagnitude],
    ] as [SIMD3<Float>])
  func treatsPlaceholderDirectionsAsAbsent(_ vector: SIMD3<Float>) {
    var record = Self.measured()
    let change = record.update(
      distance: 0, direction: vector, horizontalAngle: nil, verticalEstimate: .unknown,
      converged: false)
    #expect(change == .distance)
    #expect(record.distance == 0)
    #expect(record.vector == [1, 0, 0])
    #expect(record.hasNoUpdate)
  }
}
