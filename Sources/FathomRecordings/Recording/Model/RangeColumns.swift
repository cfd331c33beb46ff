import Fathom

/// The ranges of a recording in columns of equal length, with one entry per range.
///
/// A structure of arrays: a stage that needs times and distances reads only those columns. Tags and
/// anchors are indices into tables of names. An optional column, `ranges[.sigma]`, is nil when the
/// recording lacks it; within a column, NaN marks a missing entry.
public struct RangeColumns: Sendable, Equatable {
  /// Time of each measurement.
  public var time: [Timestamp] = []
  /// Index of the measuring tag (or phone).
  public var tag: [Int32] = []
  /// Index of the responding anchor (or accessory).
  public var anchor: [Int32] = []
  /// Measured distance, in metres; always valid in the sense of `MeasuredDistance`.
  public var distance: [Double] = []
  /// Physical line of each range in the source, from 1.
  public var line: [Int] = []
  private var numbers = PerQuantity<[Double]?>(repeating: nil)

  /// Creates empty columns, with those for `quantities` among them.
  public init(with quantities: [RangeQuantity] = []) {
    for quantity in quantities { numbers[quantity] = [] }
  }

  /// The column for `quantity`; nil when the recording lacks it.
  public subscript(quantity: RangeQuantity) -> [Double]? {
    @inline(__always) get { numbers[quantity] }
    @inline(__always) _modify { yield &numbers[quantity] }
  }

  /// Number of ranges.
  public var count: Int { time.count }

  /// The optional columns that exist.
  package var quantities: [RangeQuantity] { RangeQuantity.allCases.filter { numbers[$0] != nil } }

  /// Appends a range, whose `values` are stored in the existing columns.
  package mutating func append(
    at time: Timestamp, tag: Int32, anchor: Int32, distance: Double, line: Int,
    _ values: PerQuantity<Double>
  ) {
    self.time.append(time)
    self.tag.append(tag)
    self.anchor.append(anchor)
    self.distance.append(distance)
    self.line.append(line)
    for quantity in RangeQuantity.allCases { numbers[quantity]?.append(values[quantity]) }
  }

  /// Appends the ranges of `others`, which must have the same optional columns.
  public mutating func append(contentsOf others: RangeColumns) {
    time += others.time
    tag += others.tag
    anchor += others.anchor
    distance += others.distance
    line += others.line
    for quantity in RangeQuantity.allCases {
      let more = others.numbers[quantity]
      precondition((more == nil) == (numbers[quantity] == nil), "columns differ")
      if let more { numbers[quantity]?.append(contentsOf: more) }
    }
  }

  /// Returns the ranges at the indices `places`, in that order.
  public func gathered(_ places: ArraySlice<Int>) -> RangeColumns {
    func gathered<Element>(_ column: [Element]) -> [Element] { places.map { column[$0] } }
    var result = RangeColumns()
    result.time = gathered(time)
    result.tag = gathered(tag)
    result.anchor = gathered(anchor)
    result.distance = gathered(distance)
    result.line = gathered(line)
    for quantity in RangeQuantity.allCases {
      result.numbers[quantity] = numbers[quantity].map(gathered)
    }
    return result
  }

  /// Returns the indices of the ranges in order of time; simultaneous ranges keep their order.
  ///
  /// Returns nil when the ranges are already in order. Cost: O(count log count).
  public func orderByTime() -> [Int]? {
    var inOrder = true
    for index in time.indices.dropFirst() where time[index] < time[index - 1] {
      inOrder = false
      break
    }
    if inOrder { return nil }
    return time.indices.sorted { left, right in
      time[left] == time[right] ? left < right : time[left] < time[right]
    }
  }
}

extension RangeColumns {
  /// Reserves memory for `count` ranges in the existing columns.
  public mutating func reserveCapacity(_ count: Int) {
    withEachColumn(Reservation(count: count, usesLargePages: false))
  }

  /// Reserves memory for `count` ranges, in large pages if the system supports them.
  mutating func reserveLargePages(_ count: Int) {
    withEachColumn(Reservation(count: count, usesLargePages: true))
  }

  /// Removes all ranges, but keeps the columns and their memory.
  mutating func removeAll() { withEachColumn(Emptying()) }

  private mutating func withEachColumn(_ change: some ColumnChange) {
    change.apply(to: &time)
    change.apply(to: &tag)
    change.apply(to: &anchor)
    change.apply(to: &distance)
    change.apply(to: &line)
    for quantity in RangeQuantity.allCases {
      guard var values = numbers[quantity] else { continue }
      // Removing the other reference prevents a copy on write.
      numbers[quantity] = nil
      change.apply(to: &values)
      numbers[quantity] = values
    }
  }

  /// Moves the columns into groups of about equal memory, in each of which the other columns are
  /// empty.
  mutating func separated() -> [RangeColumns] {
    var groups = [RangeColumns](repeating: RangeColumns(), count: 4)
    swap(&groups[0].time, &time)
    swap(&groups[1].distance, &distance)
    swap(&groups[2].line, &line)
    swap(&groups[3].tag, &tag)
    swap(&groups[3].anchor, &anchor)
    return groups + [self]
  }

  /// Creates columns from the groups of ``separated()``.
  init(_ groups: consuming [RangeColumns]) {
    self = groups[4]
    time = groups[0].time
    distance = groups[1].distance
    line = groups[2].line
    tag = groups[3].tag
    anchor = groups[3].anchor
  }
}

/// A change of a column, whatever its elements.
private protocol ColumnChange {
  func apply<Element>(to column: inout [Element])
}

private struct Emptying: ColumnChange {
  func apply<Element>(to column: inout [Element]) { column.removeAll(keepingCapacity: true) }
}

private struct Reservation: ColumnChange {
  let count: Int
  let usesLargePages: Bool

  func apply<Element>(to column: inout [Element]) {
    if usesLargePages { column.reserveLargePages(count) } else { column.reserveCapacity(count) }
  }
}
