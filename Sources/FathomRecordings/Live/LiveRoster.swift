import Fathom

/// The times of the last rows of the tags of a live stream, and which tags are to be forgotten.
///
/// Its memory is that of the most tags at a time, whatever the number of names in the stream.
struct LiveRoster: Sendable {
  private struct Entry: Sendable {
    /// The time of the last row of the tag, in seconds of the clock of this machine.
    var time = -Double.infinity
    /// The number of the batch in which it was, and of all batches with it.
    var batch = 0
    var batches = 0
  }

  private var entries: [Entry] = []
  /// Indices without a tag.
  private(set) var free: Set<Int> = []
  /// The number of tags that were forgotten.
  private(set) var forgottenCount = 0
  private var checked = -Double.infinity

  /// The number of batches from which a tag is established.
  ///
  /// New ones are forgotten before it: a single row of a foreign tag does not displace a tag of the stream.
  private static let establishedBatches = 4
  /// Seconds between two searches for silent tags.
  private static let checkInterval = 1.0

  /// The number of tags that are kept.
  var count: Int { entries.count - free.count }

  /// Notes that the tag at index `tag` is in the batch with the number `batch`, which came at `time`.
  mutating func hear(_ tag: Int, at time: Double, batch: Int) {
    while entries.count <= tag { entries.append(Entry()) }
    if free.contains(tag) {
      free.remove(tag)
      entries[tag] = Entry()
    }
    entries[tag].time = time
    if entries[tag].batch != batch || entries[tag].batches == 0 { entries[tag].batches += 1 }
    entries[tag].batch = batch
  }

  /// Finds the tags to be forgotten at `time`, in seconds of the clock of this machine, in
  /// ascending order.
  ///
  /// A tag is forgotten after a silence of `limit` seconds. If there are more than `most`, those
  /// that were silent longest are forgotten, and an eighth besides, so that this is rare.
  mutating func due(at time: Double, after limit: Double, most: Int) -> [Int] {
    let isFull = count > most
    guard isFull || time - checked >= Self.checkInterval else { return [] }
    checked = time
    let tags = entries.indices.filter { !free.contains($0) }
    var result = tags.filter { time - entries[$0].time >= limit }
    let surplus = tags.count - result.count - most
    if surplus > 0 {
      func key(_ tag: Int) -> (Int, Int, Int) {
        (entries[tag].batches >= Self.establishedBatches ? 1 : 0, entries[tag].batch, tag)
      }
      let dropped = Set(result)
      result += tags.filter { !dropped.contains($0) }.sorted { key($0) < key($1) }
        .prefix(surplus + most / 8)
    }
    return result.sorted()
  }

  /// Notes that the tags at the indices `tags` are forgotten.
  mutating func forget(_ tags: [Int]) {
    forgottenCount += tags.count
    free.formUnion(tags)
  }
}
