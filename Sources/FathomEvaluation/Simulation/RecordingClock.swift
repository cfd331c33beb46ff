import Fathom

/// The clock that stamps the measurements, whereas truth has the true time.
///
/// It reads t (1 + drift) + offset + jitter, with t the true time since the start and a normally
/// distributed jitter for each instant of the schedule.
public struct RecordingClock: Sendable, Equatable {
  /// What it is ahead by at the start, seconds.
  public var offset = 0.0
  /// What it gains per second, seconds; 1e-6 is one part per million.
  public var drift = 0.0
  /// Standard deviation of single time stamps, seconds.
  public var jitter = 0.0

  /// A clock that is right.
  public static let exact = RecordingClock()

  /// What it reads at `seconds`, with `deviate` the standard normal number behind the jitter.
  func reading(at seconds: Double, deviate: Double = 0) -> Double {
    seconds + (drift * seconds + offset + jitter * deviate)
  }
}
