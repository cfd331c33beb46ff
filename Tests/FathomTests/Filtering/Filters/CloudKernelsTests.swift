import FathomEvaluation
import RealModule
import TestSupport
import Testing

@testable import Fathom

/// Regularised resampling of clouds with one, two and four modes.
@Suite struct CloudKernelsTests {
  /// Measurements that fit two modes alike leave the lesser its share: it would die out if its kernel
  /// were wider.
  @Test func lesserModeSurvivesMeasurements() {
    var sum = 0.0
    for seed in UInt64(7000)..<7010 {
      var generator = SeededGenerator(seed: seed)
      var particles: [Vector<4>] = []
      for (side, count) in [(1.0, 600), (-1, 1400)] {
        for _ in 0..<count {
          particles.append(
            Vector([3, 4 * side, 0, 0]) + 0.3 * Vector.standardNormal(using: &generator))
        }
      }
      var cloud = ParticleFilter(particles: particles)
      for _ in 0..<30 {
        cloud.reweigh {
          let offset = $0 - Vector([3, $0[1] > 0 ? 4 : -4, 0, 0])
          return .exp(-0.12 * offset.dot(offset) / 0.09)
        }
        cloud.resample(using: &generator)
      }
      sum += Double(cloud.particles.count { $0[1] > 0 }) / 2000
    }
    print("share of a mode with 0.3 of the particles, after 30 measurements: \(sum / 10)")
    #expect(isClose(sum / 10, 0.3, within: 0.1), "seeds 7000 to 7009: \(sum / 10)")
  }

  /// A cloud of one mode is spread as by the textbook: a kernel with the covariance of the whole
  /// cloud, to the last bit.
  @Test(arguments: [UInt64](3600...3602))
  func oneModeHasTheKernelOfTheCloud(_ seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    for count in [30, 500, 4000] {
      let prior = Gaussian(
        mean: Vector<6>([10, -20, 1, 0, 1, 0]),
        covariance: .diagonal(Vector([4, 1, 9, 0.1, 0.01, 1])))
      var cloud = ParticleFilter(count: count, of: prior, using: &generator)
      // A sharp range leaves a curved cloud of few effective particles.
      let anchor = Vector<6>([8, -20, 1, 0, 0, 0])
      cloud.reweigh { .exp(-0.5 * .pow((($0 - anchor).length - 4) / 0.3, 2)) }
      for _ in 0..<5 {
        var copy = generator
        let expected = textbook(cloud, using: &copy)
        cloud.resample(using: &generator)
        #expect(cloud.particles == expected, "seed \(seed), \(count) particles")
      }
    }
  }

  /// The two images of a tag at anchors on the line y = 0, or at 30° to it.
  @Test(arguments: [UInt64](3620...3622))
  func twoModesKeepApart(_ seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    for share in [0.5, 0.21, 0.05] {
      for angle in [0.0, 30] {
        let (cosine, sine) = (Double.cos(angle * .pi / 180), Double.sin(angle * .pi / 180))
        let turn = Matrix<2, 2>([[cosine, -sine], [sine, cosine]])
        let modes = [1.0, -1].map { side in
          Mode(
            weight: side > 0 ? share : 1 - share, mean: turn * Vector([3, 4 * side]),
            root: turn * Matrix([[0.4, 0], [0.05 * side, 0.1]]))
        }
        checkModes(modes, count: 1000, using: &generator, "seed \(seed), \(share), \(angle)°")
      }
    }
  }

  @Test(arguments: [UInt64](3640...3642))
  func fourModesKeepApart(_ seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    let square = [(5.0, 5.0), (-5, 5), (-5, -5), (5, -5)]
    for weights in [[0.25, 0.25, 0.25, 0.25], [0.6, 0.05, 0.25, 0.1]] {
      let corners = zip(square, weights).enumerated().map { index, mode in
        Mode(
          weight: mode.1, mean: Vector<2>([mode.0.0, mode.0.1]),
          root: Matrix([[0.1 * Double(index + 1), 0], [0.05, 0.2]]))
      }
      checkModes(corners, count: 1000, using: &generator, "seed \(seed), square, \(weights)")
      let line = corners.enumerated().map { index, mode in
        Mode(
          weight: mode.weight, mean: Vector([4 * Double(index), Double(index)]), root: mode.root)
      }
      checkModes(line, count: 1000, using: &generator, "seed \(seed), line, \(weights)")
    }
  }

  /// Two modes in six states, 30 standard deviations apart in a random direction.
  @Test(arguments: [UInt64](3660...3662))
  func twoModesInSixStatesKeepApart(_ seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    let direction = Vector<6>.standardNormal(using: &generator)
    let apart = (15 / direction.length) * direction
    let modes = [-1.0, 1].map { Mode(weight: 0.5, mean: $0 * apart, root: .identity) }
    checkModes(modes, count: 1000, using: &generator, "seed \(seed)")
  }

  /// Heavy tails, singular clouds, copies of one particle, infinite particles, extreme scales.
  @Test(arguments: [UInt64](3680...3684))
  func hostileCloudsStayFinite(_ seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    for scale in [1, 1e-160, 1e140] {
      let particles = (0..<1000).map { _ in
        Vector<3>([scale * generator.normal() / generator.normal(), generator.normal(), 1e6])
      }
      var cloud = ParticleFilter(particles: particles)
      for _ in 0..<3 {
        cloud.reweigh { _ in Double.exp(700 * (generator.uniform() - 1)) }
        cloud.resample(using: &generator)
      }
      #expect(cloud.particles.allSatisfy { $0.isFinite }, "seed \(seed), \(scale)")
    }
    var same = ParticleFilter(particles: [Vector<2>](repeating: Vector([0.1, 7]), count: 100))
    same.resample(using: &generator)
    #expect(same.particles.allSatisfy { ($0 - Vector([0.1, 7])).length < 1e-6 })
    var broken = ParticleFilter(particles: [Vector<1>([1]), Vector([.infinity]), Vector([2])])
    broken.resample(using: &generator)
    #expect(broken.particles.count == 3)
  }
}

extension ParticleFilter {
  /// Multiplies the weights by `likelihood`.
  fileprivate mutating func reweigh(_ likelihood: (Vector<N>) -> Double) {
    for index in cloud.indices { shares[index] *= likelihood(cloud[index]) }
    let sum = shares.reduce(0, +)
    for index in cloud.indices { shares[index] /= sum }
  }
}

/// One normal mode: mean and a root of the covariance.
private struct Mode<let N: Int> {
  var weight: Double
  var mean: Vector<N>
  var root: Matrix<N, N>
}

/// Resamples systematically and spreads all copies by the kernel of the whole cloud.
private func textbook<let N: Int>(
  _ cloud: ParticleFilter<N>, using generator: inout SeededGenerator
) -> [Vector<N>] {
  let count = cloud.particles.count
  let root = cloud.state.covariance.semidefiniteRoot()
  let width = Double.pow(4 / (Double(N + 2) * Double(count)), 1 / Double(N + 4))
  var plain = cloud
  plain.isRegularized = false
  plain.resample(using: &generator)
  return plain.particles.map {
    $0 + width * (root * Vector<N>.standardNormal(using: &generator))
  }
}

/// Draws a cloud from `modes` and resamples it 20 times with random weights: no particle is left
/// between the modes, and each keeps its share.
private func checkModes<let N: Int>(
  _ modes: [Mode<N>], count: Int, using generator: inout SeededGenerator, _ about: Comment
) {
  var particles: [Vector<N>] = []
  for mode in modes {
    for _ in 0..<Int((mode.weight * Double(count)).rounded()) {
      particles.append(mode.mean + mode.root * Vector.standardNormal(using: &generator))
    }
  }
  var cloud = ParticleFilter(particles: particles)
  // Balances the growth by the kernel, as measurements do.
  let width = Double.pow(4 / (Double(N + 2) * Double(count)), 1 / Double(N + 4))
  let shrinkage = 1 / (1 + width * width).squareRoot()
  let roots = modes.map { Cholesky($0.root.timesTransposed($0.root)) }
  /// The nearest mode, and the square of the distance in its standard deviations.
  func nearest(to particle: Vector<N>) -> (index: Int, square: Double) {
    var result = (index: 0, square: Double.infinity)
    for (index, mode) in modes.enumerated() {
      guard let whitened = roots[index]?.forward(particle - mode.mean) else { continue }
      let square = whitened.dot(whitened)
      if square < result.square { result = (index, square) }
    }
    return result
  }
  func isBetween(_ particle: Vector<N>) -> Bool {
    nearest(to: particle).square.squareRoot() > 6 + Double(N).squareRoot()
  }
  // The kernel of the whole cloud leaves particles there.
  var copy = generator
  #expect(textbook(cloud, using: &copy).filter(isBetween).count > count / 50, about)
  for _ in 0..<20 {
    cloud.reweigh { _ in .exp(generator.uniform(in: -0.5...0)) }
    cloud.resample(using: &generator)
    for (place, particle) in cloud.particles.enumerated() {
      let mode = nearest(to: particle).index
      cloud.cloud[place] = modes[mode].mean + shrinkage * (particle - modes[mode].mean)
    }
  }
  var counts = [Double](repeating: 0, count: modes.count)
  for particle in cloud.particles { counts[nearest(to: particle).index] += 1 }
  #expect(!cloud.particles.contains(where: isBetween), about)
  for (mode, copies) in zip(modes, counts) {
    // A random walk of the share: the relative variance of the weights is 0.02.
    let deviation = (20 * 0.02 * mode.weight * (1 - mode.weight) / Double(count)).squareRoot()
    #expect(
      isClose(copies / Double(count), mode.weight, within: 5 * deviation + 2 / Double(count)), about
    )
  }
}
