import Fathom

extension RangeColumns {
  /// Forgets all ranges, but keeps the memory of the columns, and which of them exist.
  mutating func removeAll() { withEachColumn(Emptying()) }

  /// Takes the memory for `count` ranges at once, in large pages where the system has them.
  mutating func reserveLargePages(_ count: Int) { withEachColumn(Reservation(count: count)) }

  private mutating func withEachColumn(_ change: some ColumnChange) {
    change.apply(to: &time)
    change.apply(to: &tag)
    change.apply(to: &anchor)
    change.apply(to: &distance)
    change.apply(to: &line)
    change.apply(ifThere: &sigma)
    change.apply(ifThere: &azimuth)
    change.apply(ifThere: &elevation)
    change.apply(ifThere: &horizontalAngle)
    change.apply(ifThere: &verticalEstimate)
    change.apply(ifThere: &rssi)
    change.apply(ifThere: &firstPathRSSI)
    change.apply(ifThere: &nonLineOfSight)
    change.apply(ifThere: &trueDistance)
    guard var directions = direction else { return }
    direction = nil
    change.apply(to: &directions.x)
    change.apply(to: &directions.y)
    change.apply(to: &directions.z)
    direction = directions
  }
}

/// Something done to a column whatever its elements are.
private protocol ColumnChange {
  func apply<Element>(to column: inout [Element])
}

extension ColumnChange {
  func apply<Element>(ifThere column: inout [Element]?) {
    guard var elements = column else { return }
    // What is in two places is copied when it changes.
    column = nil
    apply(to: &elements)
    column = elements
  }
}

private struct Emptying: ColumnChange {
  func apply<Element>(to column: inout [Element]) { column.removeAll(keepingCapacity: true) }
}

private struct Reservation: ColumnChange {
  let count: Int

  func apply<Element>(to column: inout [Element]) { column.reserveLargePages(count) }
}
