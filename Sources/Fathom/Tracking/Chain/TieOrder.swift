/// The order in which the tied states of several chains are eliminated.
///
/// A state that is tied to the state of another tag is kept while its own chain is eliminated. The kept
/// states are then eliminated in order of time. At any moment a front of unknowns is coupled: the present
/// kept state of each tag, and the common unknowns of all. A kept state leaves the front when the next one
/// of its tag enters, and after the last tie of its tag.
struct TieOrder: Sendable {
  /// A range between two tags at an instant.
  struct Pair: Sendable {
    var state: Int
    var first: Int
    var second: Int
  }

  /// The replacement of a kept state in the front.
  struct Move: Sendable {
    var tag: Int
    /// The kept state that is eliminated; nil before the first of the tag.
    var from: Int?
    /// The next kept state of the tag; nil after the last.
    var to: Int?
    /// The number of pairs that are added before.
    var pairs: Int
    /// The number of states that are eliminated before.
    var number: Int
  }

  /// The moves in order of time.
  private(set) var moves: [Move] = []
  /// The kept states of each tag, in order.
  private(set) var kept: [[Int]]
  /// The first unknown of each tag in the front, its kept state and then its common unknowns; finally the size
  /// of the front.
  let starts: [Int]
  /// The number of unknowns in the front.
  var size: Int { starts[starts.count - 1] }
  /// The number of kept states of all tags.
  private(set) var count = 0

  /// Finds the order for pairs in order of time.
  ///
  /// A state has `order` numbers; `shared` has the number of common unknowns of each tag.
  init(_ pairs: [Pair], order: Int, shared: [Int]) {
    kept = shared.map { _ in [] }
    starts = shared.reduce(into: [0]) { $0.append($0[$0.count - 1] + order + $1) }
    for pair in pairs {
      for tag in [pair.first, pair.second] where kept[tag].last != pair.state {
        kept[tag].append(pair.state)
      }
    }
    // The number of kept states of each tag that have entered.
    var entered = shared.map { _ in 0 }
    for (number, pair) in pairs.enumerated() {
      for tag in [pair.first, pair.second]
      where entered[tag] < kept[tag].count && kept[tag][entered[tag]] == pair.state {
        let from = entered[tag] > 0 ? kept[tag][entered[tag] - 1] : nil
        add(tag, from: from, to: pair.state, after: number)
        entered[tag] += 1
      }
      // A tag leaves before the next pair if it has no later state; its pairs at this instant come first.
      guard number + 1 == pairs.count || pairs[number + 1].state != pair.state else { continue }
      for tag in kept.indices where kept[tag].last == pair.state {
        add(tag, from: pair.state, to: nil, after: number + 1)
      }
    }
  }

  private mutating func add(_ tag: Int, from: Int?, to next: Int?, after pairs: Int) {
    moves.append(Move(tag: tag, from: from, to: next, pairs: pairs, number: count))
    if from != nil { count += 1 }
  }
}
