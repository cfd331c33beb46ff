import Fathom

/// The ranges of a recording in columns of equal length, with one entry per range.
///
/// A structure of arrays: a stage that needs times and distances reads only those columns. Tags and
/// anchors are indices into tables of names. An optional column is nil when the recording lacks it;
/// within a column, NaN marks a missing entry.
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

  /// Standard deviation of the distance, in metres.
  public var sigma: [Double]?
  /// Azimuth of the anchor as recorded, in radians.
  public var azimuth: [Double]?
  /// Elevation of the anchor as recorded, in radians.
  public var elevation: [Double]?
  /// Components of the direction to the anchor in the device frame (x right, y up, z towards the
  /// user); nil without all three columns.
  public var direction: DirectionColumns?
  /// Horizontal angle to the anchor, in radians, positive to the right.
  public var horizontalAngle: [Double]?
  /// Raw value of the vertical estimate (unknown 0, same 1, above 2, below 3, above or below 4).
  public var verticalEstimate: [UInt8]?
  /// Received signal strength (RSSI), in dBm.
  public var rssi: [Double]?
  /// Signal strength of the first path, in dBm.
  public var firstPathRSSI: [Double]?
  /// Recorded label: 0 for line of sight, 1 for an obstructed path.
  public var nonLineOfSight: [Double]?
  /// True distance, in metres, when the recording provides it; never used for estimates.
  public var trueDistance: [Double]?
  /// Measured height of the tag at the time of the range, in metres.
  public var height: [Double]?

  /// Components of unit vectors, with one array per axis.
  public struct DirectionColumns: Sendable, Equatable {
    /// Component to the right.
    public var x: [Double]
    /// Component upwards.
    public var y: [Double]
    /// Component towards the user; a peer straight ahead has -1.
    public var z: [Double]

    /// Creates columns of components of equal length.
    public init(x: [Double] = [], y: [Double] = [], z: [Double] = []) {
      precondition(x.count == y.count && y.count == z.count, "columns differ in length")
      self.x = x
      self.y = y
      self.z = z
    }
  }

  /// Creates empty columns.
  public init() {}

  /// Number of ranges.
  public var count: Int { time.count }

  /// The optional columns that there are, by their names in a ranges file and in its units; NaN marks a
  /// missing entry.
  var optionalColumns: [(name: String, values: [Double])] {
    let columns: [(name: String, values: [Double]?)] = [
      ("sigma_m", sigma), ("azimuth_rad", azimuth), ("elevation_rad", elevation),
      ("horizontal_angle_rad", horizontalAngle), ("direction_x", direction?.x),
      ("direction_y", direction?.y), ("direction_z", direction?.z),
      ("vertical_estimate", verticalEstimate?.map { Double($0) }), ("rssi_dbm", rssi),
      ("rssi_first_path_dbm", firstPathRSSI), ("nlos", nonLineOfSight),
      ("truth_distance_m", trueDistance), ("height_m", height),
    ]
    return columns.compactMap { column in column.values.map { (column.name, $0) } }
  }

  /// Reserves memory for `count` ranges in the existing columns.
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
    height?.reserveCapacity(count)
    direction?.x.reserveCapacity(count)
    direction?.y.reserveCapacity(count)
    direction?.z.reserveCapacity(count)
  }

  /// Appends the ranges of `others`, which must have the same optional columns.
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
    append(others.height, to: &height)
    precondition((others.direction == nil) == (direction == nil), "columns differ")
    guard let more = others.direction else { return }
    direction?.x += more.x
    direction?.y += more.y
    direction?.z += more.z
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
    result.sigma = sigma.map(gathered)
    result.azimuth = azimuth.map(gathered)
    result.elevation = elevation.map(gathered)
    result.horizontalAngle = horizontalAngle.map(gathered)
    result.verticalEstimate = verticalEstimate.map(gathered)
    result.rssi = rssi.map(gathered)
    result.firstPathRSSI = firstPathRSSI.map(gathered)
    result.nonLineOfSight = nonLineOfSight.map(gathered)
    result.trueDistance = trueDistance.map(gathered)
    result.height = height.map(gathered)
    result.direction = direction.map {
      DirectionColumns(x: gathered($0.x), y: gathered($0.y), z: gathered($0.z))
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
