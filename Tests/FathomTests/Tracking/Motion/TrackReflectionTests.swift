import FathomEvaluation
import TestSupport
import Testing

@testable import Fathom

@Suite struct TrackReflectionTests {
  @Test func wideningMultipliesPositionAndVelocityAlone() throws {
    try TrackState.onRandomBeliefs(seed: 2004) { belief, modes, _ in
      belief.widen(by: 3)
      let factors = DenseMatrix.diagonal((0..<belief.size).map { $0 < 2 * belief.axes ? 3 : 1 })
      for mode in 0..<2 {
        let mean = modes[mode].mean
        modes[mode].transform(by: factors)
        modes[mode].mean = mean
      }
    }
  }

  @Test func aReflectionIsAHouseholderMatrix() throws {
    try TrackState.onRandomBeliefs(seed: 2005) { belief, modes, generator in
      var direction = Vector<3>.random(using: &generator)
      if belief.axes == 2 { direction[2] = 0 }
      let normal = (1 / direction.length) * direction
      let centre = Vector<3>.random(using: &generator)
      belief.reflect(in: centre, normal: normal)
      var mirror = belief.identity
      for first in [0, belief.axes] {
        for row in 0..<belief.axes {
          for column in 0..<belief.axes {
            mirror[first + row, first + column] -= 2 * normal[row] * normal[column]
          }
        }
      }
      for mode in 0..<2 {
        modes[mode].transform(by: mirror)
        for axis in 0..<belief.axes {
          modes[mode].mean[axis, 0] += 2 * centre.dot(normal) * normal[axis]
        }
      }
    }
  }

  /// Reflecting twice is no change.
  @Test func aReflectionIsItsOwnInverse() throws {
    try TrackState.onRandomBeliefs(seed: 2010) { belief, _, generator in
      var direction = Vector<3>.random(using: &generator)
      if belief.axes == 2 { direction[2] = 0 }
      let normal = (1 / direction.length) * direction
      let centre = Vector<3>.random(using: &generator)
      for _ in 0..<2 { belief.reflect(in: centre, normal: normal) }
    }
  }
}
