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
  public init(_ recordings: [ErrorBlocks], seed: UInt64 = 1) {
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
