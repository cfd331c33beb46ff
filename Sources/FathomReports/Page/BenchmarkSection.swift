extension BenchmarkResults {
  /// The tables of a file of benchmark results: methods by mean rank, then every recording.
  var tables: [ReportPage.Table] {
    var tables: [ReportPage.Table] = []
    for kind in comparedKinds {
      tables.append(
        ReportPage.Table(
          "Methods by mean rank: \(kind.rawValue)", ["method", "mean rank#"],
          meanRanks(of: kind).map { [$0.method, $0.rank.text(decimals: 2)] },
          remark: "Mean rank by root mean square error over the recordings; 1 is the best. Methods"
            + " without errors on one of the recordings are excluded."))
    }
    return tables + rankings.map(table)
  }

  private func table(of ranking: Ranking) -> ReportPage.Table {
    let entries = ranking.entries
    let hasLag = entries.contains { $0.lagS != nil || $0.jitterM != nil }
    var headings = [
      "method", "n#", "coverage, %#", "RMSE, m#", "median, m#", "95 %, m#", "largest, m#",
    ]
    if hasLag { headings += ["lag, s#", "jitter, m#"] }
    headings += ["NEES#", "ns per range#"]
    let rows = entries.map { entry in
      // The best method is not marked as tied with itself.
      let isTie = entry.tiesWithBest == true && entry != entries.first
      var row = [
        entry.method, "\(entry.n)",
        entry.coverage.map { 100 * $0 }.text(decimals: 1),
        entry.rmseM.text(decimals: 3) + (isTie ? " =" : ""), entry.medianM.text(decimals: 3),
        entry.p95M.text(decimals: 3), entry.maxM.text(decimals: 3),
      ]
      if hasLag { row += [entry.lagS.text(decimals: 3), entry.jitterM.text(decimals: 3)] }
      return row + [entry.nees.text(decimals: 2), entry.nsPerRange.text(decimals: 0)]
    }
    let hasTies = rows.contains { $0[3].hasSuffix("=") }
    return ReportPage.Table(
      "\(ranking.recording): \(ranking.kind.rawValue)", headings, rows,
      remark: hasTies
        ? "= Statistically tied with the best method." : nil)
  }
}
