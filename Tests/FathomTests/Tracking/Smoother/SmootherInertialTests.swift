import FathomEvaluation
import RealModule
import TestSupport
import Testing

@testable import Fathom

/// Smoothed tracks that follow inertial data.
@Suite struct SmootherInertialTests {
  /// The inertial data of the steps together are those of the whole flight.
  @Test func linksDivideTheReadings() throws {
    var generator = SeededGenerator(seed: 5821)
    let flight = SimulatedFlight(to: 10, using: &generator)
    let times = [0.503, 0.7, 1.25, 4.001, 9, 20].map { instant($0) }
    let links = InertialLinks(between: times, flight.readings, errors: InertialErrors())
    #expect(links.inputs.count == 5 && links.inputs[4] == nil)
    #expect(links.isSameFrame == [true, true, true, true, true])
    var velocity = Vector<3>.zero
    for (index, input) in links.inputs.prefix(4).enumerated() {
      let input = try #require(input)
      #expect(isClose(input.seconds, times[index + 1].seconds(since: times[index]), within: 1e-9))
      velocity += input.velocity
    }
    let whole = InertialLinks(
      between: [times[0], times[4]], flight.readings, errors: InertialErrors())
    #expect((velocity - (try #require(whole.inputs[0])).velocity).length < 1e-9)
    // The tag stands for three seconds; a state within them is at rest.
    #expect(links.rests.contains(2) || links.rests.contains(1))
  }

  /// The right-hand side of the equations is minus the derivative of their cost, and the equations are
  /// its second derivative.
  @Test(arguments: [false, true]) func gradientMatchesDifferences(isLevel: Bool) throws {
    if isLevel {
      try check(SmootherRun<8>.self, isLevel: true)
    } else {
      try check(SmootherRun<10>.self, isLevel: false)
    }
  }

  private func check<let N: Int>(_ kind: SmootherRun<N>.Type, isLevel: Bool) throws {
    var generator = SeededGenerator(seed: 5822)
    var options = SimulatedFlight.Options()
    options.isLevel = isLevel
    let flight = SimulatedFlight(to: 20, options, using: &generator)
    var configuration = SimulatedFlight.configuration(isLevel: isLevel)
    configuration.errors.degreesOfFreedom = .infinity
    let problem = SmootherProblem(
      flight.ranges.map(\.measurement), sensors: SensorReadings(inertial: flight.readings),
      interruptions: [], anchors: SimulatedFlight.anchors, configuration: configuration)
    let found: SmootherRun<N>? = problem.run()
    var run = try #require(found)
    #expect(run.inertial.inputs.contains { $0 != nil })
    for index in run.states.indices { run.states[index] += 0.05 * generator.normal() }
    func right(_ run: SmootherRun<N>) -> (ChainEquations<N>, Double) {
      var chain = ChainEquations<N>(count: run.knots.times.count, shared: run.common.count)
      let cost = run.linearise(into: &chain)
      return (chain, cost)
    }
    let (chain, _) = right(run)
    let delta = 1e-5
    for state in [0, 30, 61, 150] {
      for place in 0..<(isLevel ? 7 : 10) {
        let index = N * state + place
        var (low, high) = (run, run)
        low.states[index] -= delta
        high.states[index] += delta
        let slope = (right(high).1 - right(low).1) / (2 * delta)
        #expect(
          isClose(chain.right[index], -slope, within: 1e-3 * max(1, slope.magnitude)),
          "state \(state), number \(place)")
      }
    }
  }

  /// Twenty flights: the errors are consistent, and smaller than without inertial data.
  @Test(.releaseOnly, arguments: [false, true]) func errorsAreConsistent(isLevel: Bool) throws {
    var generator = SeededGenerator(seed: 5823)
    var (sum, with, without) = (0.0, 0.0, 0.0)
    let flights = 20
    for _ in 0..<flights {
      var options = SimulatedFlight.Options()
      options.isLevel = isLevel
      let flight = SimulatedFlight(to: 30, options, using: &generator)
      var configuration = SimulatedFlight.configuration(isLevel: isLevel)
      let ranges = flight.ranges.map(\.measurement)
      let smoother = try TrackSmoother(
        anchors: SimulatedFlight.anchors, configuration: configuration)
      let track = try #require(
        smoother.smoothed(ranges, sensors: SensorReadings(inertial: flight.readings)))
      configuration.inertial = nil
      let plain = try TrackSmoother(
        anchors: SimulatedFlight.anchors, configuration: configuration)
      let other = try #require(plain.smoothed(ranges))
      for range in flight.ranges where range.time > instant(8) {
        let estimate = try #require(track.estimate(at: range.time))
        sum += try #require(estimate.normalizedSquare(of: range.truth))
        with += (estimate.position - range.truth).squared
        without += (try #require(other.estimate(at: range.time)).position - range.truth).squared
      }
    }
    let count = Double(flights) * 22 * 16
    let mean = sum / ((isLevel ? 2 : 3) * count)
    #expect((0.4...2).contains(mean), "seed 5823: normalised error squared \(mean)")
    #expect(with < 0.6 * without, "seed 5823: \((with / without).squareRoot())")
  }
}
