import Foundation

/// Returns how often a randomised test repeats: `short` times, or `long` times if the environment
/// variable `FATHOM_LONG_TESTS` is set.
public func repetitions(_ short: Int, long: Int) -> Int {
  ProcessInfo.processInfo.environment["FATHOM_LONG_TESTS"] == nil ? short : long
}
