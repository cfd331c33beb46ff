/// Which links have an error of their own in the state of a tracker, and where.
///
/// There are fewer places than a site may have anchors. A link that has not been heard of for long
/// has an error that tells nothing any more, so the place of the one silent for longest is the one
/// to give away: leaving its error out of the state is exact, see
/// ``TrackBelief/introduceLink(_:variance:)``.
struct LinkErrors: Sendable {
  /// The place of each anchor, -1 for none.
  private var places: [Int8]
  /// The anchor at each place, nil while free.
  private var anchors: InlineArray<16, Int32?> = InlineArray(repeating: nil)
  /// When the anchor at each place was last heard of.
  private var heard: InlineArray<16, Timestamp> = InlineArray(
    repeating: Timestamp(nanoseconds: .min))

  init(anchorCount: Int) {
    places = Array(repeating: -1, count: anchorCount)
  }

  /// The place of `anchor`'s link, and whether it is new there.
  mutating func place(of anchor: Int, at time: Timestamp) -> (index: Int, isNew: Bool) {
    let known = Int(places[anchor])
    if known >= 0 {
      heard[known] = time
      return (known, false)
    }
    var oldest = 0
    for place in 0..<TrackBelief.linkCapacity {
      if anchors[place] == nil {
        oldest = place
        break
      }
      if heard[place] < heard[oldest] { oldest = place }
    }
    if let former = anchors[oldest] { places[Int(former)] = -1 }
    anchors[oldest] = Int32(anchor)
    heard[oldest] = time
    places[anchor] = Int8(oldest)
    return (oldest, true)
  }
}
