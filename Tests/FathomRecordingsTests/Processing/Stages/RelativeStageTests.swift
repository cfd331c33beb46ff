import Fathom
import Foundation
import TestSupport
import Testing

@testable import FathomRecordings

@Suite struct RelativeStageTests {
  private let stage = RelativeStage(angleSigma: 0.1)

  private func position(_ ranges: RangeColumns) -> RelativeStage.Relative? {
    stage.position(of: 0, in: ranges, distance: 5, sigma: 0.2)
  }

  /// Returns the columns of one row without direction.
  private var row: RangeColumns {
    var ranges = RangeColumns()
    ranges.time = [at(0)]
    ranges.tag = [0]
    ranges.anchor = [0]
    ranges.distance = [5]
    ranges.line = [2]
    return ranges
  }

  private func row(direction x: Double, _ y: Double, _ z: Double) -> RangeColumns {
    var ranges = row
    (ranges[.directionX], ranges[.directionY], ranges[.directionZ]) = ([x], [y], [z])
    return ranges
  }

  private func row(azimuth: Double, elevation: Double) -> RangeColumns {
    var ranges = row
    ranges[.azimuth] = [azimuth]
    ranges[.elevation] = [elevation]
    return ranges
  }

  private func row(horizontal angle: Double, vertical: UInt8?) -> RangeColumns {
    var ranges = row
    ranges[.horizontalAngle] = [angle]
    ranges[.verticalEstimate] = vertical.map { [Double($0)] }
    return ranges
  }

  private func expectClose(
    _ value: Vector<3>?, _ expected: [Double], sourceLocation: SourceLocation = #_sourceLocation
  ) {
    guard let value else {
      Issue.record("no position", sourceLocation: sourceLocation)
      return
    }
    for axis in 0..<3 {
      #expect(
        isClose(value[axis], expected[axis], within: 1e-12), "axis \(axis): \(value[axis])",
        sourceLocation: sourceLocation)
    }
  }

  @Test func vectorGivesThreeCoordinates() {
    // To the right and ahead, a 3-4-5 triangle; the length of the vector does not matter.
    expectClose(position(row(direction: 0.6, 0, -0.8))?.position, [3, 0, -4])
    expectClose(position(row(direction: 6, 0, -8))?.position, [3, 0, -4])
    expectClose(position(row(direction: 0, 1, 0))?.position, [0, 5, 0])
  }

  @Test func azimuthAndElevationGiveThreeCoordinates() {
    // Full-sphere: x = r cos e sin a, y = r sin e, z = -r cos e cos a.
    expectClose(position(row(azimuth: 0, elevation: 0))?.position, [0, 0, -5])
    expectClose(position(row(azimuth: .pi / 2, elevation: 0))?.position, [5, 0, 0])
    let (a, e) = (0.5, -0.3)
    expectClose(
      position(row(azimuth: a, elevation: e))?.position,
      [5 * cos(e) * sin(a), 5 * sin(e), -5 * cos(e) * cos(a)])
  }

  @Test func vectorTakesPrecedenceOverAngles() {
    var ranges = row(direction: 0.6, 0, -0.8)
    ranges[.azimuth] = [0]
    ranges[.elevation] = [0]
    expectClose(position(ranges)?.position, [3, 0, -4])
    (ranges[.directionX], ranges[.directionY], ranges[.directionZ]) = ([.nan], [.nan], [.nan])
    expectClose(position(ranges)?.position, [0, 0, -5])
  }

  @Test func singleAngleGivesNoPosition() {
    #expect(position(row(azimuth: 0.5, elevation: .nan)) == nil)
    #expect(position(row(azimuth: .nan, elevation: 0.5)) == nil)
    #expect(position(row) == nil)
  }

  /// A robot's axes are forward, left and up, and its azimuths are positive to the left.
  @Test func robotAzimuthIsPositiveToTheLeft() {
    let robot = RelativeStage(angleSigma: 0.1, frame: .robot)
    func position(_ ranges: RangeColumns) -> Vector<3>? {
      robot.position(of: 0, in: ranges, distance: 5, sigma: 0.2)?.position
    }
    // 30° to the left: 2.5 m to the left and 4.33 m ahead.
    let expected = [-2.5, 0, -5 * (0.75).squareRoot()]
    expectClose(position(row(azimuth: .pi / 6, elevation: 0)), expected)
    let vector = row(direction: (0.75).squareRoot(), 0.5, 0)
    expectClose(position(vector), expected)
    expectClose(position(row(direction: 0.6, 0, 0.8)), [0, 4, -3])
    expectClose(position(row(horizontal: .pi / 6, vertical: 1)), [-2.5, .nan, expected[2]])
    let angles = vector.reportedAngles(at: 0, in: .robot)
    #expect(isClose(angles.azimuth, .pi / 6, within: 1e-12) && angles.elevation == 0)
    #expect(row(azimuth: 0.5, elevation: 0.1).reportedAngles(at: 0, in: .robot) == (0.5, 0.1))
  }

  /// Only "same" (1) means that the distance is horizontal.
  @Test(arguments: [nil, 0, 1, 2, 3, 4] as [UInt8?])
  func horizontalAngleNeedsSameHeight(_ estimate: UInt8?) {
    let relative = position(row(horizontal: .pi / 6, vertical: estimate))
    guard estimate == 1 else {
      #expect(relative == nil)
      return
    }
    // Positive to the right, ahead is -z: (5 sin 30°, ?, -5 cos 30°).
    expectClose(relative?.position, [2.5, .nan, -5 * (0.75).squareRoot()])
    let covariance = relative?.covariance ?? .zero
    for axis in 0..<3 { #expect(covariance[1, axis].isNaN && covariance[axis, 1].isNaN) }
    // 0.04 sin² + 0.25 cos² and 0.04 cos² + 0.25 sin², covariance -(0.04 - 0.25) sin cos.
    #expect(isClose(covariance[0, 0], 0.04 * 0.25 + 0.25 * 0.75, within: 1e-12))
    #expect(isClose(covariance[2, 2], 0.04 * 0.75 + 0.25 * 0.25, within: 1e-12))
    #expect(
      isClose(covariance[0, 2], -(0.04 - 0.25) * 0.5 * (0.75).squareRoot(), within: 1e-12))
  }

  @Test func reportsRecordedAnglesOrThoseOfTheDirection() {
    func angles(_ ranges: RangeColumns) -> [Double] {
      let angles = ranges.reportedAngles(at: 0)
      return [angles.azimuth, angles.elevation]
    }
    func expect(_ ranges: RangeColumns, _ expected: [Double]) {
      for (value, expected) in zip(angles(ranges), expected) {
        #expect(isClose(value, expected, within: 1e-12))
      }
    }
    expect(row, [.nan, .nan])
    expect(row(azimuth: 0.5, elevation: .nan), [0.5, .nan])
    expect(row(direction: 0.6, 0, -0.8), [atan2(0.6, 0.8), 0])
    expect(row(direction: 0, 1, -1), [0, .pi / 4])
    expect(row(horizontal: -0.7, vertical: 2), [-0.7, .nan])
    var both = row(direction: 0.6, 0, -0.8)
    both[.azimuth] = [1]
    both[.elevation] = [.nan]
    expect(both, [1, .nan])
  }
}
