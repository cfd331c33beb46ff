import Fathom
import Foundation

/// Which of several methods are better than others, over one recording or several.
public struct MethodRanking: Sendable, Equatable {
  /// A method's place.
  public struct Place: Sendable, Equatable {
    /// Index of the method.
    public let method: Int
    /// Its rank from 1; methods that cannot be told from the first of their rank share it.
    public let rank: Int
    /// Geometric mean over the recordings of the root mean square error, metres.
    public let error: Double
    /// Its error relative to that of the best: geometric mean of the ratios.
    public let ratio: Double
    /// The middle 95 % of that ratio when blocks of time are drawn anew.
    public let interval: ClosedRange<Double>
  }

  /// The methods that have errors on every recording, the best first.
  public let places: [Place]
  /// Indices of the methods that lack errors on some recording.
  public let unranked: [Int]

  /// Times that blocks are drawn anew.
  private static let draws = 1000

  /// Ranks the methods whose errors on each recording are in `recordings`.
  ///
  /// - Parameters:
  ///   - recordings: the blocks of one or more recordings, all with the same methods.
  ///   - seed: what the draws follow from.
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
        // A draw without any error of a method says nothing about it.
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

  /// Mean over the recordings of the logarithm of the error of each of `methods`.
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
/// Errors of a moving tag hang together over seconds, so that thousands of them may be worth a few
/// dozen. Whether one method is better than another is therefore judged by drawing whole blocks of time
/// anew [Künsch 1989], the same blocks for all methods. A block is four times as long as the errors take
/// to forget themselves: the autocorrelation of their mean squares over the 256th part of the recording
/// falls below 1/e. There are at least eight blocks. With few blocks the judgement is somewhat too
/// sure: of equally good methods one pair in ten is told apart instead of one in twenty.
package struct ErrorBlocks: Sendable, Equatable {
  /// Sum of the squared errors by method and block, m².
  let sums: [[Double]]
  /// Number of the errors by method and block.
  let counts: [[Int]]

  /// The number of blocks.
  package var count: Int { sums.first?.count ?? 0 }

  private static let cells = 256
  private static let fewestBlocks = 8

  /// The blocks of `errors`: for each method the instants and the squares of its errors, m².
  ///
  /// Nil where no method has an error, or all of them lie at one instant.
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
    let memory = zip(sums, counts).map { Self.memory($0, $1) }.max() ?? 1
    let length = min(4 * memory, Self.cells / Self.fewestBlocks)
    let starts = stride(from: 0, to: Self.cells, by: length)
    self.sums = sums.map { cells in
      starts.map { cells[$0..<min($0 + length, Self.cells)].reduce(0, +) }
    }
    self.counts = counts.map { cells in
      starts.map { cells[$0..<min($0 + length, Self.cells)].reduce(0, +) }
    }
  }

  /// After how many cells the mean squares of a method have forgotten themselves, at least 1.
  private static func memory(_ sums: [Double], _ counts: [Int]) -> Int {
    let filled = sums.indices.filter { counts[$0] > 0 }
    guard filled.count > 2 else { return 1 }
    // Logarithms: a single burst of outliers would otherwise be all there is.
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

  /// Root mean square error of each method over the blocks in `places`; nil where it has no errors there.
  func rootMeanSquares(over places: [Int]) -> [Double?] {
    zip(sums, counts).map { sums, counts in
      let count = places.reduce(0) { $0 + counts[$1] }
      let sum = places.reduce(0) { $0 + sums[$1] }
      return count > 0 ? (sum / Double(count)).squareRoot() : nil
    }
  }
}
