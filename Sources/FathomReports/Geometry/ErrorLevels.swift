import Foundation

/// The levels of an error map: round numbers that cover most of the map.
struct ErrorLevels: Sendable, Equatable {
  /// Level boundaries in rising order: level k contains the errors above the first k of them.
  let edges: [Double]
  /// Palette index of the greatest level.
  ///
  /// Errors of similar size have similar colours; only a factor of at least two uses all colours.
  let strongest: Int

  /// Chooses levels for `errors`, metres; non-finite errors belong to no level.
  ///
  /// There are at most as many levels as the palette has colours. The steps are equal when the
  /// errors are similar, at least a tenth of the least, and proportional when they differ by more than a factor of three.
  init(of errors: [Double]) {
    guard let low = Ticks.quantile(0.01, of: errors), let high = Ticks.quantile(0.97, of: errors),
      // Differences of less than a tenth matter to nobody who places anchors.
      low > 0, high > 1.1 * low
    else {
      edges = []
      strongest = 0
      return
    }
    let most = Palette.levels.count - 1
    let octaves = min(1, log2(high / low))
    if high <= 3 * low {
      let tenth = 0.1 * low / (high - low) * Double(most + 1)
      let step = Ticks.step(low...high, in: Double(most + 1), apart: max(1.4, tenth))
      let first = Int((low / step).rounded(.down)) + 1
      let last = max(first, Int((high / step).rounded(.up)) - 1)
      edges = (first...last).prefix(most).map { Double($0) * step }
      strongest = max(edges.count, Int((octaves * Double(most)).rounded()))
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
    strongest = most
  }

  /// Returns the colour of a level.
  func colour(of level: Int) -> Palette {
    Palette.levels[edges.isEmpty ? 0 : level * strongest / edges.count]
  }

  /// Returns the level of `error`.
  func level(of error: Double) -> Int { edges.count { error > $0 } }

  /// Ranges of the levels as text, in metres, from the lowest level.
  var names: [String] {
    guard let first = edges.first, let last = edges.last else { return ["one level"] }
    // Edges of the same order of magnitude have equal decimals, as many as any of them needs.
    let needed = edges.map(Self.decimals)
    let texts = edges.indices.map { index in
      edges[index].text(decimals: last < 10 * first ? needed.max() ?? 0 : needed[index])
    }
    return ["to \(texts[0]) m"]
      + zip(texts, texts.dropFirst()).map { "\($0) to \($1) m" }
      + ["above \(texts[texts.count - 1]) m"]
  }

  /// Returns the number of decimals of `edge`, which has at most two significant digits.
  private static func decimals(_ edge: Double) -> Int {
    (0...6).first { places in
      let scaled = edge * pow(10, Double(places))
      return (scaled - scaled.rounded()).magnitude < 1e-6 * scaled
    } ?? 6
  }
}
