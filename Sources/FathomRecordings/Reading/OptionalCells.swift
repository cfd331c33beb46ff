import Fathom

/// The optional cells of one row of ranges; NaN where absent.
struct OptionalCells {
  private let sigma: Double
  private let azimuth: Double
  private let elevation: Double
  private let horizontalAngle: Double
  private let direction: (x: Double, y: Double, z: Double)
  private let verticalEstimate: UInt8
  private let rssi: Double
  private let firstPathRSSI: Double
  private let nonLineOfSight: Double
  private let trueDistance: Double

  /// Gives `ranges` the optional columns that the file has; returns whether there are any.
  static func prepare(_ ranges: inout RangeColumns, _ layout: RangesLayout) -> Bool {
    if layout[.sigma] != nil { ranges.sigma = [] }
    if layout[.azimuth] != nil { ranges.azimuth = [] }
    if layout[.elevation] != nil { ranges.elevation = [] }
    if layout[.horizontalAngle] != nil { ranges.horizontalAngle = [] }
    if layout.hasDirection { ranges.direction = .init() }
    if layout[.verticalEstimate] != nil { ranges.verticalEstimate = [] }
    if layout[.rssi] != nil { ranges.rssi = [] }
    if layout[.firstPathRSSI] != nil { ranges.firstPathRSSI = [] }
    if layout[.nonLineOfSight] != nil { ranges.nonLineOfSight = [] }
    if layout[.trueDistance] != nil { ranges.trueDistance = [] }
    return ranges != RangeColumns()
  }

  /// The cells of `row`.
  init(_ row: RangesRow) throws(RowFault) {
    sigma = try row.sigma()
    azimuth = try row.angle(.azimuth)
    elevation = try row.angle(.elevation)
    horizontalAngle = try row.angle(.horizontalAngle)
    direction = row.layout.hasDirection ? try row.direction() : (.nan, .nan, .nan)
    verticalEstimate = try row.verticalEstimate()
    rssi = try row.number(.rssi)
    firstPathRSSI = try row.number(.firstPathRSSI)
    nonLineOfSight = try row.nonLineOfSight()
    trueDistance = try row.number(.trueDistance, scaledBy: row.layout.trueDistanceUnit.exponent)
  }

  /// Appends the cells to the columns that exist.
  func append(to ranges: inout RangeColumns) {
    ranges.sigma?.append(sigma)
    ranges.azimuth?.append(azimuth)
    ranges.elevation?.append(elevation)
    ranges.horizontalAngle?.append(horizontalAngle)
    ranges.direction?.x.append(direction.x)
    ranges.direction?.y.append(direction.y)
    ranges.direction?.z.append(direction.z)
    ranges.verticalEstimate?.append(verticalEstimate)
    ranges.rssi?.append(rssi)
    ranges.firstPathRSSI?.append(firstPathRSSI)
    ranges.nonLineOfSight?.append(nonLineOfSight)
    ranges.trueDistance?.append(trueDistance)
  }
}
