import FathomRecordings

extension RangeColumns {
  /// The components of directions.
  struct DirectionColumns {
    var x: [Double]
    var y: [Double]
    var z: [Double]
  }

  /// The columns of directions together; nil without them.
  var direction: DirectionColumns? {
    get {
      guard let x = self[.directionX], let y = self[.directionY], let z = self[.directionZ] else {
        return nil
      }
      return DirectionColumns(x: x, y: y, z: z)
    }
    set {
      (self[.directionX], self[.directionY], self[.directionZ]) = (
        newValue?.x, newValue?.y, newValue?.z
      )
    }
  }
}
