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

  /// The changes as a table; nil without any.
  func changeTable(_ changes: [LinkChange]) -> ReportPage.Table? {
    if changes.isEmpty { return nil }
    let rows = changes.map { change in
      [
        linkName(change.tag, change.anchor), change.time.seconds(since: start).text(decimals: 1),
        change.level.before.text(decimals: 3), change.level.after.text(decimals: 3),
        change.level.size.text(decimals: 3),
      ]
    }
    return ReportPage.Table(
      "Changes of links", ["link", "from, s#", "before, m#", "after, m#", "change, m#"], rows,
      remark: "Median residual before and after a lasting change, which a recording without changes"
        + " shows with a probability of \((100 * Self.falseAlarmRate).text(decimals: 1)) %. The anchor"
        + " was moved, its view was blocked, or the signal takes another path where the tag is.")
  }
}
