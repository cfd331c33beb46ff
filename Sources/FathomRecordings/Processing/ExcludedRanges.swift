/// The ranges of a recording that no method uses for positions, because its diagnosis rules them out.
struct ExcludedRanges: Sendable, Equatable {
  /// Indices of the anchors whose ranges are wrong all the time.
  var anchors: Set<Int> = []
  /// The distance beyond which ranges cannot be, metres.
  var reach = Double.infinity

  /// Whether all ranges are used.
  var isEmpty: Bool { anchors.isEmpty && reach == .infinity }

  /// Whether a range to the anchor at an index is left out.
  func contains(_ distance: Double, to anchor: Int) -> Bool {
    distance > reach || !anchors.isEmpty && anchors.contains(anchor)
  }
}
