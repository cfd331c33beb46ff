import FathomEvaluation
import TestSupport
import Testing

@testable import Fathom

/// The state estimate in one mode with dense matrices, a reference for ``TrackState``.
struct DenseTrackState {
  var mean: DenseMatrix
  var covariance: DenseMatrix

  init(_ state: TrackState, mode: Int) {
    mean = DenseMatrix(column: (0..<state.size).map { state.mean($0)[mode] })
    covariance = DenseMatrix(
      (0..<state.size).map { row in
        (0..<state.size).map { state.covariance(row, $0)[mode] }
      })
  }

  /// F x and F P Fᵀ.
  mutating func transform(by matrix: DenseMatrix) {
    mean = matrix * mean
    covariance = matrix * covariance * matrix.transposed()
  }

  mutating func addNoise(_ noise: DenseMatrix) {
    covariance = DenseMatrix(
      rows: covariance.rows, columns: covariance.columns,
      columnMajor: zip(covariance.columnMajor, noise.columnMajor).map(+))
  }

  /// Sets element `index` to `value`, with a variance and without correlations.
  mutating func replace(_ index: Int, value: Double, variance: Double) {
    for other in 0..<covariance.rows {
      covariance[index, other] = 0
      covariance[other, index] = 0
    }
    mean[index, 0] = value
    covariance[index, index] = variance
  }
}

extension TrackState {
  /// A state estimate with full correlations that differs between the modes.
  static func random(
    isLevel: Bool, hasCommon: Bool, hasHeading: Bool = false, links: Int,
    using generator: inout SeededGenerator
  ) -> Self {
    let root = Matrix<6, 6>.random(using: &generator)
    var state = Self(
      Gaussian(
        mean: Vector.random(using: &generator),
        covariance: (root * root.transposed()).symmetrized()),
      isLevel: isLevel, hasCommon: hasCommon, hasHeading: hasHeading)
    if hasHeading { state.introduceHeading(variance: 0.05) }
    state.introduceCommon(bias: (0.1, 0.09), scale: (0.02, 0.01))
    for link in 0..<links { state.introduceLink(link, variance: 0.02) }
    for step in 0..<8 {
      state.fadeLinks(to: 0.5 + 0.5 * generator.uniform())
      let expectation = state.expectation(
        of: generator.exponential(mean: 4), anchor: 4 * Vector.random(using: &generator),
        link: links > 0 ? step % links : nil)
      state.condition(on: expectation, variance: Pair(0.5, 0.2))
      guard hasHeading else { continue }
      let (angle, _) = state.expectation(
        of: AngleObservation(
          anchor: 4 * Vector.random(using: &generator), axes: .randomAxes(using: &generator),
          measured: .zero, isElevation: false))
      state.condition(on: angle, variance: Pair(0.3, 0.4))
    }
    return state
  }

  /// Modifies random state estimates of all shapes and their references, and compares.
  static func onRandomStates(
    seed: UInt64, hasHeading: Bool = false,
    _ change: (
      inout TrackState, _ modes: inout [DenseTrackState], inout SeededGenerator
    ) -> Void
  ) throws {
    var generator = SeededGenerator(seed: seed)
    for trial in 0..<56 {
      var state = random(
        isLevel: trial % 2 == 1, hasCommon: trial % 4 > 1, hasHeading: hasHeading,
        links: trial / 4 % 7, using: &generator)
      var modes = [DenseTrackState(state, mode: 0), DenseTrackState(state, mode: 1)]
      change(&state, &modes, &generator)
      try state.expectEqual(modes, "seed \(seed), trial \(trial)")
    }
  }

  /// Compares a state estimate with its reference in both modes.
  func expectEqual(_ modes: [DenseTrackState], _ comment: Comment) throws {
    try #require(isMirrored, comment)
    for (mode, expected) in modes.enumerated() {
      let found = DenseTrackState(self, mode: mode)
      let scale = (expected.mean.greatestMagnitude, expected.covariance.greatestMagnitude)
      try #require(found.mean.distance(to: expected.mean) < 1e-11 * (1 + scale.0), comment)
      try #require(
        found.covariance.distance(to: expected.covariance) < 1e-11 * (1 + scale.1), comment)
    }
  }

  /// Whether duplicated elements are bitwise equal, and a row beyond the last is zero.
  var isMirrored: Bool {
    withElements { elements in
      for index in 0..<panelCount {
        let panel = elements.panel(index)
        guard panel[2 * index].highHalf == panel[2 * index + 1].lowHalf else { return false }
        guard 2 * index + 1 == size else { continue }
        for column in 0..<2 * index + 2 where panel[column].highHalf != .zero { return false }
      }
      return true
    }
  }

  /// The identity matrix of the order of this state, for building matrices.
  var identity: DenseMatrix { .identity(size) }

  /// Nearly constant velocity over `seconds`, with link errors multiplied by `memory`.
  func transition(over seconds: Double, memory: Double) -> DenseMatrix {
    var result = identity
    for axis in 0..<axes { result[axis, axis + axes] = seconds }
    for link in firstLink..<size { result[link, link] = memory }
    return result
  }

  /// The corresponding process noise.
  func noise(
    of motion: ConstantVelocity, over seconds: Double, memory: Double, linkVariance: Double
  ) -> DenseMatrix {
    var result = DenseMatrix(rows: size, columns: size)
    let noise = motion.noise(at: .zero, over: seconds)
    let rows = (0..<3).filter { $0 < axes } + (3..<6).filter { $0 - 3 < axes }
    for (row, source) in rows.enumerated() {
      for (column, other) in rows.enumerated() { result[row, column] = noise[source, other] }
    }
    for link in firstLink..<size { result[link, link] = (1 - memory * memory) * linkVariance }
    return result
  }
}
