import CFathom
import Fathom
import FathomRecordings

/// How a tracker used a range: the cases of `TrackUpdate.Outcome` without their payload.
enum RangeOutcome: String, CaseIterable {
  case used, discounted, starting, started, late, invalid, duplicate

  /// The index of an outcome among the cases.
  static func code(_ outcome: TrackUpdate.Outcome) -> Int32 {
    switch outcome {
    case .used: 0
    case .discounted: 1
    case .starting: 2
    case .started: 3
    case .late: 4
    case .invalid: 5
    case .duplicate: 6
    }
  }
}

/// See `fathom.h`.
@c @implementation
public func fathom_tracker_create(
  _ anchors: UnsafePointer<fathom_anchors>!, _ settings: UnsafePointer<CChar>!,
  _ tracker: UnsafeMutablePointer<OpaquePointer?>!
) -> Int32 {
  status {
    guard tracker != nil else { throw CallFailure.usage("tracker is NULL") }
    let declared = try DeclaredAnchors(anchors, isNamed: false)
    guard !declared.anchors.isEmpty else { throw CallFailure.data("there are no anchors") }
    var (settings, sensors) = try SettingsText.tracker(bytes(settings))
    if declared.isPlanar { settings.facts.complete(from: .inPlane) }
    var configuration = settings.tracker(height: settings.heightM)
    configuration.add(sensors)
    if let sigma = settings.headingSigmaRad { configuration.headingSigma = Angle(radians: sigma) }
    let made = try Tracker(anchors: declared.anchors, configuration: configuration)
    give(TrackerHandle(made, settings), to: tracker)
  }
}

/// Returns the tracker of a handle; nil for NULL.
@inline(__always)
private func tracker(_ handle: OpaquePointer?) -> TrackerHandle? {
  handle.map { Unmanaged<TrackerHandle>.fromOpaque(UnsafeRawPointer($0)).takeUnretainedValue() }
}

/// See `fathom.h`.
@c @implementation
public func fathom_tracker_update(
  _ tracker: OpaquePointer!, _ time_ns: Int64, _ anchor: Int32, _ distance_m: Double,
  _ sigma_m: Double, _ outcome: UnsafeMutablePointer<Int32>!
) -> Int32 {
  guard let handle = FathomC.tracker(tracker) else {
    return status { throw CallFailure.usage("the handle is NULL") }
  }
  let result = handle.tracker.process(
    distance: distance_m, sigma: sigma_m.isNaN ? nil : sigma_m, anchor: Int(anchor),
    at: Timestamp(nanoseconds: time_ns))
  outcome?.pointee = RangeOutcome.code(result)
  return Int32(FATHOM_OK)
}

/// See `fathom.h`.
@c @implementation
public func fathom_tracker_estimate(
  _ tracker: OpaquePointer!, _ time_ns: Int64, _ estimate: UnsafeMutablePointer<fathom_estimate>!
) -> Int32 {
  guard let handle = FathomC.tracker(tracker), let estimate else {
    return status { throw CallFailure.usage("the handle or the place for the estimate is NULL") }
  }
  guard let found = handle.estimate(at: Timestamp(nanoseconds: time_ns)) else { return -1 }
  estimate.pointee = fathom_estimate(found)
  return Int32(FATHOM_OK)
}

extension TrackerHandle {
  /// Returns the estimate at `time`; nil before the start and before the last range.
  fileprivate func estimate(at time: Timestamp) -> TrackEstimate? {
    guard tracker.hasStarted, time >= tracker.time else { return nil }
    return tracker.estimateInPlace(at: time)
  }
}

extension fathom_estimate {
  /// An estimate of which nothing is known.
  fileprivate static func none(at time: Int64) -> fathom_estimate {
    var none = fathom_estimate()
    none.time_ns = time
    none.position_m = (.nan, .nan, .nan)
    none.velocity_mps = (.nan, .nan, .nan)
    none.covariance_m2 = (.nan, .nan, .nan, .nan, .nan, .nan)
    none.alternative_m = (.nan, .nan, .nan)
    none.status = -1
    return none
  }

  fileprivate init(_ found: TrackEstimate) {
    self.init()
    time_ns = found.time.nanoseconds
    position_m = (found.position[0], found.position[1], found.position[2])
    velocity_mps = (found.velocity[0], found.velocity[1], found.velocity[2])
    let covariance = found.covariance
    covariance_m2 = (
      covariance[0, 0], covariance[0, 1], covariance[0, 2], covariance[1, 1], covariance[1, 2],
      covariance[2, 2]
    )
    if let other = found.alternative {
      alternative_m = (other[0], other[1], other[2])
    } else {
      alternative_m = (.nan, .nan, .nan)
    }
    status =
      switch found.status {
      case .tracking: 0
      case .ambiguous: 1
      case .coasting: 2
      }
  }
}

/// See `fathom.h`.
@c @implementation
public func fathom_tracker_update_many(
  _ tracker: OpaquePointer!, _ count: Int64, _ time_ns: UnsafePointer<Int64>!,
  _ anchor: UnsafePointer<Int32>!, _ distance_m: UnsafePointer<Double>!,
  _ sigma_m: UnsafePointer<Double>!, _ outcome: UnsafeMutablePointer<Int32>!,
  _ estimates: UnsafeMutablePointer<fathom_estimate>!
) -> Int32 {
  status {
    let handle = try object(TrackerHandle.self, tracker)
    let count = try FathomC.count(count)
    let times = try column(time_ns, count, "time_ns")
    let anchors = try column(anchor, count, "anchor")
    let distances = try column(distance_m, count, "distance_m")
    let sigmas = optional(sigma_m, count)
    for row in 0..<count {
      let sigma = sigmas?[row] ?? .nan
      let time = Timestamp(nanoseconds: times[row])
      let result = handle.tracker.process(
        distance: distances[row], sigma: sigma.isNaN ? nil : sigma, anchor: Int(anchors[row]),
        at: time)
      outcome?[row] = RangeOutcome.code(result)
      guard let estimates else { continue }
      let found = handle.estimate(at: time)
      (estimates + row).initialize(
        to: found.map { fathom_estimate($0) } ?? .none(at: times[row]))
    }
  }
}

/// See `fathom.h`.
@c @implementation
public func fathom_tracker_measure(
  _ tracker: OpaquePointer!, _ count: Int64, _ measurements: UnsafePointer<fathom_measurement>!,
  _ outcome: UnsafeMutablePointer<Int32>!
) -> Int32 {
  status {
    let handle = try object(TrackerHandle.self, tracker)
    let rows = try column(measurements, try FathomC.count(count), "measurements")
    for (index, row) in rows.enumerated() {
      guard let measurement = handle.measurement(row) else {
        throw CallFailure.usage("measurements[\(index)]: kind \(row.kind) is unknown")
      }
      outcome?[index] = RangeOutcome.code(handle.tracker.update(measurement).outcome)
    }
  }
}

extension TrackerHandle {
  /// Returns a measurement; nil if its kind is unknown.
  fileprivate func measurement(_ row: fathom_measurement) -> TimedMeasurement? {
    let time = Timestamp(nanoseconds: row.time_ns)
    let sigma = row.sigma.isNaN ? nil : row.sigma
    let (anchor, other) = (Int(row.anchor), Int(row.other_anchor))
    let (a, b, c, d, e, f) = row.values
    switch MeasurementKind(rawValue: row.kind) {
    case .range:
      return .range(
        RangeMeasurement(time: time, anchor: anchor, distance: a, sigma: sigma))
    case .difference:
      return .difference(
        TimedDifference(time: time, first: anchor, second: other, difference: a))
    case .direction:
      // With an invalid attitude the axes are not finite, and the direction is not used.
      let axes =
        Attitude(w: c, x: d, y: e, z: f).map(frame.rightUpBack) ?? Matrix(repeating: .nan)
      return .direction(
        DirectionMeasurement(
          time: time, anchor: anchor,
          azimuth: a.isNaN ? nil : Angle(radians: frame.azimuthToTheRight(a)),
          elevation: b.isNaN ? nil : Angle(radians: b), attitude: axes,
          sigma: sigma.map { Angle(radians: $0) } ?? angleSigma))
    case .height:
      return .height(HeightMeasurement(time: time, height: a, sigma: sigma))
    case .odometry:
      return .odometry(
        OdometryIncrement(
          begin: Timestamp(nanoseconds: row.begin_ns), end: time, forward: a, left: b,
          turn: Angle(radians: c)))
    case .inertial:
      return .inertial(
        InertialMeasurement(
          time: time, acceleration: Vector([a, b, c]), rotation: Vector([d, e, f])))
    case .interruption: return .interruption(time)
    case nil: return nil
    }
  }
}

/// The kinds of `fathom_measurement`.
private enum MeasurementKind: Int32 {
  case range, difference, direction, height, odometry, inertial, interruption
}

/// See `fathom.h`.
@c @implementation
public func fathom_tracker_reset(_ tracker: OpaquePointer!) -> Int32 {
  status { try object(TrackerHandle.self, tracker).tracker.reset() }
}

/// See `fathom.h`.
@c @implementation
public func fathom_tracker_free(_ tracker: OpaquePointer!) {
  release(TrackerHandle.self, tracker)
}
