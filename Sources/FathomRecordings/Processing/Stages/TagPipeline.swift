import Fathom

/// A zone that a link has entered or left, with the entry of the recording at which it happened.
typealias LinkZoneEvent = (ordinal: Int, event: RecordingSummary.ZoneEvent)

/// All that the ranges of one tag go through: their links, and the positions of the tag.
protocol TagPipeline: Sendable {
  /// Takes in the entries at `places` of `slice`, those of the tag, in order.
  ///
  /// - Returns: What came of its ranges, in order.
  mutating func process(_ slice: RecordingSlice, at places: [Int32]) -> [RangeResult]

  /// Its positions; nil in a recording without anchors.
  var stage: TagStage? { get set }

  /// The positions written down since they were last asked for, in order of time.
  mutating func takePositions() -> [PositionRow]

  /// The zones entered and left since they were last asked for.
  mutating func takeZoneEvents() -> [LinkZoneEvent]

  /// The summaries of the links, each with the entry at which it was first seen; call once, at the end.
  mutating func links() -> [(ordinal: Int, link: RecordingSummary.Link)]
}

/// A pipeline whose distances are smoothed by `Smoother`.
struct SmoothingTagPipeline<Smoother: DistanceSmoother>: TagPipeline {
  var stage: TagStage?
  /// Whether ``stage`` is there, which never changes: to compare it with nil copies it.
  private let isLocated: Bool
  private let takesDirections: Bool
  private let tagName: String
  private let anchorNames: [String]
  private let settings: ProcessingSettings
  private var table: LinkTable<Smoother>
  private var relativePositions: [PositionRow] = []
  private let relative: RelativeStage
  private var zoneEvents: [LinkZoneEvent] = []

  /// The pipeline of the tag at place `tag` of `outline`.
  init(
    tag: Int, of outline: RecordingOutline, _ settings: ProcessingSettings, stage: TagStage?,
    makeSmoother: @escaping @Sendable () -> Smoother
  ) {
    let name = outline.tagNames[tag]
    self.stage = stage
    isLocated = stage != nil
    takesDirections = stage?.takesDirections ?? false
    tagName = name
    anchorNames = outline.anchorNames
    self.settings = settings
    table = LinkTable(anchorCount: outline.anchorNames.count, makeSmoother: makeSmoother)
    relative = RelativeStage(
      angleSigma: settings.angleSigmaRad, frame: settings.deviceFrame ?? .phone)
  }

  // Called through a protocol, which leaves no choice but the generic code; this is the way back to code
  // for each smoother, once per slice instead of at every step of every range.
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

  /// Smooths, judges and counts the ranges of `slice` at `places`, and applies events to their links.
  ///
  /// Links know nothing of the position of the tag, so that all ranges of a slice go through them first:
  /// processors work ahead in a loop that is short, and keep its code at hand.
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

  /// Locates the tag by the ranges of `slice` at `places`, and writes into `results`, one for each range,
  /// what became of it.
  private mutating func locate(
    _ slice: RecordingSlice, at places: [Int32], deciding results: inout [RangeResult]
  ) {
    // Mutated where it stands, it would have to be unwrapped for each range.
    guard var stage = self.stage else { return }
    self.stage = nil
    defer { self.stage = stage }
    stage.reserveCapacity(places.count)
    let curve = stage.rssiBiasCurve
    let ranges = slice.ranges
    var next = 0
    for place in places {
      switch slice.entries[Int(place)] {
      case .range(let index):
        let sigma = ranges.sigma?[index] ?? .nan
        let distance =
          curve?.corrected(ranges.measurement(at: index)).distance ?? ranges.distance[index]
        results[next].decision = stage.add(
          distance: distance, sigma: sigma.isNaN ? nil : sigma,
          anchor: Int(ranges.anchor[index]), at: ranges.time[index])
        next += 1
        if takesDirections { stage.addDirection(at: index, of: ranges) }
      case .event(let index):
        stage.apply(slice.events[index])
      }
    }
    stage.writeDown(before: slice.watermark)
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

  /// The position of the accessory relative to the device, where the row determines one.
  private mutating func addRelative(
    _ index: Int, of ranges: RangeColumns, _ link: LinkStage<Smoother>.Result
  ) {
    var distance = ranges.distance[index]
    var sigma = ranges.sigma?[index] ?? .nan
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

  mutating func takePositions() -> [PositionRow] {
    stage?.takePositions() ?? relativePositions.taken()
  }

  mutating func takeZoneEvents() -> [LinkZoneEvent] {
    defer { zoneEvents = [] }
    return zoneEvents
  }

  mutating func links() -> [(ordinal: Int, link: RecordingSummary.Link)] {
    table.links(tag: tagName, anchorNames: anchorNames)
  }
}

extension ProcessingSettings {
  /// The pipeline of the tag at place `tag` of `outline`, with the smoother that is asked for.
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
      // A walking person wanders about a metre within a second.
      pipeline {
        ScalarKalmanSmoother(motion: .constantPosition(rateDensity: 1), rangeSigma: sigma)
      }
    case .exponential: pipeline { ExponentialSmoother() }
    case .median: pipeline { MovingMedian() }
    case .medianAverage: pipeline { MedianAverageFilter() }
    case .hampel: pipeline { HampelFilter(rangeSigma: sigma) }
    case .alphaBeta:
      // Gains of exactly zero would never follow anything.
      pipeline {
        AlphaBetaSmoother(
          gains: .noise(rangeSigma: sigma, accelerationDensity: max(density, 1e-9)))
      }
    case .oneEuro: pipeline { OneEuroFilter() }
    }
  }
}
