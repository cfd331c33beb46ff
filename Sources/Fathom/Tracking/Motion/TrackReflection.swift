/// Corrections of the state estimate of a wrong track.
extension TrackState {
  /// Multiplies the standard deviations of position and velocity by `factor`.
  mutating func widen(by factor: Double) {
    let (moving, size) = (2 * axes, size)
    withMutableElements { p in
      for row in 0..<size {
        for column in 0..<min(row + 1, moving) {
          p[row, column] *= row < moving ? factor * factor : factor
        }
      }
    }
  }

  /// Replaces position and velocity by their image in the plane through `centre` with the unit
  /// normal `normal`; the normal is horizontal if the height is known.
  mutating func reflect(in centre: Vector<3>, normal: Vector<3>) {
    let (axes, size) = (axes, size)
    let shift = 2 * centre.dot(normal)
    withMutableElements { p in
      for first in [0, axes] {
        var along = Pair.zero
        for axis in 0..<axes { along += normal[axis] * p.mean[first + axis] }
        for axis in 0..<axes {
          p.mean[first + axis] += ((first == 0 ? shift : 0) - 2 * along) * normal[axis]
        }
        Self.reflect(p, first, axes: axes, size: size, normal: normal)
      }
    }
  }

  /// Reflects the `axes` rows from `first` on, and their columns.
  private static func reflect(
    _ p: TrackElements, _ first: Int, axes: Int, size: Int, normal: Vector<3>
  ) {
    // H X with H = I - 2 n nᵀ, for the covariances of other elements with these.
    for other in 0..<size where other < first || other >= first + axes {
      var along = Pair.zero
      for axis in 0..<axes {
        along += normal[axis] * p[max(other, first + axis), min(other, first + axis)]
      }
      for axis in 0..<axes {
        p[max(other, first + axis), min(other, first + axis)] -= 2 * normal[axis] * along
      }
    }
    // H X H = X - 2 (n uᵀ + u nᵀ) + 4 (n·u) n nᵀ with u = X n, for the block X of these elements.
    var products = InlineArray<3, Pair>(repeating: .zero)
    var along = Pair.zero
    for row in 0..<axes {
      for column in 0..<axes {
        let element = p[first + max(row, column), first + min(row, column)]
        products[row] += normal[column] * element
      }
      along += normal[row] * products[row]
    }
    for row in 0..<axes {
      for column in 0...row {
        let cross = normal[row] * products[column] + normal[column] * products[row]
        p[first + row, first + column] -= 2 * cross - 4 * normal[row] * normal[column] * along
      }
    }
  }
}
