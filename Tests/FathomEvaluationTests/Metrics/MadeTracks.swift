import Fathom
import FathomEvaluation
import FathomRecordings
import Foundation

/// Returns the time `seconds` after the origin, or the origin for an invalid time.
func instant(_ seconds: Double) -> Timestamp {
  Timestamp(seconds: seconds) ?? Timestamp(nanoseconds: 0)
}

/// Returns a point on a closed, smooth curve in space, metres; the curve is nowhere at rest.
func placeOnCurve(at seconds: Double) -> Vector<3> {
  let turn = 0.4 * seconds
  return point(5 * cos(turn), 4 * cos(1.3 * turn + 1), 1.5 + 0.8 * cos(0.7 * turn + 2))
}

/// Returns the truth of `placeOnCurve`, ten times a second from 0 to `end` seconds.
func curveTruth(until end: Double) -> Truth {
  let seconds = (0...Int(end * 10)).map { Double($0) / 10 }
  let track = PositionTrack(
    times: seconds.map(instant), positions: seconds.map { placeOnCurve(at: $0) })
  return Truth(tracks: ["": track])
}

/// Returns three independent normal values with standard deviation `sigma`.
func normalPoint(_ generator: inout SeededGenerator, sigma: Double) -> Vector<3> {
  point(sigma * generator.normal(), sigma * generator.normal(), sigma * generator.normal())
}

/// Returns a random proper rotation, from a unit quaternion of normal values.
func randomRotation(_ generator: inout SeededGenerator) -> Matrix<3, 3> {
  let raw = (0..<4).map { _ in generator.normal() }
  let length = raw.reduce(0) { $0 + $1 * $1 }.squareRoot()
  let (w, x, y, z) = (raw[0] / length, raw[1] / length, raw[2] / length, raw[3] / length)
  return Matrix<3, 3>([
    [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
    [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
    [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
  ])
}
