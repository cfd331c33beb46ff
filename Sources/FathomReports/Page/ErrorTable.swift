import FathomRecordings

extension RecordedResults {
  /// What the methods found about the errors of ranges; nil if they looked for nothing.
  var errorTable: ReportPage.Table? {
    var rows: [[String]] = []
    func add(
      _ tag: String, _ error: String, _ value: Double?, _ sigma: Double?, in unit: String,
      _ decision: String
    ) {
      let factor = unit == "%" ? 100.0 : 1
      let decimals = unit == "%" ? 2 : 3
      rows.append([
        tag, error, value.map { (factor * $0).text(decimals: decimals) } ?? "–",
        sigma.map { (factor * $0).text(decimals: decimals) } ?? "–", unit, decision,
      ])
    }
    for found in summary.calibration ?? [] {
      add(found.tag, "noise", found.rangeSigmaM, nil, in: "m", "")
      for model in found.models ?? [] where model.model != "offsets" {
        add(
          found.tag, model.model, model.value, model.sigma,
          in: model.model == "scale" ? "%" : "m", model.decision)
      }
      let decision = found.models?.first { $0.model == "offsets" }?.decision
      let offsets = (found.offsetsM ?? [:]).sorted { $0.key < $1.key }
      for (anchor, offset) in offsets.prefix(Self.mostOffsetRows) {
        add(found.tag, "offset of \(anchor)", offset, nil, in: "m", decision ?? "")
      }
      if let persistent = found.persistentSigmaM, persistent > 0 {
        add(found.tag, "persistent errors of links", nil, persistent, in: "m", "")
      }
    }
    if let found = summary.rangeErrors {
      add("all", "noise", found.rangeSigmaM, nil, in: "m", "")
      if let decision = found.biasDecision {
        add("all", "bias", found.biasM, found.biasSigmaM, in: "m", decision)
      }
      if let decision = found.scaleDecision {
        add("all", "scale", found.scale, found.scaleSigma, in: "%", decision)
      }
      for offset in (found.offsets ?? []).prefix(Self.mostOffsetRows) {
        add(
          "all", "offset of \(offset.anchor)", offset.offsetM, offset.sigmaM, in: "m",
          found.offsetDecision ?? "")
      }
    }
    if rows.isEmpty { return nil }
    return ReportPage.Table(
      "Errors of the ranges that were found",
      ["tag", "error", "value#", "sigma#", "unit", "decision"],
      rows,
      remark:
        "Corrected errors are taken off the ranges before the positions, and off the residuals"
        + " above. Another decision names the test that an error did not pass.")
  }

  private static let mostOffsetRows = 40
}
