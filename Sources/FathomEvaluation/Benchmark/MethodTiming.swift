import Fathom
import FathomRecordings

/// How long a method takes over a recording, and whether it asks for memory.
struct MethodTiming: Sendable {
  /// Wall-clock time of a pass, seconds, one per repeat.
  private(set) var seconds: [Double] = []
  /// Requests for memory in the second half of the recording; nil where they are not counted.
  private(set) var allocations: UInt64?
  /// Whether that half needed no start of a track.
  private(set) var isSettled = true
  /// Ranges and events in that half.
  private(set) var counted = 0

  /// A repeat is made of as many passes as fill this many seconds: clocks tick coarsely.
  private static let shortestRepeat = 0.002

  /// Times `method` over `recording`.
  ///
  /// - Parameters:
  ///   - method: the method.
  ///   - recording: what it runs over.
  ///   - repeats: how often; 1 or more.
  ///   - allocationCount: requests for memory of the calling thread so far; nil where nobody counts.
  /// - Returns: the times, and the output of the warm-up; nil where the method does not apply.
  static func measure(
    _ method: BenchmarkMethod, over recording: Recording, repeats: Int,
    allocationCount: (@Sendable () -> UInt64)?
  ) -> (timing: MethodTiming, output: MethodOutput)? {
    var timing = MethodTiming()
    guard let first = method.pass(over: recording) else { return nil }
    // The warm-up: fills caches, gives the output, and shows what is asked of the memory.
    let half = first.count / 2
    first.run(0..<half)
    let before = allocationCount?()
    first.run(half..<first.count)
    if let before, let after = allocationCount?() {
      timing.allocations = after - before
      timing.isSettled = first.isSettled()
      timing.counted = first.count - half
    }
    let output = first.output()

    let clock = ContinuousClock()
    for _ in 0..<repeats {
      var elapsed = 0.0
      var passes = 0
      while elapsed < shortestRepeat, let pass = method.pass(over: recording) {
        let all = 0..<pass.count
        let start = clock.now
        pass.run(all)
        elapsed += start.duration(to: clock.now) / .seconds(1)
        passes += 1
        // Nothing to run over fills no time.
        if all.isEmpty { break }
      }
      timing.seconds.append(elapsed / Double(max(1, passes)))
    }
    return (timing, output)
  }
}
