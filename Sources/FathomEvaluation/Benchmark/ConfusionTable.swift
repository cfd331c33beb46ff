/// Counts of verdicts by true label.
public struct ConfusionTable: Sendable, Equatable, Codable {
  /// Counts by label, then by verdict.
  public private(set) var counts: [String: [String: Int]] = [:]

  /// Creates an empty table.
  public init() {}

  /// Counts one `verdict` for an item with the true `label`.
  public mutating func count(_ verdict: String, label: String) {
    counts[label, default: [:]][verdict, default: 0] += 1
  }

  /// Total count.
  public var total: Int { counts.values.reduce(0) { $0 + $1.values.reduce(0, +) } }

  /// Returns the share of items with the label `label` that have one of `verdicts`; nil without
  /// such items.
  public func share(of label: String, with verdicts: Set<String>) -> Double? {
    guard let row = counts[label] else { return nil }
    let all = row.values.reduce(0, +)
    let matching = row.filter { verdicts.contains($0.key) }.values.reduce(0, +)
    return all > 0 ? Double(matching) / Double(all) : nil
  }
}

/// Measures of how well a score separates obstructed from line-of-sight ranges.
package enum Separation {
  /// Returns the probability that a line-of-sight range has a higher score than an obstructed one.
  ///
  /// Ties count one half. This is the area under the receiver operating characteristic [Hanley
  /// 1982]; 0.5 means no separation. Nil when either list is empty. Cost: n log n for n values.
  package static func area(clear: [Double], obstructed: [Double]) -> Double? {
    guard !clear.isEmpty, !obstructed.isEmpty else { return nil }
    let ranks = Self.ranks(clear + obstructed)
    let sum = ranks.prefix(clear.count).reduce(0, +)
    let (m, n) = (Double(clear.count), Double(obstructed.count))
    return (sum - m * (m + 1) / 2) / (m * n)
  }

  /// Returns the rank correlation of two lists of equal length, -1 to 1 [Spearman 1904].
  ///
  /// Nil for fewer than three pairs, and when one list is constant.
  package static func rankCorrelation(_ left: [Double], _ right: [Double]) -> Double? {
    precondition(left.count == right.count, "lists differ in length")
    guard left.count > 2 else { return nil }
    let (a, b) = (ranks(left), ranks(right))
    let mean = Double(left.count + 1) / 2
    var (product, first, second) = (0.0, 0.0, 0.0)
    for index in a.indices {
      product += (a[index] - mean) * (b[index] - mean)
      first += (a[index] - mean) * (a[index] - mean)
      second += (b[index] - mean) * (b[index] - mean)
    }
    guard first > 0, second > 0 else { return nil }
    return product / (first * second).squareRoot()
  }

  /// Returns the rank of each value from 1; equal values have their mean rank.
  private static func ranks(_ values: [Double]) -> [Double] {
    let order = values.indices.sorted { values[$0] < values[$1] }
    var ranks = [Double](repeating: 0, count: values.count)
    var start = 0
    while start < order.count {
      var end = start
      while end + 1 < order.count, values[order[end + 1]] == values[order[start]] { end += 1 }
      let rank = Double(start + end) / 2 + 1
      for place in start...end { ranks[order[place]] = rank }
      start = end + 1
    }
    return ranks
  }
}
