import FathomEvaluation
import RealModule
import TestSupport
import Testing

@testable import Fathom

/// Mirrors between sources that move.
@Suite struct SourceMirrorTests {
  private static func drawn(_ generator: inout SeededGenerator, isLevel: Bool) -> Vector<3> {
    Vector([
      generator.uniform(in: -5...5), generator.uniform(in: -5...5),
      isLevel ? 0 : generator.uniform(in: -2...2),
    ])
  }

  /// A tag and its image have the same distances from all sources, and these change alike.
  @Test(arguments: [true, false]) func imageHasTheSameRanges(_ isLevel: Bool) throws {
    var generator = SeededGenerator(seed: 6301)
    for _ in 0..<100 {
      let sources = (0..<(isLevel ? 2 : 3)).map { _ in
        (
          place: Self.drawn(&generator, isLevel: isLevel),
          velocity: 0.2 * Self.drawn(&generator, isLevel: isLevel)
        )
      }
      let mirror = try #require(
        SourceMirror(isLevel: isLevel) { seconds in
          sources.map { $0.place + seconds * $0.velocity }
        })
      let position = Self.drawn(&generator, isLevel: isLevel)
      let velocity = 0.2 * Self.drawn(&generator, isLevel: isLevel)
      let image = mirror.image(position, velocity)
      for source in sources {
        let (own, other) = (position - source.place, image.0 - source.place)
        #expect((own.length - other.length).magnitude < 1e-9, "seed 6301")
        let rate = own.dot(velocity - source.velocity) / own.length
        let others = other.dot(image.1 - source.velocity) / other.length
        // The velocity is a difference over a hundredth of a millisecond.
        #expect((rate - others).magnitude < 1e-3 * (1 + rate.magnitude), "seed 6301")
      }
      #expect(
        (mirror.distance(of: position) + mirror.distance(of: image.0)).magnitude < 1e-9)
    }
  }

  @Test func fewerSourcesLeaveNoMirror() {
    #expect(SourceMirror(isLevel: true) { _ in [.zero] } == nil)
    #expect(SourceMirror(isLevel: true) { _ in [.zero, .zero] } == nil)
    #expect(
      SourceMirror(isLevel: false) { _ in [.zero, Vector([1, 0, 0]), Vector([2, 0, 0])] } == nil)
  }

  /// Both halves of a track on the mirror together have its mean and its variance.
  @Test func halvesHaveTheMomentsOfTheTrack() throws {
    let mirror = try #require(
      SourceMirror(isLevel: true) { _ in [.zero, Vector([1, 0, 0])] })
    var covariance = Matrix<6, 6>.diagonal(Vector([0.04, 1, 0, 0.01, 0.25, 0]))
    covariance[1, 4] = 0.3
    covariance[4, 1] = 0.3
    var configuration = TrackerConfiguration.withHeight(0)
    configuration.modes.motion.verticalDensity = 0
    let mixture = TrackMixture(
      Gaussian(mean: Vector([2, 0.1, 0, 0, 0.2, 0]), covariance: covariance),
      modes: configuration.modes, errors: configuration.errors)
    let (one, other) = mirror.split(mixture)
    let (a, b) = (one.kinematics, other.kinematics)
    let half = (2 / Double.pi).squareRoot()
    for row in 0..<6 {
      #expect((0.5 * (a.mean[row] + b.mean[row]) - mixture.kinematics.mean[row]).magnitude < 1e-9)
      for column in 0..<6 {
        let between =
          0.25 * (a.mean[row] - b.mean[row]) * (a.mean[column] - b.mean[column])
        let total = 0.5 * (a.covariance[row, column] + b.covariance[row, column]) + between
        #expect((total - covariance[row, column]).magnitude < 1e-9)
      }
    }
    #expect((a.mean[1] - 0.1 - half).magnitude < 1e-9)
    #expect((a.covariance[1, 1] - (1 - half * half)).magnitude < 1e-9)
  }

  /// The mean and the variance of a distance between two uncertain places, by ten thousand draws.
  @Test func distanceOfUncertainPlacesIsLonger() {
    var generator = SeededGenerator(seed: 6302)
    let (own, others) = ([0.3, 0.5], [0.2, 0.6])
    var state = Gaussian(mean: Vector<6>([4, 0, 0, 0, 0, 0]), covariance: .zero)
    var estimate = TrackEstimate(
      time: Timestamp(nanoseconds: 0), position: .zero, velocity: .zero, covariance: .zero,
      status: .tracking)
    for axis in 0..<2 {
      state.covariance[axis, axis] = own[axis] * own[axis]
      estimate.covariance[axis, axis] = others[axis] * others[axis]
    }
    let expected = NeighbourRange(state, Neighbour(0, estimate, hops: 0))
    var (sum, squares) = (0.0, 0.0)
    for _ in 0..<10_000 {
      var offset = Vector<3>([4, 0, 0])
      for axis in 0..<2 {
        offset[axis] += own[axis] * generator.normal() + others[axis] * generator.normal()
      }
      sum += offset.length
      squares += offset.length * offset.length
    }
    let mean = sum / 10_000
    let variance = squares / 10_000 - mean * mean
    #expect((mean - 4 - expected.excess).magnitude < 0.015, "seed 6302")
    // Beside the track's own variance along the distance.
    #expect((variance / (own[0] * own[0] + expected.variance) - 1).magnitude < 0.05, "seed 6302")
  }
}
