import Fathom
import Foundation

/// A statistical ranking of methods over one or more recordings.
public struct MethodRanking: Sendable, Equatable {
  /// The place of a method.
  public struct Place: Sendable, Equatable {
    /// Index of the method.
    public let method: Int
    /// Rank from 1.
    ///
    /// Methods statistically tied with the first of their rank share it.
    public let rank: Int
    /// Geometric mean over the recordings of the root mean square error, metres.
    public let error: Double
    /// Error relative to that of the best method: geometric mean of the ratios.
    public let ratio: Double
    /// Central 95 % of that ratio over the bootstrap draws.
    public let interval: ClosedRange<Double>
  }

  /// The methods that have errors on every recording, best first.
  public let places: [Place]
  /// Indices of the methods that lack errors on some recording.
  public let unranked: [Int]

  /// Number of bootstrap draws.
  private static let draws = 1000

  /// Ranks the methods by their errors in one or more recordings, which all have the same methods.
  package init(_ recordings: [ErrorBlocks], seed: UInt64 = 1) {
    let methodCount = recordings.first?.sums.count ?? 0
    let whole = recordings.map { $0.rootMeanSquares(over: Array(0..<$0.count)) }
    let ranked = (0..<methodCount).filter { method in whole.allSatisfy { $0[method] != nil } }
    unranked = (0..<methodCount).filter { !ranked.contains($0) }
    guard !ranked.isEmpty else {
      places = []
      return
    }

    let means = Self.meanLogarithms(whole, ranked)
    var generator = SeededGenerator(seed: seed)
    var drawn: [[Double]] = []
    for _ in 0..<Self.draws {
      let errors = zip(recordings, whole).map { blocks, whole in
        let places = (0..<blocks.count).map { _ in
          Int(generator.uniform() * Double(blocks.count))
        }
        // A draw without errors of a method uses its error over the whole recording.
        return zip(blocks.rootMeanSquares(over: places), whole).map { $0 ?? $1 }
      }
      drawn.append(Self.meanLogarithms(errors, ranked))
    }

    func interval(_ method: Int, against other: Int) -> ClosedRange<Double> {
      let ratios = drawn.map { exp($0[method] - $0[other]) }.sorted()
      let low = ratios[Int(0.025 * Double(ratios.count))]
      let high = ratios[Int(0.975 * Double(ratios.count))]
      return low...high
    }
    let order = ranked.indices.sorted { (means[$0], $0) < (means[$1], $1) }
    var places: [Place] = []
    var leader = order[0]
    for (position, entry) in order.enumerated() {
      if position > 0, !interval(entry, against: leader).contains(1) { leader = entry }
      let rank = leader == entry ? position + 1 : places[position - 1].rank
      places.append(
        Place(
          method: ranked[entry], rank: rank, error: exp(means[entry]),
          ratio: exp(means[entry] - means[order[0]]),
          interval: interval(entry, against: order[0])))
    }
    self.places = places
  }

  /// Returns the mean over the recordings of the logarithm of the error of each of `methods`.
  private static func meanLogarithms(_ errors: [[Double?]], _ methods: [Int]) -> [Double] {
    methods.map { method in
      let logarithms = errors.map {
        log(max($0[method] ?? 0, Double.leastNormalMagnitude))
      }
      return logarithms.reduce(0, +) / Double(logarithms.count)
    }
  }
}

/// Squared errors of several methods on one recording, summed over blocks of time.
///
/// Errors of a moving tag are correlated over seconds, so thousands of them may carry the
/// information of a few dozen. Methods are therefore compared by a block bootstrap [Künsch 1989]
/// with the same blocks for all methods. A block is four times as long as the correlation time of
/// the errors. That is the lag at which the autocorrelation of the logarithm of their mean squares,
/// over cells of 1/256 of the recording, falls below 1/e. There are at least eight blocks. With few
/// blocks the test is somewhat too confident: 10 % of the pairs of equally good methods are
/// distinguished instead of 5 %.
package struct ErrorBlocks: Sendable, Equatable {
  /// Sum of the squared errors, by method and block, m².
  let sums: [[Double]]
  /// Number of errors, by method and block.
  let counts: [[Int]]

  /// Number of blocks.
  package var count: Int { sums.first?.count ?? 0 }

  private static let cells = 256
  private static let fewestBlocks = 8

  /// Creates the blocks of `errors`: for each method the times and squares of its errors, m².
  ///
  /// Nil when no method has an error, and when all errors are at one time.
  package init?(_ errors: [[(time: Timestamp, square: Double)]]) {
    let times = errors.joined().map(\.time)
    guard let first = times.min(), let last = times.max(), last > first else { return nil }
    let span = last.seconds(since: first)
    func cell(_ time: Timestamp) -> Int {
      min(Self.cells - 1, Int(Double(Self.cells) * time.seconds(since: first) / span))
    }
    var sums = errors.map { _ in [Double](repeating: 0, count: Self.cells) }
    var counts = errors.map { _ in [Int](repeating: 0, count: Self.cells) }
    for (method, entries) in errors.enumerated() {
      for entry in entries {
        sums[method][cell(entry.time)] += entry.square
        counts[method][cell(entry.time)] += 1
      }
    }
    let correlation = zip(sums, counts).map { Self.correlationLength($0, $1) }.max() ?? 1
    let length = min(4 * correlation, Self.cells / Self.fewestBlocks)
    let starts = stride(from: 0, to: Self.cells, by: length)
    self.sums = sums.map { cells in
      starts.map { cells[$0..<min($0 + length, Self.cells)].reduce(0, +) }
    }
    self.counts = counts.map { cells in
      starts.map { cells[$0..<min($0 + length, Self.cells)].reduce(0, +) }
    }
  }

  /// Returns the number of cells over which the mean squares of a method are correlated, at least
  /// 1.
  private static func correlationLength(_ sums: [Double], _ counts: [Int]) -> Int {
    let filled = sums.indices.filter { counts[$0] > 0 }
    guard filled.count > 2 else { return 1 }
    // Logarithms keep a single burst of outliers from dominating the autocorrelation.
    let smallest = Double.leastNormalMagnitude
    let levels = filled.map { log(max(sums[$0] / Double(counts[$0]), smallest)) }
    let mean = levels.reduce(0, +) / Double(levels.count)
    let deviations = levels.map { $0 - mean }
    let variance = deviations.reduce(0) { $0 + $1 * $1 }
    guard variance > 0 else { return 1 }
    for lag in 1..<deviations.count {
      var product = 0.0
      for index in 0..<(deviations.count - lag) {
        product += deviations[index] * deviations[index + lag]
      }
      if product < 0.367_879 * variance { return lag }
    }
    return deviations.count
  }

  /// Returns the root mean square error of each method over the blocks in `places`; nil without
  /// errors there.
  func rootMeanSquares(over places: [Int]) -> [Double?] {
    zip(sums, counts).map { sums, counts in
      let count = places.reduce(0) { $0 + counts[$1] }
      let sum = places.reduce(0) { $0 + sums[$1] }
      return count > 0 ? (sum / Double(count)).squareRoot() : nil
    }
  }
}
