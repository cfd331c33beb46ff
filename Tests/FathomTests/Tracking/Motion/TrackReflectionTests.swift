import FathomEvaluation
import TestSupport
import Testing

@testable import Fathom

@Suite struct TrackReflectionTests {
  @Test func wideningScalesOnlyPositionAndVelocity() throws {
    try TrackState.onRandomStates(seed: 2004) { state, modes, _ in
      state.widen(by: 3)
      let factors = DenseMatrix.diagonal((0..<state.size).map { $0 < 2 * state.axes ? 3 : 1 })
      for mode in 0..<2 {
        let mean = modes[mode].mean
        modes[mode].transform(by: factors)
        modes[mode].mean = mean
      }
    }
  }

  @Test func reflectionIsAHouseholderMatrix() throws {
    try TrackState.onRandomStates(seed: 2005) { state, modes, generator in
      var direction = Vector<3>.random(using: &generator)
      if state.axes == 2 { direction[2] = 0 }
      let normal = (1 / direction.length) * direction
      let centre = Vector<3>.random(using: &generator)
      state.reflect(in: centre, normal: normal)
      var mirror = state.identity
      for first in [0, state.axes] {
        for row in 0..<state.axes {
          for column in 0..<state.axes {
            mirror[first + row, first + column] -= 2 * normal[row] * normal[column]
          }
        }
      }
      for mode in 0..<2 {
        modes[mode].transform(by: mirror)
        for axis in 0..<state.axes {
          modes[mode].mean[axis, 0] += 2 * centre.dot(normal) * normal[axis]
        }
      }
    }
  }

  /// Reflecting twice changes nothing.
  @Test func reflectionIsItsOwnInverse() throws {
    try TrackState.onRandomStates(seed: 2010) { state, _, generator in
      var direction = Vector<3>.random(using: &generator)
      if state.axes == 2 { direction[2] = 0 }
      let normal = (1 / direction.length) * direction
      let centre = Vector<3>.random(using: &generator)
      for _ in 0..<2 { state.reflect(in: centre, normal: normal) }
    }
  }
}
