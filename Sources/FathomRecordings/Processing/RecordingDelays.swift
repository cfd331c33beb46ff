import Fathom

/// What a recording tells about the antenna delays of its devices.
public struct RecordedDelays: Sendable {
  /// The names of the devices: the anchors, and then the tags that are not anchors.
  public var names: [String]
  /// The number of anchors.
  public var anchorCount: Int
  /// The delays of the devices, in the order of ``names``.
  public var delays: AntennaDelays
  /// Where the true distances come from.
  public var source: Source

  /// Where true distances come from.
  public enum Source: String, Sendable, Encodable {
    /// True positions of the tags, or ranges between anchors.
    case truth
    /// Tracks of the tags, and the errors that their ranges have in common.
    case tracks
  }

  /// The bias of the ranges of the anchor at `index` with a tag of mean delay, in metres; nil if unknown.
  ///
  /// It is what `bias_m` in anchors.csv has.
  public func bias(ofAnchor index: Int) -> Double? {
    guard let own = delays.delays[index] else { return nil }
    let tags = delays.delays[anchorCount...].compactMap { $0?.metres }
    return own.metres + (tags.isEmpty ? 0 : tags.reduce(0, +) / Double(tags.count))
  }
}

extension Recording {
  /// Longest time between two true positions that are interpolated, in seconds.
  private static let longestGap = 1.0

  /// Finds the antenna delays of anchors and tags.
  ///
  /// Rows of a tag that has the name of an anchor are ranges between anchors, whose distance is known.
  /// With `truth`, so are those of the other tags. If there is neither, the errors that the calibration
  /// of the tracks finds take their place: see `TrackerCalibration`.
  ///
  /// - Parameters:
  ///   - truth: True positions of the tags; nil without.
  ///   - settings: Height, side and bounds of the tags, for tracks; missing ones are completed from the
  ///     recording.
  /// - Returns: The delays, and where the true distances come from; without pairs if nothing tells them.
  public func antennaDelays(
    truth: Truth?, with settings: ProcessingSettings = ProcessingSettings()
  ) -> RecordedDelays {
    let places = Dictionary(
      zip(anchorNames, anchorNames.indices), uniquingKeysWith: { first, _ in first })
    var names = anchorNames
    var devices: [Int] = []
    for tag in tagNames {
      if let own = places[tag] {
        devices.append(own)
      } else {
        devices.append(names.count)
        names.append(tag)
      }
    }
    var errors: [SIMD2<Int>: [Double]] = [:]
    for (tag, measured) in rangesByTag().enumerated() {
      let device = devices[tag]
      let isAnchor = device < anchors.count
      let track = isAnchor ? nil : truth?.track(of: tagNames[tag])
      for range in measured where anchors.indices.contains(range.anchor) {
        let place =
          isAnchor
          ? anchors[device].position
          : track?.position(at: range.time, longestGap: Self.longestGap)
        guard let place, device != range.anchor else { continue }
        let distance = (place - anchors[range.anchor].position).length
        errors[SIMD2(device, range.anchor), default: []].append(range.distance - distance)
      }
    }
    var pairs = errors.sorted { ($0.key.x, $0.key.y) < ($1.key.x, $1.key.y) }.compactMap {
      AntennaDelays.pair($0.key.x, $0.key.y, errors: $0.value)
    }
    let source: RecordedDelays.Source = pairs.isEmpty ? .tracks : .truth
    if pairs.isEmpty { pairs = trackedPairs(devices, with: settings) }
    return RecordedDelays(
      names: names, anchorCount: anchorNames.count,
      delays: AntennaDelays(
        pairs, count: names.count, references: Set(anchorNames.count..<names.count)),
      source: source)
  }

  /// The errors that the ranges of tags have in common according to their tracks; empty if they show none.
  private func trackedPairs(
    _ devices: [Int], with settings: ProcessingSettings
  ) -> [AntennaDelays.Pair] {
    var settings = settings
    settings.method = .smooth
    var pairs: [AntennaDelays.Pair] = []
    for tag in processed(with: settings).summary.calibration ?? [] {
      guard let place = tagNames.firstIndex(of: tag.tag), let bias = tag.biasM,
        let sigma = tag.biasSigmaM,
        tag.models?.contains(where: { $0.model == "bias" && $0.decision == "corrected" }) == true
      else { continue }
      for (index, anchor) in anchorNames.enumerated() {
        pairs.append(
          AntennaDelays.Pair(
            devices[place], index, error: bias + (tag.offsetsM?[anchor] ?? 0),
            sigma: max(1e-3, sigma)))
      }
    }
    return pairs
  }
}
