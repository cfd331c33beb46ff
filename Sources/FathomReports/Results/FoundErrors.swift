import Fathom
import FathomRecordings

extension RecordedResults {
  /// The anchors of the ranges of `tag` with the errors that the method found and corrected, and the
  /// offset of each, which is subtracted from what remains, metres.
  func correctedAnchors(of tag: String) -> [String: (anchor: Anchor, offset: Double)] {
    var (bias, scale) = (0.0, 0.0)
    var offsets: [String: Double] = [:]
    if let found = summary.calibration?.first(where: { $0.tag == tag }) {
      (bias, scale) = (found.biasM ?? 0, found.scale ?? 0)
      offsets = found.offsetsM ?? [:]
    } else if let found = summary.rangeErrors {
      let corrected = RangeErrorEstimate.Decision.corrected.rawValue
      if found.offsetDecision == corrected {
        for offset in found.offsets ?? [] { offsets[offset.anchor] = offset.offsetM }
      }
      // Offsets are found beside a bias, which is then subtracted too.
      if found.biasDecision == corrected || !offsets.isEmpty { bias = found.biasM ?? 0 }
      if found.scaleDecision == corrected { scale = found.scale ?? 0 }
    }
    var result: [String: (anchor: Anchor, offset: Double)] = [:]
    for (name, anchor) in anchors {
      var anchor = anchor
      anchor.bias += anchor.scale * bias
      if scale > -1 { anchor.scale *= 1 + scale }
      result[name] = (anchor, offsets[name] ?? 0)
    }
    return result
  }
}
