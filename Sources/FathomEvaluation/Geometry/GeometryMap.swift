import Fathom
import FathomRecordings

extension GeometrySurvey {
  /// The cells as a CSV file: `x_m,y_m,horizontal_m,vertical_m,cep_m,radius_95_m,measurements`.
  ///
  /// The middle of the cell; what is not determined, and the vertical error where the height is known,
  /// is an empty field.
  public var map: [UInt8] {
    var rows = CSVBuffer(
      header: "x_m,y_m,horizontal_m,vertical_m,cep_m,radius_95_m,measurements", rows: grid.count)
    for cell in 0..<grid.count {
      let (x, y) = grid.centre(cell)
      rows.append(x, decimals: 4)
      rows.append(y, decimals: 4)
      rows.append(errors.horizontal[cell], decimals: 4)
      rows.append(situation.isHeightKnown ? .nan : errors.vertical[cell], decimals: 4)
      rows.append(errors.median[cell], decimals: 4)
      rows.append(errors.radius95[cell], decimals: 4)
      rows.append(errors.measurements[cell])
      rows.endRow()
    }
    return rows.bytes
  }
}

extension GeometrySurvey.Failure: CustomStringConvertible {
  /// The reason, for a message.
  public var description: String {
    switch self {
    case .noAnchors: "there are no anchors"
    case .areaIsEmpty: "the area has no width or no depth"
    case .tooManyCells: "the step asks for more than \(PlanGrid.limit) cells"
    case .input(let error): "\(error)"
    }
  }
}
