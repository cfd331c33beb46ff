import Fathom

/// The ranges of a recording as columns of equal length, one entry per range.
///
/// A structure of arrays: a stage that needs times and distances touches nothing else. Tags and
/// anchors are small integers given by whoever interned their names. Optional columns are nil where
/// the recording lacks them altogether; inside a column that exists, NaN marks an absent entry.
public struct RangeColumns: Sendable, Equatable {
  /// When each range was measured.
  public var time: [Timestamp] = []
  /// Which tag (or phone) measured it.
  public var tag: [Int32] = []
  /// Which anchor (or accessory) answered.
  public var anchor: [Int32] = []
  /// Measured distance, metres; always a distance in the sense of `MeasuredDistance`.
  public var distance: [Double] = []
  /// Physical line of the source that each range came from, 1 for the first line.
  public var line: [Int] = []

  /// Standard deviation of the distance, metres.
  public var sigma: [Double]?
  /// Azimuth of the anchor as recorded, radians.
  public var azimuth: [Double]?
  /// Elevation of the anchor as recorded, radians.
  public var elevation: [Double]?
  /// Components of the direction to the anchor in the device frame (x right, y up, z towards the
  /// user): three columns, or nil.
  public var direction: DirectionColumns?
  /// Horizontal angle to the anchor, radians, positive to the right.
  public var horizontalAngle: [Double]?
  /// Raw value of the vertical estimate (unknown 0, same 1, above 2, below 3, above or below 4).
  public var verticalEstimate: [UInt8]?
  /// Received signal strength, dBm.
  public var rssi: [Double]?
  /// Signal strength of the first path, dBm.
  public var firstPathRSSI: [Double]?
  /// Recorded label or flag: 0 line of sight, 1 obstructed.
  public var nonLineOfSight: [Double]?
  /// The true distance, metres, where the recording comes with it; never used for an estimate.
  public var trueDistance: [Double]?

  /// Components of unit vectors, one array per axis.
  public struct DirectionColumns: Sendable, Equatable {
    /// Component to the right.
    public var x: [Double]
    /// Component upwards.
    public var y: [Double]
    /// Component towards the user; a peer straight ahead has -1.
    public var z: [Double]

    /// Columns of the given components, equally long.
    public init(x: [Double] = [], y: [Double] = [], z: [Double] = []) {
      precondition(x.count == y.count && y.count == z.count, "columns differ in length")
      self.x = x
      self.y = y
      self.z = z
    }
  }

  /// Empty columns.
  public init() {}

  /// The number of ranges.
  public var count: Int { time.count }

  /// Takes the memory for `count` ranges at once, in the columns that exist.
  public mutating func reserveCapacity(_ count: Int) {
    time.reserveCapacity(count)
    tag.reserveCapacity(count)
    anchor.reserveCapacity(count)
    distance.reserveCapacity(count)
    line.reserveCapacity(count)
    sigma?.reserveCapacity(count)
    azimuth?.reserveCapacity(count)
    elevation?.reserveCapacity(count)
    horizontalAngle?.reserveCapacity(count)
    verticalEstimate?.reserveCapacity(count)
    rssi?.reserveCapacity(count)
    firstPathRSSI?.reserveCapacity(count)
    nonLineOfSight?.reserveCapacity(count)
    trueDistance?.reserveCapacity(count)
    direction?.x.reserveCapacity(count)
    direction?.y.reserveCapacity(count)
    direction?.z.reserveCapacity(count)
  }

  /// Appends the ranges of `others`, which has the same optional columns.
  public mutating func append(contentsOf others: RangeColumns) {
    time += others.time
    tag += others.tag
    anchor += others.anchor
    distance += others.distance
    line += others.line
    func append<Element>(_ more: [Element]?, to column: inout [Element]?) {
      precondition((more == nil) == (column == nil), "columns differ")
      if let more { column?.append(contentsOf: more) }
    }
    append(others.sigma, to: &sigma)
    append(others.azimuth, to: &azimuth)
    append(others.elevation, to: &elevation)
    append(others.horizontalAngle, to: &horizontalAngle)
    append(others.verticalEstimate, to: &verticalEstimate)
    append(others.rssi, to: &rssi)
    append(others.firstPathRSSI, to: &firstPathRSSI)
    append(others.nonLineOfSight, to: &nonLineOfSight)
    append(others.trueDistance, to: &trueDistance)
    precondition((others.direction == nil) == (direction == nil), "columns differ")
    guard let more = others.direction else { return }
    direction?.x += more.x
    direction?.y += more.y
    direction?.z += more.z
  }

  /// The ranges at `places`, in their order.
  public func gathered(_ places: ArraySlice<Int>) -> RangeColumns {
    func gathered<Element>(_ column: [Element]) -> [Element] { places.map { column[$0] } }
    var result = RangeColumns()
    result.time = gathered(time)
    result.tag = gathered(tag)
    result.anchor = gathered(anchor)
    result.distance = gathered(distance)
    result.line = gathered(line)
    result.sigma = sigma.map(gathered)
    result.azimuth = azimuth.map(gathered)
    result.elevation = elevation.map(gathered)
    result.horizontalAngle = horizontalAngle.map(gathered)
    result.verticalEstimate = verticalEstimate.map(gathered)
    result.rssi = rssi.map(gathered)
    result.firstPathRSSI = firstPathRSSI.map(gathered)
    result.nonLineOfSight = nonLineOfSight.map(gathered)
    result.trueDistance = trueDistance.map(gathered)
    result.direction = direction.map {
      DirectionColumns(x: gathered($0.x), y: gathered($0.y), z: gathered($0.z))
    }
    return result
  }

  /// The positions of the ranges in order of time; ranges of one instant keep their order.
  ///
  /// Returns nil where the ranges are in order already. Cost: count log count.
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
