/// How often each verdict met each label.
public struct ConfusionTable: Sendable, Equatable, Codable {
  /// Counts by label, then by verdict.
  public private(set) var counts: [String: [String: Int]] = [:]

  /// An empty table.
  public init() {}

  /// Counts one `verdict` on something with the true `label`.
  public mutating func count(_ verdict: String, label: String) {
    counts[label, default: [:]][verdict, default: 0] += 1
  }

  /// Everything counted.
  public var total: Int { counts.values.reduce(0) { $0 + $1.values.reduce(0, +) } }

  /// Of what has the label `label`, the share with one of `verdicts`; nil where nothing has the label.
  public func share(of label: String, with verdicts: Set<String>) -> Double? {
    guard let row = counts[label] else { return nil }
    let all = row.values.reduce(0, +)
    let matching = row.filter { verdicts.contains($0.key) }.values.reduce(0, +)
    return all > 0 ? Double(matching) / Double(all) : nil
  }
}

/// How well a score separates obstructed ranges from those in line of sight.
package enum Separation {
  /// The probability that a range in line of sight has the higher score than an obstructed one, ties
  /// counted half: the area under the receiver operating characteristic [Hanley 1982]; 0.5 is a toss.
  ///
  /// Nil where either list is empty. Cost: count log count.
  package static func area(clear: [Double], obstructed: [Double]) -> Double? {
    guard !clear.isEmpty, !obstructed.isEmpty else { return nil }
    let ranks = Self.ranks(clear + obstructed)
    let sum = ranks.prefix(clear.count).reduce(0, +)
    let (m, n) = (Double(clear.count), Double(obstructed.count))
    return (sum - m * (m + 1) / 2) / (m * n)
  }

  /// The rank correlation of two lists of equal length, -1 to 1 [Spearman 1904]; nil for fewer than
  /// three pairs, and where one list is constant.
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

  /// The rank of each value from 1, equal values sharing their mean rank.
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
