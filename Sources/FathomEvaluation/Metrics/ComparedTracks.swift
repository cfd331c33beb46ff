import Fathom
import FathomRecordings

/// The tracks to evaluate, each with the truth that it is compared with.
struct ComparedTracks {
  /// One track and its truth.
  struct Entry {
    /// Tag of the estimates; that of truth when there are no estimates.
    var tag: String
    var track: EstimatedTrack
    /// Name of the truth track; nil when the tag has no truth.
    var truthTag: String?
    var truth: PositionTrack?
  }

  /// Sorted by tag name.
  ///
  /// Truth tracks without estimates have an empty track.
  var entries: [Entry] = []
  /// The truth tracks to compare with, by name, with the time offset applied.
  var truths: [String: PositionTrack]
  /// First evaluated time; nil without estimates.
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
