import Fathom
import Foundation

/// Squared errors of several methods on one recording, summed over blocks of time.
///
/// Errors of a moving tag hang together over seconds, so that thousands of them may be worth a few
/// dozen. Whether one method is better than another is therefore judged by drawing whole blocks of time
/// anew [Künsch 1989], the same blocks for all methods. A block is four times as long as the errors take
/// to forget themselves: the autocorrelation of their mean squares over the 256th part of the recording
/// falls below 1/e. There are at least eight blocks. With few blocks the judgement is somewhat too
/// sure: of equally good methods one pair in ten is told apart instead of one in twenty.
public struct ErrorBlocks: Sendable, Equatable {
  /// Sum of the squared errors by method and block, m².
  let sums: [[Double]]
  /// Number of the errors by method and block.
  let counts: [[Int]]

  /// The number of blocks.
  public var count: Int { sums.first?.count ?? 0 }

  private static let cells = 256
  private static let fewestBlocks = 8

  /// The blocks of `errors`: for each method the instants and the squares of its errors, m².
  ///
  /// Nil where no method has an error, or all of them lie at one instant.
  public init?(_ errors: [[(time: Timestamp, square: Double)]]) {
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
