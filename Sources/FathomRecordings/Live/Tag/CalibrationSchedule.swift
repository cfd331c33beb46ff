import Dispatch

/// A calibration that another thread computes, and that takes effect at a fixed number of ranges.
///
/// The fixed number makes results independent of the speed of the machine.
final class PendingCalibration<Result: Sendable>: Sendable {
  private let result = Locked<Result?>(nil)
  private let group = DispatchGroup()

  /// Starts `compute` on another thread.
  init(_ compute: @escaping @Sendable () -> Result) {
    let result = result
    DispatchQueue.global(qos: .userInitiated).async(group: group) {
      let found = compute()
      result.withLock { $0 = found }
    }
  }

  /// Waits for the result.
  func wait() -> Result? {
    group.wait()
    return result.withLock { $0 }
  }
}

/// When to calibrate: at doubling numbers of ranges, so that the cost stays a fixed share.
struct CalibrationSchedule: Sendable {
  /// The number of ranges at which the next calibration starts.
  private(set) var start: Int
  /// The number of ranges at which the one that runs takes effect; nil without one.
  private(set) var effect: Int?

  /// Creates a schedule whose first calibration starts at `first` ranges.
  init(first: Int) { start = first }

  /// Notes that a calibration has started: it takes effect after a quarter more ranges.
  mutating func begin() {
    effect = start + start / 4
    start *= 2
  }

  /// Notes that one more calibration has started at `count` ranges: it takes effect at once.
  mutating func begin(at count: Int) { effect = count }

  /// Notes that the calibration has taken effect.
  mutating func end() { effect = nil }
}
