/// Epochs of time differences, and those of a whole list of measurements.
extension EpochLocator {
  /// Solves the epochs of a list of measurements: one at every instant with a range, or with a time
  /// difference if the list has no range.
  ///
  /// Epochs use the nearest height, whether it was measured before or after them.
  ///
  /// - Parameters:
  ///   - measurements: The measurements of one tag, in order of time (``TimedMeasurement/precedes(_:_:)``).
  ///   - body: Receives each epoch, in order of time.
  public mutating func forEachEpoch(
    of measurements: [TimedMeasurement], _ body: (EpochFix) -> Void
  ) {
    var differences: [TimedDifference] = []
    var hasRanges = false
    for measurement in measurements {
      switch measurement {
      case .height: update(measurement)
      case .range: hasRanges = true
      case .difference(let difference): differences.append(difference)
      case .direction, .odometry, .inertial, .interruption: break
      }
    }
    differenceWindow = configuration.differenceWindow(for: differences)
    var instant: Timestamp?
    for measurement in measurements {
      switch measurement {
      case .range, .direction: break
      case .difference where !hasRanges: break
      default: continue
      }
      if let instant, measurement.time != instant, let epoch = solve(at: instant) { body(epoch) }
      instant = measurement.time
      update(measurement)
    }
    if let instant, let epoch = solve(at: instant) { body(epoch) }
  }

  /// Solves the epoch of time differences that ends at `time`; nil without differences.
  mutating func solveDifferences(at time: Timestamp) -> EpochFix? {
    guard !differences.isEmpty else { return nil }
    let window = differenceWindow
    differences.removeAll { !$0.time.isWithin(window, before: time) }
    guard !differences.isEmpty else { return nil }
    let options = options(at: time)
    let found = try? TimeDifferences.solve(
      differences: differences.map {
        TimeDifference(
          first: $0.first, second: $0.second, difference: $0.corrected(anchors))
      },
      anchors: anchors.map(\.position), within: configuration.bounds, options: options)
    var fix = found?.fix ?? PositionFix(unsolved: differences.count, unknowns: options.unknowns)
    fix.keep(within: configuration.bounds)
    return EpochFix(time: time, fix: fix, differences: differences)
  }
}
