import Fathom

/// An entry into or exit from a zone around an anchor, with the index of the entry of the recording
/// that caused it.
typealias LinkZoneEvent = (ordinal: Int, event: RecordingSummary.ZoneEvent)

/// The processing steps for the ranges of one tag: its links and its positions.
protocol TagPipeline: Sendable {
  /// Processes the entries at `places` of `slice`, which are those of the tag, in order; returns
  /// the results of the ranges, in order.
  mutating func process(_ slice: RecordingSlice, at places: [Int32]) -> [RangeResult]

  /// The stage that computes positions; nil in a recording without anchors.
  var stage: TagStage? { get set }

  /// The names of the anchors, which grow in a stream without declared anchors.
  var anchorNames: [String] { get set }

  /// Returns the positions output since the last call, in order of time.
  mutating func removePositions() -> [PositionRow]

  /// Returns the decisions of `fix` that are final at `time`, all remaining ones without a time.
  mutating func removeDecisions(before time: Timestamp?) -> [DistanceColumns.Decision]

  /// Returns the zone events since the last call.
  mutating func removeZoneEvents() -> [LinkZoneEvent]

  /// Returns the places of accessories that a device with poses located; call once, at the end.
  mutating func accessories() -> [RecordingSummary.Accessory]

  /// Returns the summaries of the links, each with the index of its first entry; call once, at the
  /// end.
  mutating func links() -> [(ordinal: Int, link: RecordingSummary.Link)]
}

/// A pipeline that smooths distances with `Smoother`.
struct SmoothingTagPipeline<Smoother: DistanceSmoother>: TagPipeline {
  var stage: TagStage?
  /// Whether ``stage`` exists, which never changes.
  ///
  /// Comparing the stage with nil would copy it.
  private let isLocated: Bool
  private let tagName: String
  var anchorNames: [String]
  private let settings: ProcessingSettings
  private var table: LinkTable<Smoother>
  private var relativePositions: [PositionRow] = []
  private let relative: RelativeStage
  /// Locates accessories in the frame of the device's poses; nil without such poses, and for the method
  /// `fix`.
  private var located: AccessoryStage?
  private var zoneEvents: [LinkZoneEvent] = []

  /// Creates the pipeline of the tag at index `tag` of `outline`.
  init(
    tag: Int, of outline: RecordingOutline, _ settings: ProcessingSettings, stage: TagStage?,
    makeSmoother: @escaping @Sendable () -> Smoother
  ) {
    let name = outline.tagNames[tag]
    self.stage = stage
    isLocated = stage != nil
    tagName = name
    anchorNames = outline.anchorNames
    self.settings = settings
    table = LinkTable(makeSmoother: makeSmoother)
    relative = RelativeStage(
      angleSigma: settings.angleSigmaRad, frame: settings.deviceFrame ?? .phone)
    if !outline.accessoryPoses.isEmpty, settings.method != .fix {
      located = AccessoryStage(outline.accessoryPoses, settings)
    }
  }

  // The call through a protocol leads to generic code. These specialisations switch to code for
  // each smoother once per slice instead of at every step of every range.
  @specialized(where Smoother == ScalarKalmanSmoother)
  @specialized(where Smoother == ExponentialSmoother)
  @specialized(where Smoother == MovingMedian)
  @specialized(where Smoother == MedianAverageFilter)
  @specialized(where Smoother == HampelFilter)
  @specialized(where Smoother == AlphaBetaSmoother)
  @specialized(where Smoother == OneEuroFilter)
  mutating func process(_ slice: RecordingSlice, at places: [Int32]) -> [RangeResult] {
    var results = processLinks(slice, at: places)
    if isLocated { locate(slice, at: places, deciding: &results) }
    return results
  }

  /// Smooths, rates and counts the ranges of `slice` at `places`, and applies events to their
  /// links.
  ///
  /// Links do not depend on the position of the tag, so all ranges of a slice pass through them
  /// first. Processors execute the short loop out of order and keep its code in the cache.
  private mutating func processLinks(
    _ slice: RecordingSlice, at places: [Int32]
  ) -> [RangeResult] {
    var results: [RangeResult] = []
    results.reserveCapacity(places.count)
    let ranges = slice.ranges
    for place in places {
      let ordinal = slice.ordinal + Int(place)
      switch slice.entries[Int(place)] {
      case .range(let index):
        let anchor = Int(ranges.anchor[index])
        let link = table.update(
          anchor: anchor, distance: ranges.distance[index], at: ranges.time[index],
          ordinal: ordinal)
        if link.hasEvents { noteEvents(anchor: anchor, ordinal: ordinal) }
        if !isLocated { addRelative(index, of: ranges, link) }
        results.append(
          RangeResult(
            smoothed: link.smoothed, sigma: link.sigma, quality: link.quality, zone: link.zone,
            decision: .used))
      case .event(let index):
        table.apply(slice.events[index], ordinal: ordinal)
      }
    }
    return results
  }

  /// Locates the tag from the ranges of `slice` at `places`, and stores in `results` how each range
  /// was used.
  private mutating func locate(
    _ slice: RecordingSlice, at places: [Int32], deciding results: inout [RangeResult]
  ) {
    // Moving the stage out avoids unwrapping it for each range.
    guard var stage = self.stage else { return }
    self.stage = nil
    defer { self.stage = stage }
    stage.process(slice, at: places, deciding: &results)
  }

  @inline(never)
  private mutating func noteEvents(anchor: Int, ordinal: Int) {
    guard let events = table.lastEvents(of: anchor) else { return }
    for event in events {
      zoneEvents.append(
        (
          ordinal,
          RecordingSummary.ZoneEvent(
            timeS: event.time.seconds, tag: tagName, anchor: anchorNames[anchor],
            radiusM: event.zone.radius, kind: event.kind.rawValue)
        ))
    }
  }

  /// Computes the position of the accessory: in the frame of the device's poses, or relative to the
  /// device if the row determines one.
  private mutating func addRelative(
    _ index: Int, of ranges: RangeColumns, _ link: LinkStage<Smoother>.Result
  ) {
    if let row = located?.add(at: index, of: ranges) {
      relativePositions.append(row)
      return
    }
    var distance = ranges.distance[index]
    var sigma = ranges[.sigma]?[index] ?? .nan
    if settings.method != .fix, !link.sigma.isNaN {
      (distance, sigma) = (link.smoothed, link.sigma)
    }
    let found = relative.position(
      of: index, in: ranges, distance: distance,
      sigma: sigma.isNaN ? settings.rangeSigmaM : sigma)
    guard let found else { return }
    relativePositions.append(
      PositionRow(
        time: ranges.time[index], position: found.position, covariance: found.covariance,
        used: 1, rejected: 0, accessory: Int32(ranges.anchor[index]), status: .relative))
  }

  mutating func removePositions() -> [PositionRow] {
    stage?.removePositions() ?? relativePositions.removed()
  }

  mutating func removeDecisions(before time: Timestamp?) -> [DistanceColumns.Decision] {
    stage?.removeDecisions(before: time) ?? []
  }

  mutating func removeZoneEvents() -> [LinkZoneEvent] {
    defer { zoneEvents = [] }
    return zoneEvents
  }

  mutating func accessories() -> [RecordingSummary.Accessory] {
    let (tag, names) = (tagName, anchorNames)
    return located?.finished(tag: tag, names: names) ?? []
  }

  mutating func links() -> [(ordinal: Int, link: RecordingSummary.Link)] {
    table.links(tag: tagName, anchorNames: anchorNames)
  }
}

extension ProcessingSettings {
  /// Returns the pipeline of the tag at index `tag` of `outline`, with the requested smoother.
  func pipeline(tag: Int, of outline: RecordingOutline, stage: TagStage?) -> any TagPipeline {
    func pipeline<Smoother: DistanceSmoother>(
      _ makeSmoother: @escaping @Sendable () -> Smoother
    ) -> any TagPipeline {
      SmoothingTagPipeline(tag: tag, of: outline, self, stage: stage, makeSmoother: makeSmoother)
    }
    let sigma = rangeSigmaM
    let density = accelerationDensity
    return switch smoothing {
    case .kalmanVelocity:
      pipeline {
        ScalarKalmanSmoother(
          motion: .constantVelocity(accelerationDensity: density), rangeSigma: sigma)
      }
    case .kalmanPosition:
      // A rate density of 1 m/√s: a walking person moves about a metre within a second.
      pipeline {
        ScalarKalmanSmoother(motion: .constantPosition(rateDensity: 1), rangeSigma: sigma)
      }
    case .exponential: pipeline { ExponentialSmoother() }
    case .median: pipeline { MovingMedian() }
    case .medianAverage: pipeline { MedianAverageFilter() }
    case .hampel: pipeline { HampelFilter(rangeSigma: sigma) }
    case .alphaBeta:
      // With gains of exactly zero the smoother would never follow the ranges.
      pipeline {
        AlphaBetaSmoother(
          gains: .noise(rangeSigma: sigma, accelerationDensity: max(density, 1e-9)))
      }
    case .oneEuro: pipeline { OneEuroFilter() }
    }
  }
}
