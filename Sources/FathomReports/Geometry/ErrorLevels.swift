import Foundation

/// The steps in which a map shows an error: round numbers that most of the map lies between.
struct ErrorLevels: Sendable, Equatable {
  /// What the levels are apart at, rising: level k holds what lies above the first k of them.
  let edges: [Double]

  /// Levels for `errors`, metres, of which those that are not finite belong to none.
  ///
  /// As many as the palette has at most: equal steps where the errors are much alike, steps in
  /// proportion where they differ by more than a factor of three.
  init(of errors: [Double]) {
    guard let low = Ticks.quantile(0.01, of: errors), let high = Ticks.quantile(0.97, of: errors),
      low > 0, high > low
    else {
      edges = []
      return
    }
    let most = Palette.levels.count - 1
    if high <= 3 * low {
      let step = Ticks.step(low...high, in: Double(most + 1), apart: 1.4)
      let first = Int((low / step).rounded(.down)) + 1
      let last = max(first, Int((high / step).rounded(.up)) - 1)
      edges = (first...last).prefix(most).map { Double($0) * step }
      return
    }
    let powers = Int(floor(log10(low)))...Int(ceil(log10(high)))
    let series: [[Double]] = [
      [1, 1.2, 1.5, 2, 2.5, 3, 4, 5, 6, 8], [1, 1.5, 2, 3, 5, 7], [1, 2, 5], [1, 3], [1],
    ]
    let candidates = series.map { factors in
      powers.flatMap { power in factors.map { $0 * pow(10, Double(power)) } }
        .filter { $0 > low && $0 < high }
    }
    edges = candidates.first { $0.count <= most } ?? Array((candidates.last ?? []).suffix(most))
  }

  /// The level that `error` belongs to.
  func level(of error: Double) -> Int { edges.count { error > $0 } }

  /// What each level holds, in metres, from the least.
  var names: [String] {
    guard let first = edges.first, let last = edges.last else { return ["one level"] }
    let texts = edges.map(Self.text)
    return ["to \(Self.text(first)) m"]
      + zip(texts, texts.dropFirst()).map { "\($0) to \($1) m" } + ["above \(Self.text(last)) m"]
  }

  /// The number with two significant digits, as edges have.
  private static func text(_ edge: Double) -> String {
    let places = max(0, 1 - Int(floor(log10(edge))))
    let text = edge.text(decimals: min(places, 6))
    guard text.contains(".") else { return text }
    let short = text.reversed().drop { $0 == "0" }.drop { $0 == "." }.reversed()
    return String(short)
  }
}
