import Fathom

extension RecordedDifferences {
  /// The differences of one tag from one round.
  public struct Epoch: Sendable, Equatable {
    /// The last difference's instant.
    public var time: Timestamp
    /// Index of the tag.
    public var tag: Int
    /// Indices into ``RecordedDifferences/rows``, in the order of their time.
    public var rows: [Int]
  }

  /// The epochs, in the order of their last differences.
  ///
  /// An epoch ends when a pair of anchors comes again, either way round, or when its first
  /// difference is older than `window` seconds.
  public func epochs(window: Double) -> [Epoch] {
    var open = [Epoch?](repeating: nil, count: tagNames.count)
    var done: [Epoch] = []
    func pair(_ row: Int) -> [Int] { [rows[row].first, rows[row].second].sorted() }
    for index in rows.indices.sorted(by: { (rows[$0].time, $0) < (rows[$1].time, $1) }) {
      let row = rows[index]
      if let epoch = open[row.tag] {
        let isNew = epoch.rows.allSatisfy { pair($0) != pair(index) }
        let first = epoch.rows.first.map { rows[$0].time } ?? row.time
        if isNew, row.time.seconds(since: first) <= window {
          open[row.tag]?.time = row.time
          open[row.tag]?.rows.append(index)
          continue
        }
        done.append(epoch)
      }
      open[row.tag] = Epoch(time: row.time, tag: row.tag, rows: [index])
    }
    // Sorting by place keeps those of one instant in their order.
    let all = done + open.compactMap { $0 }
    return all.indices.sorted { (all[$0].time, $0) < (all[$1].time, $1) }.map { all[$0] }
  }
}
