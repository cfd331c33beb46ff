import Fathom

extension Recording {
  /// Turns the recording into results.
  ///
  /// In order of time, whatever the order of the file: every range goes through its link (smoothing,
  /// quality, zones), then into the positions of its tag. With anchors the positions are fixes or a
  /// track; without anchors they are those of the accessories relative to the device, where
  /// rows have a direction. Deterministic: the same recording and settings give the same results to
  /// the bit.
  public func processed(with settings: ProcessingSettings = ProcessingSettings())
    -> ProcessedRecording
  {
    var settings = settings
    settings.heightM = settings.heightM ?? height
    let sigma = settings.rangeSigmaM
    let density = settings.accelerationDensity
    return switch settings.smoothing {
    case .kalmanVelocity:
      processed(settings) {
        ScalarKalmanSmoother(
          motion: .constantVelocity(accelerationDensity: density), rangeSigma: sigma)
      }
    case .kalmanPosition:
      // A walking person wanders about a metre within a second.
      processed(settings) {
        ScalarKalmanSmoother(motion: .constantPosition(rateDensity: 1), rangeSigma: sigma)
      }
    case .exponential: processed(settings) { ExponentialSmoother() }
    case .median: processed(settings) { MovingMedian() }
    case .medianAverage: processed(settings) { MedianAverageFilter() }
    case .hampel: processed(settings) { HampelFilter(rangeSigma: sigma) }
    case .alphaBeta:
      // Gains of exactly zero would never follow anything.
      processed(settings) {
        AlphaBetaSmoother(
          gains: .noise(rangeSigma: sigma, accelerationDensity: max(density, 1e-9)))
      }
    case .oneEuro: processed(settings) { OneEuroFilter() }
    }
  }

  private func processed<Smoother: DistanceSmoother>(
    _ settings: ProcessingSettings, smoother: @escaping () -> Smoother
  ) -> ProcessedRecording {
    let timeline = Timeline(self)
    var run = ProcessingRun(self, settings, timeline: timeline, smoother: smoother)
    for entry in timeline.entries {
      switch entry {
      case .range(let index): run.add(range: index)
      case .event(let index): run.add(event: events[index])
      }
    }
    return run.finished(timeline: timeline)
  }
}

/// One pass over a recording in order of time.
private struct ProcessingRun<Smoother: DistanceSmoother> {
  private let recording: Recording
  private var settings: ProcessingSettings
  private var links: LinkTable<Smoother>
  private var tags: TagStages
  private let relative: RelativeStage
  private var distances = DistanceColumns()
  private var relativePositions = PositionColumns()
  private var zoneEvents: [RecordingSummary.ZoneEvent] = []
  private var decisions: [DistanceColumns.Decision]
  /// The row of ``distances`` of each range of the recording.
  private var rows: [Int]

  init(
    _ recording: Recording, _ settings: ProcessingSettings, timeline: Timeline,
    smoother: @escaping () -> Smoother
  ) {
    self.recording = recording
    self.settings = settings
    if settings.method == .fix, settings.epochWindowS == nil {
      self.settings.epochWindowS = EpochWindow.seconds(
        for: recording, timeline: timeline, isOnGrid: settings.rateHz != nil)
    }
    links = LinkTable(
      tagCount: recording.tagNames.count, anchorCount: recording.anchorNames.count,
      makeSmoother: smoother)
    tags = TagStages(recording, self.settings)
    relative = RelativeStage(angleSigma: settings.angleSigmaRad)
    decisions = Array(repeating: .used, count: recording.ranges.count)
    rows = Array(repeating: 0, count: recording.ranges.count)
  }

  mutating func add(range index: Int) {
    let ranges = recording.ranges
    let time = ranges.time[index]
    let tag = Int(ranges.tag[index])
    let anchor = Int(ranges.anchor[index])
    let distance = ranges.distance[index]
    let result = links.update(tag: tag, anchor: anchor, distance: distance, at: time)
    for event in result.events {
      zoneEvents.append(
        RecordingSummary.ZoneEvent(
          timeS: event.time.seconds, tag: recording.tagNames[tag],
          anchor: recording.anchorNames[anchor], radiusM: event.zone.radius,
          kind: event.kind.rawValue))
    }

    let angles = ranges.reportedAngles(at: index)
    rows[index] = distances.time.count
    distances.time.append(time)
    distances.tag.append(recording.tagNames[tag])
    distances.anchor.append(recording.anchorNames[anchor])
    distances.distance.append(distance)
    distances.smoothed.append(result.smoothed?.distance ?? .nan)
    distances.sigma.append(result.smoothed?.sigma ?? .nan)
    distances.quality.append(result.quality)
    distances.zone.append(result.zone)
    distances.azimuth.append(angles.azimuth)
    distances.elevation.append(angles.elevation)

    if recording.anchors.isEmpty {
      addRelative(index, smoothed: result.smoothed)
    } else {
      let sigma = ranges.sigma?[index] ?? .nan
      decisions[index] = tags.add(
        tag: tag, distance: distance, sigma: sigma.isNaN ? nil : sigma, anchor: anchor, at: time,
        index: index)
    }
  }

  /// The position of the accessory relative to the device, where the row determines one.
  private mutating func addRelative(_ index: Int, smoothed: SmoothedDistance?) {
    let ranges = recording.ranges
    var distance = ranges.distance[index]
    var sigma = ranges.sigma?[index] ?? .nan
    if settings.method != .fix, let smoothed, let own = smoothed.sigma {
      (distance, sigma) = (smoothed.distance, own)
    }
    let found = relative.position(
      of: index, in: ranges, distance: distance,
      sigma: sigma.isNaN ? settings.rangeSigmaM : sigma)
    guard let found else { return }
    relativePositions.append(
      ranges.time[index], relativeName(index), found.position, found.covariance, used: 1,
      rejected: 0, status: .relative)
  }

  /// The accessory's name, with the device's before it where there are several devices.
  private func relativeName(_ index: Int) -> String {
    let accessory = recording.anchorNames[Int(recording.ranges.anchor[index])]
    guard recording.tagNames.count > 1 else { return accessory }
    return "\(recording.tagNames[Int(recording.ranges.tag[index])]):\(accessory)"
  }

  mutating func add(event: RecordedEvent) {
    links.apply(event)
    tags.apply(event)
  }

  mutating func finished(timeline: Timeline) -> ProcessedRecording {
    var positions = relativePositions
    if !recording.anchors.isEmpty {
      positions = tags.finished()
      for index in decisions.indices where tags.isUnused(index) {
        decisions[index] = .unused
      }
      for (index, decision) in tags.smoothedDecisions { decisions[index] = decision }
    }
    distances.decision = [DistanceColumns.Decision](repeating: .used, count: decisions.count)
    for (index, row) in rows.enumerated() { distances.decision[row] = decisions[index] }
    var summary = RecordingSummary(recording, settings, timeline: timeline)
    summary.links = links.links(of: recording)
    summary.decisions = counts(of: decisions.map(\.rawValue))
    summary.positions = counts(of: positions.status.map(\.rawValue))
    summary.zoneEvents = zoneEvents
    if !recording.anchors.isEmpty { tags.describe(in: &summary) }
    summary.warn(about: recording, positions: positions, timeline: timeline)
    return ProcessedRecording(
      name: recording.name, distances: distances, positions: positions,
      rejected: recording.rejected, summary: summary)
  }
}

/// How often each name occurs.
private func counts(of names: [String]) -> [String: Int] {
  names.reduce(into: [:]) { $0[$1, default: 0] += 1 }
}
