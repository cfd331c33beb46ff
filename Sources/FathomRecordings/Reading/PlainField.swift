/// What one field of a ranges file becomes in a plain row, see ``PlainRanges``.
struct PlainField {
  /// What a cell becomes that rows may lack.
  enum Cell {
    case ignored, event, verticalEstimate, flag
    /// A number, times a power of ten.
    case number(scale: Int)
    /// A standard deviation, times a power of ten.
    case sigma(scale: Int)
    case angle(AngleUnit)
    /// A component of a direction: 0, 1, 2.
    case component(Int)
  }

  /// The cells that every row has, one bit each.
  ///
  /// They are told apart by tests of bits: of a switch the compiler makes an indirect jump, which
  /// costs more than the cell where processors do not foresee it.
  struct Required: OptionSet {
    let rawValue: UInt8
    static let time = Required(rawValue: 1)
    static let tag = Required(rawValue: 2)
    static let anchor = Required(rawValue: 4)
    static let distance = Required(rawValue: 8)
  }

  var required: Required = []
  var cell = Cell.ignored
  /// Place of its numbers in the scratch columns of optional cells; negative where they have none.
  var slot = -1
  /// What ends the cell.
  var stop: UInt8

  /// The fields of files of the given layout.
  ///
  /// - Parameter layout: where the columns are and in which units.
  /// - Returns: the fields, and the optional columns that the file has, in the order of their
  ///   slots.
  static func all(of layout: RangesLayout) -> (fields: [PlainField], optional: [RangesColumn]) {
    var fields = [PlainField](
      repeating: PlainField(stop: layout.delimiter.byte),
      count: layout.header.names.count)
    fields[fields.count - 1].stop = UInt8(ascii: "\n")
    var optional: [RangesColumn] = []
    for column in RangesColumn.allCases {
      guard let place = layout[column]?.field else { continue }
      switch column {
      case .time: fields[place].required = .time
      case .tag: fields[place].required = .tag
      case .anchor: fields[place].required = .anchor
      case .distance: fields[place].required = .distance
      case .event: fields[place].cell = .event
      case .sigma: fields[place].cell = .sigma(scale: layout.sigmaUnit.exponent)
      case .azimuth, .elevation, .horizontalAngle:
        fields[place].cell = .angle(layout.angleUnits[column] ?? .radians)
      case .directionX, .directionY, .directionZ:
        // Components of an incomplete direction are not even looked at.
        guard layout.hasDirection else { continue }
        fields[place].cell = .component(column.rawValue - RangesColumn.directionX.rawValue)
      case .verticalEstimate: fields[place].cell = .verticalEstimate
      case .rssi, .firstPathRSSI: fields[place].cell = .number(scale: 0)
      case .nonLineOfSight: fields[place].cell = .flag
      case .trueDistance:
        fields[place].cell = .number(scale: layout.trueDistanceUnit.exponent)
      }
      if column.isOptionalNumber {
        fields[place].slot = optional.count
        optional.append(column)
      }
    }
    return (fields, optional)
  }
}

extension RangesColumn {
  /// Whether the column holds a number that a row may lack.
  fileprivate var isOptionalNumber: Bool {
    switch self {
    case .time, .tag, .anchor, .distance, .event: false
    default: true
    }
  }
}
