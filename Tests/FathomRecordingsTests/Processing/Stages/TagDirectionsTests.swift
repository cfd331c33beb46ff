import Fathom
import TestSupport
import Testing

@testable import FathomRecordings

@Suite struct TagDirectionsTests {
  private let anchors = roomAnchors.map(\.anchor)
  /// A robot with a heading of 50° and its nose 10° down: a rotation about the vertical, then one
  /// about its own y axis.
  private let attitude = Attitude(w: 0.902859, x: -0.036834, y: 0.078990, z: 0.421010)

  /// Returns ranges and directions from ``roomTag`` to the first anchors, at 0 s.
  private func ranges(
    _ count: Int, in frame: DeviceFrame, asVectors: Bool = false
  ) throws -> RangeColumns {
    var ranges = RangeColumns()
    (ranges[.azimuth], ranges[.elevation]) = ([], [])
    if asVectors {
      (ranges[.directionX], ranges[.directionY], ranges[.directionZ]) = ([], [], [])
    }
    let axes = try #require(attitude).axes
    for anchor in 0..<count {
      let offset = axes.transposed() * (anchors[anchor].position - roomTag)
      let horizontal: (Double, Double) =
        frame == .robot ? (offset[1], offset[0]) : (offset[0], -offset[2])
      let up = frame == .robot ? offset[2] : offset[1]
      let level = (offset.dot(offset) - up * up).squareRoot()
      ranges.time.append(at(0))
      ranges.tag.append(0)
      ranges.anchor.append(Int32(anchor))
      ranges.distance.append(offset.length)
      ranges.line.append(anchor + 2)
      ranges[.azimuth]?.append(
        asVectors ? .nan : .atan2(y: horizontal.0, x: horizontal.1))
      ranges[.elevation]?.append(asVectors ? .nan : .atan2(y: up, x: level))
      let unit = (1 / offset.length) * offset
      ranges[.directionX]?.append(unit[0])
      ranges[.directionY]?.append(unit[1])
      ranges[.directionZ]?.append(unit[2])
    }
    return ranges
  }

  private func stage(_ frame: DeviceFrame, headingSigma: Double? = nil) throws -> FixStage {
    var settings = ProcessingSettings()
    settings.deviceFrame = frame
    settings.headingSigmaRad = headingSigma
    let attitudes = AttitudeTrack(times: [at(0)], attitudes: [try #require(attitude)])
    return FixStage(anchors: anchors, height: nil, window: 1, sigma: 0.1)
      .withDirections(attitudes, settings)
  }

  private func solved(_ stage: FixStage, _ ranges: RangeColumns) -> FixStage {
    var stage = stage
    for index in 0..<ranges.count {
      let anchor = Int(ranges.anchor[index])
      stage.add(
        distance: ranges.distance[index], sigma: nil, anchor: anchor, at: ranges.time[index])
      stage.addDirection(at: index, of: ranges)
    }
    stage.emit(at: at(0))
    return stage
  }

  /// One anchor is enough, in both frames, with angles or vectors.
  @Test(arguments: [DeviceFrame.phone, .robot], [false, true])
  func directionAndRangeDeterminePosition(_ frame: DeviceFrame, _ asVectors: Bool) throws {
    let stage = solved(try stage(frame), try ranges(1, in: frame, asVectors: asVectors))
    #expect(stage.positions.map(\.status) == [.fix])
    #expect((try #require(stage.positions.first).position - roomTag).length < 1e-5)
    #expect(stage.positions.map(\.used) == [1] && stage.decisions == [.used])
    #expect(stage.directions?.found == 1 && stage.directions?.missing == 0)
  }

  @Test func usesOnlyRangesWithoutAttitude() throws {
    var ranges = try ranges(4, in: .robot)
    ranges.time = ranges.time.map { _ in at(5) }
    var stage = try stage(.robot)
    for index in 0..<ranges.count {
      stage.add(
        distance: ranges.distance[index], sigma: nil, anchor: index, at: ranges.time[index])
      stage.addDirection(at: index, of: ranges)
    }
    stage.emit(at: at(5))
    #expect(stage.directions?.found == 0 && stage.directions?.missing == 4)
    #expect((try #require(stage.positions.first).position - roomTag).length < 1e-9)
  }

  /// A grossly wrong direction affects neither its range nor the position.
  @Test func discountsWrongDirection() throws {
    var ranges = try ranges(4, in: .robot)
    ranges[.azimuth]?[1] += 2
    let stage = solved(try stage(.robot), ranges)
    #expect((try #require(stage.positions.first).position - roomTag).length < 0.05)
    #expect(stage.positions.map(\.used) == [4] && stage.positions.map(\.status) == [.fix])
  }

  /// A range that is 4 m too long is unused, although it has a direction.
  @Test func discountsWrongRange() throws {
    var ranges = try ranges(4, in: .robot)
    ranges.distance[2] += 4
    let stage = solved(try stage(.robot), ranges)
    #expect((try #require(stage.positions.first).position - roomTag).length < 0.1)
    #expect(stage.decisions == [.used, .used, .unused, .used])
    #expect(stage.positions.map(\.rejected) == [1])
  }

  /// An unknown heading is estimated together with the position.
  @Test func estimatesUnknownHeading() throws {
    var settings = ProcessingSettings()
    settings.deviceFrame = .robot
    settings.headingSigmaRad = .pi
    // The attitude of a device with another heading origin.
    let own = try #require(attitude)
    let offset = Attitude(heading: Angle(degrees: 131))
    let product = try #require(
      Attitude(
        w: offset.w * own.w - offset.z * own.z, x: offset.w * own.x - offset.z * own.y,
        y: offset.w * own.y + offset.z * own.x, z: offset.w * own.z + offset.z * own.w))
    let blind = FixStage(anchors: anchors, height: nil, window: 1, sigma: 0.1)
      .withDirections(AttitudeTrack(times: [at(0)], attitudes: [product]), settings)
    let stage = solved(blind, try ranges(3, in: .robot))
    #expect((try #require(stage.positions.first).position - roomTag).length < 0.02)
  }
}
