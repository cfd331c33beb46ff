extension EstimateComparison {
  /// The section of the page without its figures.
  func section(_ identifier: String) -> ReportPage.Section {
    let rows = estimates.map { name, results -> [String] in
      let accuracy = results.evaluation?.accuracy
      return [
        name, "\(results.positions.count)", accuracy?.rmseM.text(decimals: 3) ?? "–",
        accuracy?.medianM.text(decimals: 3) ?? "–", accuracy?.p95M.text(decimals: 3) ?? "–",
        accuracy?.maxM.text(decimals: 3) ?? "–",
        results.evaluation?.consistency?.meanPerDof.text(decimals: 2) ?? "–",
      ]
    }
    return ReportPage.Section(
      identifier: identifier, heading: "Comparison: \(name)",
      tables: [
        ReportPage.Table(
          "Estimates",
          [
            "estimate", "positions#", "RMSE, m#", "median, m#", "95 %, m#", "largest, m#",
            "mean NEES per dimension#",
          ], rows,
          remark: "Mean NEES per dimension is 1 when covariances are right, more when they are too"
            + " small.")
      ])
  }
}
