import Fathom
import FathomRecordings

/// The tracks to be judged, each with the truth that it is compared with.
struct ComparedTracks {
  /// One track and its truth.
  struct Entry {
    /// The tag of the estimates; that of truth where there are no estimates.
    var tag: String
    var track: EstimatedTrack
    /// The name of the truth track; nil where there is none for this tag.
    var truthTag: String?
    var truth: PositionTrack?
  }

  /// In the order of the tags' names; tracks of truth without estimates have an empty track.
  var entries: [Entry] = []
  /// The tracks of truth that count, by name, with the time offset applied.
  var truths: [String: PositionTrack]
  /// The first instant that counts; nil without estimates.
  var begin: Timestamp?
  var settings: EvaluationSettings

  init(_ tracks: [String: EstimatedTrack], truth: Truth, settings: EvaluationSettings) {
    self.settings = settings
    let wanted = settings.tag
    let tracks = tracks.filter { wanted == nil || $0.key == wanted }
    truths = truth.tracks.mapValues { Self.shifted($0, by: settings.timeOffset) }
    func truthTag(of tag: String) -> String? {
      if truths[tag] != nil { return tag }
      if truths[""] != nil { return "" }
      return tag.isEmpty && truths.count == 1 ? truths.keys.first : nil
    }
    if let wanted { truths = truths.filter { $0.key == wanted || $0.key.isEmpty } }
    begin = tracks.values.compactMap(\.times.first).min()?.advanced(bySeconds: settings.skipFirst)
    var isCompared: Set<String> = []
    for (tag, track) in tracks.sorted(by: { $0.key < $1.key }) {
      let name = truthTag(of: tag)
      if let name { isCompared.insert(name) }
      entries.append(
        Entry(tag: tag, track: track, truthTag: name, truth: name.flatMap { truths[$0] }))
    }
    for (tag, track) in truths.sorted(by: { $0.key < $1.key }) where !isCompared.contains(tag) {
      entries.append(Entry(tag: tag, track: EstimatedTrack(), truthTag: tag, truth: track))
    }
  }

  private static func shifted(_ track: PositionTrack, by seconds: Double) -> PositionTrack {
    if seconds == 0 { return track }
    return PositionTrack(
      times: track.times.map { $0.advanced(bySeconds: seconds) }, positions: track.positions)
  }
}
