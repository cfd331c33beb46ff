/// Ranges along a short piece of a path, joined into one.
struct RangeGroup: Sendable {
  /// The mean time, position and length of the path until there.
  var time: Timestamp
  var position: SIMD3<Double>
  var way: Double
  /// The mean distance, metres, and the variance of its white error, m².
  var distance: Double
  var whiteVariance: Double
  /// The factor on the time-correlated error of the link.
  var correlatedFactor: Double
  /// The mean of measured directions in the world frame; nil without any.
  var direction: SIMD3<Double>?
}

/// The ranges of one accessory along the path of a device, in bounded memory.
///
/// Successive ranges share their time-correlated errors, and those from one place tell the same. They
/// are joined over a quarter of a metre or a second. Of the groups, a fixed number is kept: those
/// that are far from each other, and whose place is well known.
struct RangeGroups: Sendable {
  /// The groups in order of time.
  private(set) var groups: [RangeGroup] = []
  private var open: [Sample] = []

  private struct Sample: Sendable {
    var time: Timestamp
    var position: SIMD3<Double>
    var way: Double
    var distance: Double
    var sigma: Double
    var direction: SIMD3<Double>?
  }

  /// Length of a group: over which a range changes by less than its error, metres.
  private static let length = 0.25
  /// Time of a group, seconds: the correlation time of errors.
  private static let time = 1.0
  /// Ranges of a group.
  private static let mostSamples = 16
  /// Groups that are kept: 10 m of path at full density.
  static let mostGroups = 40
  /// Standard deviations from the median of its group at which a range is an outlier.
  private static let outlier = 3.0

  /// Adds a range; returns whether it completed a group.
  mutating func add(
    _ distance: Double, sigma: Double, direction: SIMD3<Double>?, at pose: TimedPose, way: Double,
    _ configuration: AccessoryLocator.Configuration
  ) -> Bool {
    var isComplete = false
    if let first = open.first,
      open.count >= Self.mostSamples || way - first.way > Self.length
        || pose.time.seconds(since: first.time) > Self.time
    {
      complete(configuration)
      isComplete = true
    }
    open.append(
      Sample(
        time: pose.time, position: pose.position.simd, way: way, distance: distance, sigma: sigma,
        direction: direction))
    return isComplete
  }

  /// Completes the open group, if it has any range.
  mutating func complete(_ configuration: AccessoryLocator.Configuration) {
    guard let group = joined(configuration.errors) else { return }
    open.removeAll(keepingCapacity: true)
    groups.append(group)
    if groups.count > Self.mostGroups { thin(configuration) }
  }

  /// Removes all groups but the last `count`.
  mutating func keepLast(_ count: Int) {
    groups.removeFirst(max(0, groups.count - count))
  }

  private func joined(_ errors: RangeErrors) -> RangeGroup? {
    guard !open.isEmpty else { return nil }
    let median = open.map(\.distance).sorted()[open.count / 2]
    let limit = Self.length / 2
    let used = open.filter {
      ($0.distance - median).magnitude <= Self.outlier * $0.sigma + limit
    }
    guard let first = used.first else { return nil }
    let share = 1 / Double(used.count)
    var group = RangeGroup(
      time: first.time, position: .zero, way: 0, distance: 0, whiteVariance: 0,
      correlatedFactor: 0)
    var (elapsed, direction) = (0.0, SIMD3<Double>.zero)
    for sample in used {
      elapsed += share * sample.time.seconds(since: first.time)
      group.position += share * sample.position
      group.way += share * sample.way
      group.distance += share * sample.distance
      group.whiteVariance += share * share * errors.whiteVariance(of: sample.sigma)
      group.correlatedFactor += share * errors.linkErrorFactor(of: sample.sigma)
      if let own = sample.direction { direction += own }
    }
    group.time = first.time.advanced(bySeconds: elapsed)
    let length = (direction * direction).sum().squareRoot()
    if length > 0 { group.direction = direction / length }
    return group
  }

  /// Removes the group with the least information: one near another in space, or one at an uncertain
  /// place.
  private mutating func thin(_ configuration: AccessoryLocator.Configuration) {
    guard let last = groups.last else { return }
    let noise = configuration.poseErrors.distanceNoise
    var (least, lowest) = (0, Double.infinity)
    // The last ones are kept: they show whether the accessory has moved.
    for index in 0..<groups.count - AccessoryLocator.recentGroups {
      let own = groups[index]
      var nearest = Double.infinity
      for (other, group) in groups.enumerated() where other != index {
        let offset = group.position - own.position
        nearest = min(nearest, (offset * offset).sum())
      }
      let drift = noise * noise * (last.way - own.way)
      let value = nearest / (configuration.errors.sigma * configuration.errors.sigma + drift)
      if value < lowest { (least, lowest) = (index, value) }
    }
    groups.remove(at: least)
  }
}
