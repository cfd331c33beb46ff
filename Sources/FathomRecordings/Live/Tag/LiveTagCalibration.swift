import Fathom

/// When a live tag is calibrated, and on which of its measurements.
///
/// It is calibrated on its ranges, or on its time differences if it has no ranges, at doubling numbers
/// of them; and once for every kind of other measurements, when the first of that kind comes.
struct LiveTagCalibration: Sendable {
  /// Returns a stage that is calibrated on ranges and other measurements.
  typealias StageMaker = @Sendable ([RangeMeasurement], SensorReadings) -> TagStage

  /// The ranges of the calibration.
  private(set) var thinned: ThinnedRanges
  /// Its other measurements: the first of each kind.
  private(set) var readings = SensorReadings()
  /// The kinds of ``readings``.
  private var kinds: Set<TimedMeasurement.Kind> = []
  /// Whether the tag has had ranges, and the number of its time differences before.
  private(set) var hasRanges = false
  private var differenceCount = 0
  private var schedule = CalibrationSchedule(first: Self.firstCalibration)
  private var pending: PendingCalibration<TagStage>?
  /// Whether the tag is calibrated while ranges come.
  private let isRunning: Bool
  /// Whether a new stage is made for measurements of a kind that did not exist before.
  private let adoptsKinds: Bool

  /// Ranges of the first calibration: a second and a half of eight anchors at 10 Hz.
  private static let firstCalibration = 128
  /// Measurements of each kind, other than ranges, that are kept: those of the time in which the ranges
  /// of a calibration come.
  private static let mostReadings = 20_000

  /// Creates the calibration of a tag among `anchorCount` anchors.
  init(anchorCount: Int, isRunning: Bool, adoptsKinds: Bool) {
    (self.isRunning, self.adoptsKinds) = (isRunning, adoptsKinds)
    thinned = ThinnedRanges(
      anchorCount: anchorCount, limit: TrackerCalibration.greatestCorrectionCount)
  }

  /// Adds a range.
  mutating func add(_ range: RangeMeasurement) {
    hasRanges = true
    if isRunning { thinned.add(range) }
  }

  /// Whether a measurement of `kind` would be kept.
  func keeps(_ kind: TimedMeasurement.Kind) -> Bool {
    readings.count(of: kind) < Self.mostReadings
  }

  /// Adds a measurement that is no range; returns whether a new stage is needed, because it is the
  /// first of its kind.
  mutating func add(_ reading: TimedMeasurement) -> Bool {
    if keeps(reading.kind) { readings.add(reading) }
    if reading.kind == .difference, !hasRanges { differenceCount += 1 }
    return adoptsKinds && kinds.insert(reading.kind).inserted
  }

  /// The number of measurements that decides when to calibrate.
  private var count: Int { hasRanges ? thinned.ranges.count : differenceCount }

  /// Whether a calibration starts or takes effect now.
  var isDue: Bool {
    guard isRunning else { return false }
    let isFull =
      hasRanges ? thinned.isFull : count > TrackerCalibration.greatestDifferenceCount
    if let effect = schedule.effect { return count >= effect || isFull }
    return count >= schedule.start && !isFull
  }

  /// Starts a calibration, or returns the stage of the one that takes effect; call when ``isDue``.
  mutating func advance(_ makeStage: @escaping StageMaker) -> TagStage? {
    if schedule.effect == nil {
      schedule.begin()
      start(makeStage)
      return nil
    }
    guard let stage = pending?.wait() else { return nil }
    schedule.end()
    pending = nil
    return stage
  }

  /// Calibrates again before the next range, because the use of ranges has changed.
  mutating func repeatSoon(_ makeStage: @escaping StageMaker) {
    guard isRunning else { return }
    schedule.begin(at: count)
    start(makeStage)
  }

  /// Returns the stage for the kinds of measurements so far.
  mutating func stageOfKinds(_ makeStage: @escaping StageMaker) -> TagStage {
    // The calibration that runs lacks the new kind.
    if pending != nil { start(makeStage) }
    return makeStage(thinned.ranges, readings)
  }

  private mutating func start(_ makeStage: @escaping StageMaker) {
    let (ranges, readings) = (thinned.ranges, readings)
    pending = PendingCalibration { makeStage(ranges, readings) }
  }
}
