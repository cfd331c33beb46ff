import Fathom

/// Locates the accessories of a device with poses, each by a locator of its own.
struct AccessoryStage: Sendable {
  private let poses: [TimedPose]
  private let frame: DeviceFrame
  private let configuration: AccessoryLocator.Configuration
  /// What is subtracted from every range, metres.
  private let bias: Double
  private var links: [Int: Link] = [:]

  private struct Link: Sendable {
    var locator: AccessoryLocator
    /// The next pose, by index.
    var next = 0
    var estimate: AccessoryEstimate?
  }

  /// Creates the stage of a device with `poses`, in order of time.
  init(_ poses: [TimedPose], _ settings: ProcessingSettings) {
    self.poses = poses
    frame = settings.deviceFrame ?? .phone
    var configuration = AccessoryLocator.Configuration()
    if settings.rangeSigmaIsGiven == true { configuration.errors.sigma = settings.rangeSigmaM }
    if settings.rangeBiasM != nil { configuration.errors.biasSigma = 0 }
    configuration.directionSigma = settings.angleSigmaRad
    self.configuration = configuration
    bias = settings.rangeBiasM ?? 0
  }

  /// Processes the range in row `index` of `ranges`, and returns the position of the accessory then.
  mutating func add(at index: Int, of ranges: RangeColumns) -> PositionRow {
    let anchor = Int(ranges.anchor[index])
    let time = ranges.time[index]
    var link =
      links.removeValue(forKey: anchor)
      ?? Link(locator: AccessoryLocator(validated: configuration))
    // The first pose after the range, too, between which and the last one it lies.
    while link.next < poses.count, link.next == 0 || poses[link.next - 1].time < time {
      link.locator.update(poses[link.next])
      link.next += 1
    }
    let sigma = ranges[.sigma]?[index] ?? .nan
    let isUsed = link.locator.update(
      range: ranges.distance[index] - bias, sigma: sigma.isNaN ? nil : sigma,
      direction: ranges.deviceDirection(at: index, in: frame), at: time)
    link.estimate = link.locator.estimate
    defer { links[anchor] = link }
    var row =
      link.estimate.map { estimate in
        PositionRow(
          time: time, position: estimate.position, covariance: estimate.covariance, used: 0,
          rejected: 0, alternative: estimate.alternative,
          status: estimate.alternatives.isEmpty ? .tracking : .ambiguous)
      } ?? .starting(at: time, used: 0, rejected: 0)
    (row.used, row.rejected) = isUsed ? (1, 0) : (0, 1)
    row.accessory = Int32(anchor)
    return row
  }

  /// Returns the places of the accessories at the end, each counting all of its ranges.
  mutating func finished(tag: String, names: [String]) -> [RecordingSummary.Accessory] {
    links.keys.sorted().compactMap { anchor in
      guard var link = links[anchor], names.indices.contains(anchor) else { return nil }
      link.locator.finish()
      links[anchor] = link
      return RecordingSummary.Accessory(tag: tag, accessory: names[anchor], link.locator)
    }
  }
}
