import RealModule

/// The most likely sides of a chain of stretches, and the probability of the other side of each.
///
/// A stretch is on one of two sides: 0, where the track is, or 1, its image. A chain of `count` stretches has
/// `count + 1` pieces: the first ends in the first stretch, the last begins in the last one, and each between
/// lies in two neighbours. The probability of the sides of all stretches is the product of those of the pieces,
/// so that messages from both ends give the likeliest sides (Viterbi's algorithm) and the probabilities of each
/// (forward and backward) [Rabiner 1989].
struct SideChain {
  /// Whether each stretch is more likely on the other side, with all others on their likeliest.
  private(set) var flips: [Bool] = []
  /// The probability that a stretch is not on the side that ``flips`` says, over all sides of the others.
  private(set) var otherSides: [Double] = []

  /// The largest logarithm of odds whose exponential is finite.
  private static let mostOdds = 700.0

  /// Computes the sides.
  ///
  /// - Parameter costs: Minus the logarithm of the likelihood of each piece, by the side of its first stretch and
  ///   that of its second; infinite for sides that are impossible. The first piece has no first stretch and the
  ///   last no second one: the side that does not exist counts as 0, and the cost of side 1 is infinite.
  init(costs: [[[Double]]]) {
    let count = costs.count - 1
    guard count > 0 else { return }
    // Minus the logarithms of the likelihoods of what is before and after each border, by its side; with the
    // cost of the likeliest sides before it, and the side of the stretch before on those.
    var forward: [[Double]] = []
    var (message, least) = ([0, Double.infinity], [0, Double.infinity])
    var decisions: [[Int]] = []
    for pair in costs {
      let (sum, best) = (message, least)
      message = (0...1).map { second in
        -Self.logSum((0...1).map { first in -sum[first] - pair[first][second] })
      }
      decisions.append(
        (0...1).map { second in
          best[0] + pair[0][second] <= best[1] + pair[1][second] ? 0 : 1
        })
      least = (0...1).map { second in
        min(best[0] + pair[0][second], best[1] + pair[1][second])
      }
      forward.append(message)
    }
    var sides = [Int](repeating: 0, count: count + 1)
    for index in stride(from: count, to: 0, by: -1) {
      sides[index - 1] = decisions[index][sides[index]]
    }
    flips = sides.dropLast().map { $0 == 1 }
    otherSides = [Double](repeating: 0, count: count)
    message = [0, .infinity]
    for index in stride(from: count, to: 0, by: -1) {
      let (pair, after) = (costs[index], message)
      message = (0...1).map { first in
        -Self.logSum((0...1).map { second in -after[second] - pair[first][second] })
      }
      let both = (0...1).map { forward[index - 1][$0] + message[$0] }
      let (own, other) = flips[index - 1] ? (both[1], both[0]) : (both[0], both[1])
      // Also without any possible side there is no evidence for another one.
      guard other < .infinity else { continue }
      otherSides[index - 1] = 1 / (1 + .exp(min(Self.mostOdds, max(-Self.mostOdds, other - own))))
    }
  }

  /// The logarithm of a sum of exponentials.
  private static func logSum(_ terms: [Double]) -> Double {
    let most = terms.max() ?? -.infinity
    guard most > -.infinity else { return -.infinity }
    return most + Double.log(terms.reduce(0) { $0 + Double.exp($1 - most) })
  }
}
