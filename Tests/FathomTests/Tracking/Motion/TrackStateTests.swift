import FathomEvaluation
import RealModule
import TestSupport
import Testing

@testable import Fathom

@Suite struct TrackStateTests {
  private typealias Pair = TrackState.Pair

  @Test func startsWithTheGivenEstimateInBothModes() {
    var generator = SeededGenerator(seed: 2000)
    let root = Matrix<6, 6>.random(using: &generator)
    let kinematics = Gaussian(
      mean: Vector<6>.random(using: &generator),
      covariance: (root * root.transposed()).symmetrized())
    for isLevel in [false, true] {
      let state = TrackState(kinematics, isLevel: isLevel)
      let places = isLevel ? [0, 1, 3, 4] : [0, 1, 2, 3, 4, 5]
      #expect(state.size == places.count && state.height == kinematics.mean[2])
      for (row, place) in places.enumerated() {
        #expect(state.mean(row) == Pair(repeating: kinematics.mean[place]))
        for (column, other) in places.enumerated() {
          let expected = kinematics.covariance[place, other]
          #expect(state.covariance(row, column) == Pair(repeating: expected), "seed 2000")
        }
      }
      #expect(state.isMirrored)
    }
  }

  @Test func introducingALinkRemovesItsCorrelations() throws {
    try TrackState.onRandomStates(seed: 2006) { state, modes, generator in
      guard state.linkCount > 0 else { return }
      let link = Int(Double(state.linkCount) * generator.uniform())
      state.introduceLink(link, variance: 0.3)
      for mode in 0..<2 {
        modes[mode].replace(state.firstLink + link, value: 0, variance: 0.3)
      }
    }
  }

  @Test func introducingBiasAndScaleRemovesTheirCorrelations() throws {
    try TrackState.onRandomStates(seed: 2012) { state, modes, _ in
      state.introduceCommon(bias: (0.2, 0.03), scale: (-0.01, 0.004))
      guard state.hasCommon else { return }
      for mode in 0..<2 {
        modes[mode].replace(state.bias, value: 0.2, variance: 0.03)
        modes[mode].replace(state.bias + 1, value: -0.01, variance: 0.004)
      }
    }
  }

  /// Links are added one by one up to the capacity; the estimates of the others stay.
  @Test func addingLinksKeepsTheOthers() throws {
    var generator = SeededGenerator(seed: 2013)
    for (isLevel, hasCommon) in [(false, false), (false, true), (true, false), (true, true)] {
      var state = TrackState.random(
        isLevel: isLevel, hasCommon: hasCommon, links: 1, using: &generator)
      for link in 1..<TrackState.linkCapacity {
        let before = [DenseTrackState(state, mode: 0), DenseTrackState(state, mode: 1)]
        state.introduceLink(link, variance: 0.05)
        #expect(state.size == state.firstLink + link + 1)
        let modes = (0..<2).map { mode in
          var dense = DenseTrackState(state, mode: mode)
          for row in 0..<state.size - 1 {
            dense.mean[row, 0] = before[mode].mean[row, 0]
            for column in 0..<state.size - 1 {
              dense.covariance[row, column] = before[mode].covariance[row, column]
            }
          }
          dense.replace(state.size - 1, value: 0, variance: 0.05)
          return dense
        }
        try state.expectEqual(modes, "seed 2013, link \(link)")
        let expectation = state.expectation(
          of: 4, anchor: Vector.random(using: &generator), link: link)
        state.condition(on: expectation, variance: Pair(0.5, 0.4))
      }
    }
  }

  /// The state is the same if errors decay at once or in steps, beyond the limit of the scale.
  @Test func linkErrorsDecayTogether() throws {
    try TrackState.onRandomStates(seed: 2014) { state, modes, generator in
      for _ in 0..<5 {
        let memory = 0.3 * generator.uniform()
        state.fadeLinks(to: memory)
        for mode in 0..<2 {
          modes[mode].transform(by: state.transition(over: 0, memory: memory))
        }
      }
      #expect(state.linkScale >= 1e-3)
    }
  }

  @Test func detectsPositionsBeyondALimit() {
    for (place, isWithin) in [(999.0, true), (1000, false), (.nan, false), (.infinity, false)] {
      for axis in 0..<2 {
        var mean = Vector<6>.zero
        mean[axis] = -place
        let state = TrackState(Gaussian(mean: mean, covariance: .identity), isLevel: true)
        #expect(state.isWithin(1000) == isWithin)
      }
    }
  }

  /// An element that was never introduced has no variance, and no range changes it.
  @Test func unestimatedElementsStayConstant() {
    var state = TrackState(
      Gaussian(
        mean: Vector([1, 2, 1.2, 0, 0, 0]), covariance: .diagonal(Vector([1, 1, 0, 1, 1, 0]))),
      hasCommon: true)
    let level = ConstantVelocity(horizontalDensity: 1, verticalDensity: 0)
    let processNoise = TrackState.ProcessNoise(level, level, linkVariance: 0)
    for step in 0..<100 {
      state.predict(over: 0.1, processNoise: processNoise, memory: 1)
      let expectation = state.expectation(
        of: 5, anchor: Vector([Double(step % 3) * 4, 0, 3]), link: nil)
      state.condition(on: expectation, variance: Pair(0.01, 0.02))
    }
    #expect(state.mean(2) == Pair(1.2, 1.2) && state.mean(5) == .zero)
    #expect(state.mean(state.bias) == .zero && state.mean(state.bias + 1) == .zero)
    for index in [2, 5, state.bias, state.bias + 1] {
      #expect(state.covariance(index, index) == .zero)
    }
    #expect(state.covariance(2, 0) == .zero)
  }

  /// 10 000 updates with variances from 1e-8 to 1e4 m², steps from zero to an hour, anchors near
  /// and far: the covariance stays exactly symmetric and positive semidefinite.
  @Test(.releaseOnly, arguments: [false, true])
  func extremeUpdatesKeepTheCovariancePositiveSemidefinite(_ isLevel: Bool) throws {
    var generator = SeededGenerator(seed: 2008)
    var state = TrackState.random(
      isLevel: isLevel, hasCommon: true, links: 4, using: &generator)
    for step in 0..<10_000 {
      if step % 1000 == 0 {
        state = .random(
          isLevel: isLevel, hasCommon: step % 2000 == 0, links: 4, using: &generator)
      }
      let seconds = generator.uniform() < 0.01 ? 3600 : generator.exponential(mean: 0.1)
      let processNoise = TrackState.ProcessNoise(
        ConstantVelocity(
          horizontalDensity: generator.exponential(mean: 1), verticalDensity: 0.2),
        ConstantVelocity(
          horizontalDensity: generator.exponential(mean: 3), verticalDensity: 0.5),
        linkVariance: 0.01)
      let memory = generator.uniform()
      if generator.uniform() < 0.02 {
        state.hold(
          over: seconds, followed: 3, speed: 2, processNoise: processNoise, memory: memory)
      } else {
        state.predict(over: seconds, processNoise: processNoise, memory: memory)
      }
      if generator.uniform() < 0.05 {
        state.mix(shares: Pair(generator.uniform(), generator.uniform()))
      }
      if generator.uniform() < 0.01 { state.widen(by: 2) }
      let reach = Double.exp(generator.uniform(in: -3...3) * .log(10))
      let anchor = reach * Vector<3>.random(using: &generator)
      let link = Int(4 * generator.uniform())
      let expectation = state.expectation(
        of: generator.exponential(mean: reach), anchor: anchor, link: link)
      let variances = (0..<2).map { _ in
        Double.exp(generator.uniform(in: -8...4) * .log(10))
      }
      state.condition(on: expectation, variance: Pair(variances[0], variances[1]))
      try #require(state.isMirrored, "seed 2008, step \(step)")
      guard step % 10 == 0 else { continue }
      for mode in 0..<2 {
        let least = try Self.leastCorrelation(DenseTrackState(state, mode: mode).covariance)
        try #require(least > -1e-7, "seed 2008, step \(step): \(least)")
      }
    }
  }

  /// The smallest eigenvalue of the correlation matrix: rounding relative to the size of each
  /// element.
  private static func leastCorrelation(_ covariance: DenseMatrix) throws -> Double {
    var correlations = covariance
    for row in 0..<covariance.rows {
      for column in 0..<covariance.rows {
        let size = (covariance[row, row] * covariance[column, column]).squareRoot()
        correlations[row, column] = size > 0 ? covariance[row, column] / size : 0
      }
    }
    return try SymmetricEigendecomposition(correlations).eigenvalues.min() ?? .nan
  }
}

@Suite struct LinkSlotsTests {
  @Test func everyLinkKeepsItsOwnSlot() {
    var links = LinkSlots(anchorCount: 30)
    var places: [Int: Int] = [:]
    for anchor in [7, 3, 29, 0, 12] {
      let (index, isNew) = links.place(of: anchor, at: instant(0))
      #expect(isNew)
      #expect(index >= 0 && index < TrackState.linkCapacity)
      #expect(!places.values.contains(index))
      places[anchor] = index
    }
    for (anchor, place) in places {
      let (index, isNew) = links.place(of: anchor, at: instant(1))
      #expect(index == place && !isNew)
    }
  }

  @Test func newLinkTakesTheSlotOfTheOldest() {
    var links = LinkSlots(anchorCount: 20)
    var places: [Int] = []
    for anchor in 0..<16 {
      places.append(links.place(of: anchor, at: instant(Double(anchor))).index)
    }
    #expect(Set(places).count == 16)
    // Anchor 0 has another range, so that anchor 1 is the oldest.
    _ = links.place(of: 0, at: instant(16))
    let (index, isNew) = links.place(of: 16, at: instant(17))
    #expect(isNew && index == places[1])
    let back = links.place(of: 1, at: instant(18))
    #expect(back.isNew && back.index == places[2])
  }

  /// Compares with a plain list of the last ranges.
  @Test func slotsBelongToTheSixteenLatestLinks() {
    var generator = SeededGenerator(seed: 2121)
    var links = LinkSlots(anchorCount: 40)
    var recent: [(anchor: Int, place: Int)] = []
    for step in 0..<3000 {
      let anchor = Int(generator.uniform() * generator.uniform() * 40)
      let (index, isNew) = links.place(of: anchor, at: instant(0.01 * Double(step)))
      if let known = recent.firstIndex(where: { $0.anchor == anchor }) {
        #expect(!isNew && recent[known].place == index, "seed 2121, step \(step)")
        recent.remove(at: known)
      } else {
        #expect(isNew, "seed 2121, step \(step)")
        if recent.count == 16 {
          #expect(recent[0].place == index, "seed 2121, step \(step)")
          recent.removeFirst()
        }
        #expect(!recent.contains { $0.place == index }, "seed 2121, step \(step)")
      }
      recent.append((anchor, index))
    }
  }
}
