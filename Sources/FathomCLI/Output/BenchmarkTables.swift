import FathomEvaluation

/// Formats the results of a benchmark as tables of text.
struct BenchmarkTables {
  let results: [BenchmarkResult]
  let links: [String: [LinkResiduals]]

  /// Returns the tables of a recording: one per kind of method, and one of its links.
  func text(of recording: String) -> String {
    let mine = results.filter { $0.recording == recording }
    var parts: [String] = []
    for kind in BenchmarkMethod.Kind.allCases {
      let rows = mine.filter { $0.kind == kind }
      guard let ranges = rows.first?.ranges else { continue }
      let title =
        switch kind {
        case .position: "positions"
        case .distance: "distances"
        case .quality: "quality of ranges"
        }
      parts.append("\(recording): \(title), \(ranges.counted("range"))")
      let table =
        switch kind {
        case .position: positions(rows)
        case .distance: distances(rows)
        case .quality: qualities(rows)
        }
      parts.append(table.text + confusions(rows))
    }
    if let links = links[recording], !links.isEmpty {
      parts.append("\(recording): ranges against truth, \(links.count.counted("link"))")
      parts.append(residuals(links).text)
    }
    return parts.joined(separator: "\n")
  }

  private func residuals(_ links: [LinkResiduals]) -> TextTable {
    TextTable(
      ["tag", "anchor", "ranges#", "bias m#", "sigma m#", "tail %#", "held %#", "scale error %#"],
      rows: links.map { link in
        [
          link.tag, link.anchor, "\(link.count)", link.biasM.text(decimals: 3),
          link.sigmaM.text(decimals: 3), (100 * link.tailShare).text(decimals: 1),
          decimals(link.holdShare.map { 100 * $0 }, 1),
          decimals(link.scaleError.map { 100 * $0 }, 2),
        ]
      })
  }

  private func positions(_ rows: [BenchmarkResult]) -> TextTable {
    TextTable(
      [
        "method", "n#", "coverage#", "rmse m#", "", "median m#", "p95 m#", "max m#", "NEES#",
        "NIS#", "ns/range#", "median ns#", "ranges/s#",
      ],
      rows: rows.map { row in
        [
          row.method, "\(row.n)", decimals(row.coverage, 3), decimals(row.rmseM, 3), mark(row),
          decimals(row.medianM, 3), decimals(row.p95M, 3), decimals(row.maxM, 2),
          decimals(row.nees, 2), decimals(row.nis, 2),
        ] + speed(row)
      })
  }

  private func distances(_ rows: [BenchmarkResult]) -> TextTable {
    TextTable(
      [
        "method", "n#", "coverage#", "rmse m#", "", "median m#", "p95 m#", "lag s#", "jitter m#",
        "NEES#", "ns/range#", "median ns#", "ranges/s#",
      ],
      rows: rows.map { row in
        [
          row.method, "\(row.n)", decimals(row.coverage, 3), decimals(row.rmseM, 3), mark(row),
          decimals(row.medianM, 3), decimals(row.p95M, 3), decimals(row.lagS, 3),
          decimals(row.jitterM, 3), decimals(row.nees, 2),
        ] + speed(row)
      })
  }

  private func qualities(_ rows: [BenchmarkResult]) -> TextTable {
    TextTable(
      [
        "method", "known#", "error by verdict", "error corr.#", "LOS/NLOS#", "ns/range#",
        "median ns#", "ranges/s#",
      ],
      rows: rows.map { row in
        let errors = (row.rmseByVerdictM ?? [:]).sorted { $0.key < $1.key }
          .map { "\($0.key) \($0.value.text(decimals: 2)) m" }
        return [
          row.method, decimals(row.coverage, 3),
          errors.isEmpty ? "-" : errors.joined(separator: ", "), decimals(row.errorCorrelation, 2),
          decimals(row.separation, 2),
        ] + speed(row)
      })
  }

  /// Returns the verdicts of methods on ranges whose true kind is known, one line per method and
  /// kind.
  private func confusions(_ rows: [BenchmarkResult]) -> String {
    var text = ""
    for row in rows {
      guard let table = row.confusion else { continue }
      for (label, counts) in table.counts.sorted(by: { $0.key < $1.key }) {
        let verdicts = counts.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" }
        text += "\n  \(row.method), \(label): \(verdicts.joined(separator: ", "))"
      }
    }
    return text
  }

  private func speed(_ row: BenchmarkResult) -> [String] {
    [
      decimals(row.nsPerRange, 1), decimals(row.nsPerRangeMedian, 1),
      decimals(row.rangesPerSecond, 0),
    ]
  }

  /// Returns `*` for a method that is statistically tied with the best.
  private func mark(_ row: BenchmarkResult) -> String {
    row.tiesWithBest == true ? "*" : ""
  }

  private func decimals(_ value: Double?, _ count: Int) -> String {
    value.map { $0.text(decimals: count) } ?? "-"
  }
}

extension MethodSummary {
  /// Returns the ranking of the methods as a table; `=` marks methods that share a rank.
  func text(of kind: BenchmarkMethod.Kind) -> String {
    let rows = ranking.places.map { place in
      let ties = ranking.places.count { $0.rank == place.rank } > 1
      return [
        "\(place.rank)\(ties ? "=" : "")", methods[place.method], place.error.text(decimals: 3),
        place.ratio.text(decimals: 2),
        "\(place.interval.lowerBound.text(decimals: 2)) to "
          + place.interval.upperBound.text(decimals: 2),
      ]
    }
    let table = TextTable(["rank#", "method", "rmse m#", "ratio#", "95 %"], rows: rows)
    let place =
      recordings.count == 1 ? recordings[0] : "\(recordings.count) recordings, geometric mean"
    var text = "ranking of \(kind.rawValue) methods on \(place)\n\(table.text)"
    let left = ranking.unranked.map { methods[$0] }
    if !left.isEmpty {
      text += "\nnot ranked, without errors on some recording: \(left.joined(separator: ", "))"
    }
    return text
  }
}
