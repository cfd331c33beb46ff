import Fathom
import FathomRecordings

/// A change of the level of a link's residuals: the anchor was moved, its view was blocked, or the tag
/// went where the signal takes another path.
struct LinkChange: Sendable, Equatable {
  var tag: String
  var anchor: String
  /// When the first range of the new level was measured.
  var time: Timestamp
  var level: LevelChange
}

extension RecordedResults {
  /// Probability that a recording without changes has one in its report, for all its links together.
  ///
  /// One report in a thousand; with ten times as much, a batch of a hundred recordings would have one.
  static let falseAlarmRate = 0.001

  /// The changes of the level of the residuals after the fit, in order of time.
  var linkChanges: [LinkChange] {
    if anchors.isEmpty { return [] }
    let links = fitResiduals
    let rate = Self.falseAlarmRate / Double(max(1, links.count))
    return links.flatMap { link in
      LevelChange.changes(of: link.values, falseAlarmRate: rate).map {
        LinkChange(
          tag: link.tag, anchor: link.anchor, time: distances.time[link.rows[$0.index]], level: $0)
      }
    }.sorted { $0.time < $1.time }
  }
}
