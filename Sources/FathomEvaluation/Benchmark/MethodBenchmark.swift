import Fathom
import FathomRecordings

/// A benchmark of methods over recordings: accuracy, consistency, availability and speed.
public struct MethodBenchmark: Sendable {
  /// The methods, in the order of the tables.
  public var methods: [BenchmarkMethod]
  /// Number of timed repeats of each method on each recording; at least 1.
  public var repeats: Int
  /// Returns the number of memory allocations of the calling thread so far; nil to count none.
  public var allocationCount: (@Sendable () -> UInt64)?

  /// The results so far, by recording and then by method.
  public private(set) var results: [BenchmarkResult] = []
  /// Range errors of each recording with truth and anchors, by link.
  public private(set) var links: [String: [LinkResiduals]] = [:]
  private var errors: [BenchmarkMethod.Kind: [(recording: String, blocks: ErrorBlocks)]] = [:]

  /// Creates a benchmark of `methods`, each timed `repeats` times.
  public init(
    _ methods: [BenchmarkMethod] = MethodRegistry.all, repeats: Int = 5,
    allocationCount: (@Sendable () -> UInt64)? = nil
  ) {
    precondition(repeats > 0, "there must be at least one repeat")
    self.methods = methods
    self.repeats = repeats
    self.allocationCount = allocationCount
  }

  /// Runs all methods on `subject`, one after the other on the calling thread.
  ///
  /// - Parameters:
  ///   - subject: the recording and its truth.
  ///   - progress: called after each method.
  public mutating func run(on subject: BenchmarkCase, progress: () -> Void = {}) {
    if let truth = subject.truth {
      links[subject.recording.name] = LinkResiduals.links(of: subject.recording, truth: truth)
    }
    let first = results.count
    var squares: [Int: BenchmarkResult.SquaredErrors] = [:]
    for method in methods {
      defer { progress() }
      var result = BenchmarkResult(recording: subject.recording.name, method: method)
      let measured = MethodTiming.measure(
        method, over: subject.recording, repeats: repeats, allocationCount: allocationCount)
      guard let (timing, output) = measured else { continue }
      squares[results.count] = result.score(output, on: subject)
      result.time(timing, ranges: subject.recording.ranges.count)
      results.append(result)
    }
    for kind in BenchmarkMethod.Kind.allCases {
      let places = (first..<results.count).filter { results[$0].kind == kind }
      compare(places, places.map { squares[$0] ?? [] }, kind: kind, name: subject.recording.name)
    }
  }

  /// Marks the results at `places`, with these errors, that are statistically tied with the best.
  private mutating func compare(
    _ places: [Int], _ squares: [BenchmarkResult.SquaredErrors], kind: BenchmarkMethod.Kind,
    name: String
  ) {
    guard let blocks = ErrorBlocks(squares) else { return }
    for place in MethodRanking([blocks]).places {
      results[places[place.method]].tiesWithBest = place.rank == 1
    }
    // Methods that do not apply to this recording have no errors on it.
    let names = places.map { results[$0].method }
    let all = methods.filter { $0.kind == kind }.map { method in
      names.firstIndex(of: method.name).map { squares[$0] } ?? []
    }
    guard let whole = ErrorBlocks(all) else { return }
    errors[kind, default: []].append((name, whole))
  }

  /// Returns the ranking of the methods of `kind` over all recordings on which any of them has
  /// errors.
  ///
  /// Nil when there is no such recording.
  public func ranking(of kind: BenchmarkMethod.Kind) -> MethodSummary? {
    guard let errors = errors[kind] else { return nil }
    let names = methods.filter { $0.kind == kind }.map(\.name)
    let ranking = MethodRanking(errors.map(\.blocks))
    return MethodSummary(
      methods: names, recordings: errors.map(\.recording), ranking: ranking)
  }
}

/// The ranking of the methods of one kind over recordings.
public struct MethodSummary: Sendable, Equatable {
  /// Names of the methods; ``MethodRanking/Place/method`` is an index into this array.
  public let methods: [String]
  /// Names of the ranked recordings.
  public let recordings: [String]
  /// The ranking.
  public let ranking: MethodRanking
}

extension BenchmarkResult {
  /// Fills in `timing`, measured over `ranges` ranges.
  fileprivate mutating func time(_ timing: MethodTiming, ranges: Int) {
    self.ranges = ranges
    repeats = timing.seconds.count
    if let allocations = timing.allocations, timing.counted > 0 {
      allocationsPerRange = Double(allocations) / Double(timing.counted)
      breaksItsClaim = claimsNoAllocation && allocations > 0 && timing.isSettled
    }
    let sorted = timing.seconds.sorted()
    guard ranges > 0, let least = sorted.first, least > 0 else { return }
    nsPerRange = 1e9 * least / Double(ranges)
    nsPerRangeMedian =
      1e9 * ErrorStatistics.quantile(0.5, ofSorted: sorted) / Double(ranges)
    rangesPerSecond = Double(ranges) / least
  }
}

/// The run time and memory allocations of a method on a recording.
struct MethodTiming: Sendable {
  /// Wall-clock time of a pass, seconds, one per repeat.
  private(set) var seconds: [Double] = []
  /// Memory allocations in the second half of the recording; nil when not counted.
  private(set) var allocations: UInt64?
  /// Whether no track was started in that half.
  private(set) var isSettled = true
  /// Number of ranges and events in that half.
  private(set) var counted = 0

  /// Minimum duration of a repeat, seconds.
  ///
  /// Short passes are repeated because of the clock's resolution.
  private static let shortestRepeat = 0.002

  /// Times `method` on `recording`, at least once; nil when the method does not apply.
  ///
  /// `allocationCount` returns the memory allocations of the calling thread so far; nil to count
  /// none. The output is that of the warm-up.
  static func measure(
    _ method: BenchmarkMethod, over recording: Recording, repeats: Int,
    allocationCount: (@Sendable () -> UInt64)?
  ) -> (timing: MethodTiming, output: MethodOutput)? {
    var timing = MethodTiming()
    guard let first = method.pass(over: recording) else { return nil }
    // The warm-up fills caches, gives the output and counts allocations.
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
        // An empty recording would never reach the minimum duration.
        if all.isEmpty { break }
      }
      timing.seconds.append(elapsed / Double(max(1, passes)))
    }
    return (timing, output)
  }
}
