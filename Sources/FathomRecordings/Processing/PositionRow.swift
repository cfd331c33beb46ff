import Fathom

/// A position as it was written down; NaN where a number is not determined.
struct PositionRow: Sendable {
  /// Its instant.
  var time: Timestamp
  /// Metres: in the world frame; without anchors in the device frame.
  var position: Vector<3>
  /// Covariance of the position, m².
  var covariance: Matrix<3, 3>
  /// Ranges at this instant (or in this epoch) that went in.
  var used: Int
  /// Ranges at this instant (or in this epoch) that did not.
  var rejected: Int
  /// Without anchors the place of the accessory that was located, otherwise 0.
  var accessory: Int32 = 0
  /// How it came about.
  var status: PositionColumns.Status
}

extension PositionRow {
  /// A position on a track.
  init(_ estimate: TrackEstimate, used: Int, rejected: Int) {
    self.init(
      time: estimate.time, position: estimate.position, covariance: estimate.covariance,
      used: used, rejected: rejected, status: PositionColumns.Status(estimate.status))
  }

  /// That there is no position yet.
  static func starting(at time: Timestamp, used: Int, rejected: Int) -> Self {
    Self(
      time: time, position: .undetermined, covariance: .undetermined, used: used,
      rejected: rejected, status: .starting)
  }
}

extension [PositionRow] {
  /// All rows, which are then here no longer.
  mutating func taken() -> [PositionRow] {
    let rows = self
    self = []
    return rows
  }
}

extension PositionColumns.Status {
  /// The status of a position on a track.
  init(_ status: TrackEstimate.Status) {
    switch status {
    case .tracking: self = .tracking
    case .ambiguous: self = .ambiguous
    case .coasting: self = .coasting
    }
  }
}

/// The names of what a recording locates: its tags, or, without anchors, the accessories, with the
/// device's name before it where there are several devices.
struct LocatedNames: Sendable {
  /// Tag by tag, and for each accessory by accessory where those are located.
  let names: [String]
  private let perTag: Int

  /// The names of the recording with the outline given.
  init(_ outline: RecordingOutline) {
    if outline.anchors.isEmpty {
      names = outline.tagNames.flatMap { tag in
        outline.anchorNames.map { outline.tagNames.count > 1 ? "\(tag):\($0)" : $0 }
      }
      perTag = outline.anchorNames.count
    } else {
      names = outline.tagNames
      perTag = 1
    }
  }

  /// The place in ``names`` of what `row`, one of those of `tag`, is about.
  @inline(__always)
  func place(of row: PositionRow, tag: Int) -> Int { tag * perTag + Int(row.accessory) }
}
