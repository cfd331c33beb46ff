import Fathom
import FathomRecordings

/// Solves the linearised equations of each epoch, which give no covariance.
///
/// An epoch has the newest range to each anchor within the window, as that of the method `fix`.
struct LinearStage: PositionStage {
  private let anchors: [Anchor]
  private let settings: ProcessingSettings
  /// The newest range of each anchor, in the order of the anchors.
  private var newest: [Sample] = []
  private var positions: [PositionRow] = []
  private var usage: [DistanceColumns.Decision] = []

  private struct Sample {
    var time: Timestamp
    var anchor: Int
    /// The distance without the known bias and scale, and its standard deviation, metres.
    var distance: Double
    var sigma: Double
    /// Index of the range among those of the tag.
    var index: Int
  }

  /// Creates the stage of a tag.
  init(_ context: StageContext) {
    anchors = context.anchors
    settings = context.settings
  }

  mutating func add(
    distance: Double, sigma: Double?, anchor: Int, at time: Timestamp
  ) -> DistanceColumns.Decision {
    let (own, surveyed) = (sigma ?? settings.rangeSigmaM, anchors[anchor].positionSigma ?? 0)
    newest.removeAll { $0.anchor == anchor }
    newest.append(
      Sample(
        time: time, anchor: anchor,
        distance: anchors[anchor].corrected(distance) - (settings.rangeBiasM ?? 0),
        sigma: (own * own + surveyed * surveyed).squareRoot(), index: usage.count))
    newest.sort { $0.anchor < $1.anchor }
    usage.append(.unused)
    return .unused
  }

  mutating func add(_ height: HeightMeasurement) {}

  mutating func emit(at time: Timestamp) {
    newest.removeAll { time.seconds(since: $0.time) > settings.epochWindowS ?? 0 }
    guard let position = solution() else { return }
    for sample in newest { usage[sample.index] = .used }
    positions.append(
      PositionRow(
        time: time, position: position, covariance: Matrix(repeating: .nan), used: newest.count,
        rejected: 0, status: .fix))
  }

  /// The solution of the present epoch; nil if its ranges determine none.
  private func solution() -> Vector<3>? {
    let (ranges, sigmas) = (newest.map(\.distance), newest.map(\.sigma))
    let places = newest.map { anchors[$0.anchor].position }
    guard let height = settings.facts.heightM, settings.facts.heightSigmaM == nil else {
      return try? Trilateration.linearLeastSquares(ranges: ranges, anchors: places, sigmas: sigmas)
    }
    // Converts slant ranges to horizontal ranges; a range shorter than the height difference becomes 0.
    let horizontal = zip(ranges, places).map { range, place in
      let rise = place[2] - height
      return max(0, range * range - rise * rise).squareRoot()
    }
    let planar: [Vector<2>] = places.map { Vector([$0[0], $0[1]]) }
    let found = try? Trilateration.linearLeastSquares(
      ranges: horizontal, anchors: planar, sigmas: sigmas)
    return found.map { Vector([$0[0], $0[1], height]) }
  }

  mutating func removePositions() -> [PositionRow] {
    defer { positions = [] }
    return positions
  }

  var lateDecisions: [DistanceColumns.Decision]? { usage }
}

extension ProcessingSettings {
  /// Returns the settings of a tracker with a single motion mode and independent errors of fixed size.
  ///
  /// - Parameter freedom: the degrees of freedom of Student's distribution of the errors; infinite for
  ///   Gaussian errors, without rejection of outliers.
  /// - Returns: The settings, which are not calibrated.
  func plainTracker(freedom: Double) -> TrackerConfiguration {
    var configuration = tracker(height: facts.heightM)
    configuration.modes.processNoiseRatio = 1
    configuration.errors.correlatedShare = 0
    configuration.errors.repetitionTime = 0
    configuration.errors.commonModeSigma = 0
    configuration.calibratesCovariance = false
    configuration.errors.degreesOfFreedom = freedom
    return configuration
  }
}
