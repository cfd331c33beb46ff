import Fathom
import FathomEvaluation
import TestSupport
import Testing

@Suite struct TrajectoryTests {
  private let figure = LissajousPath(
    centre: point(10, 7, 3), amplitude: point(7, 4.5, 0), period: point(40, 24, 1),
    phase: point(0, 1.2, 0))

  @Test func lissajousPathIsASineOnEveryAxis() {
    // A quarter of a period after phase 0, the sine is 1 and the velocity on that axis 0.
    let quarter = Trajectory.lissajous(figure).motion(at: 10)
    #expect(isClose(quarter.position[0], 17, within: 1e-12))
    #expect(isClose(quarter.velocity[0], 0, within: 1e-12))
    // At the start 2 pi 7 / 40 = 1.0995574287564276 m/s.
    let start = Trajectory.lissajous(figure).motion(at: 0)
    #expect(isClose(start.position[0], 10, within: 1e-12))
    #expect(isClose(start.velocity[0], 1.099_557_428_756_427_6, within: 1e-12))
    #expect(start.position[2] == 3)
    #expect(start.velocity[2] == 0)
  }

  @Test func velocityIsTheDerivativeOfPosition() {
    // Central differences have errors of h² / 6 times the third derivative, here below 2e-8 m/s.
    let step = 1e-3
    for index in 0..<500 {
      let time = Double(index) * 0.37
      let change =
        figure.motion(at: time + step).position - figure.motion(at: time - step).position
      let error = (1 / (2 * step)) * change - figure.motion(at: time).velocity
      #expect(error.length < 1e-7)
    }
  }

  @Test func lissajousPathIsPeriodic() {
    // 120 s is a whole number of all periods; so is 120 x 2²⁰.
    let late = figure.motion(at: 5.25 + 120 * 1_048_576)
    let early = figure.motion(at: 5.25)
    #expect((late.position - early.position).length < 1e-6)
  }

  @Test func headingIsTheHorizontalDirectionOfTravel() {
    let motion = figure.motion(at: 3)
    let speed = (motion.velocity[0] * motion.velocity[0] + motion.velocity[1] * motion.velocity[1])
      .squareRoot()
    #expect(isClose(motion.ahead[0], motion.velocity[0] / speed, within: 1e-12))
    #expect(isClose(motion.ahead[1], motion.velocity[1] / speed, within: 1e-12))
    let still = LissajousPath(centre: point(1, 2, 3), amplitude: .zero, period: point(1, 1, 1))
    #expect(still.motion(at: 4).ahead == point(1, 0, 0))
  }
}
