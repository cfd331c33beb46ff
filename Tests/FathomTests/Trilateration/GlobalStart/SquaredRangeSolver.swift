@testable import Fathom

/// Solvers for the global minimum of the squared ranges: the library's own, and two independent
/// ones for cross-checks.
enum SquaredRangeSolver: String, CaseIterable {
  /// Newton's method on a scalar equation: the library's own.
  case secular
  /// The largest real eigenvalue of a small matrix [Larsson et al.
  ///
  /// 2025].
  case eigenvalue
  /// A generalised trust region subproblem [Beck, Stoica & Li 2008].
  case trustRegion
}

extension Trilateration {
  /// Computes the same as `squaredRangeMinimum(ranges:anchors:sigmas:options:)` by a given solver.
  static func squaredRangeMinimum(
    ranges: [Double], anchors: [Vector<3>], sigmas: [Double]? = nil, height: Double? = nil,
    by solver: SquaredRangeSolver
  ) throws -> [Vector<3>] {
    var options = Options()
    options.height = height
    if solver == .secular {
      return try squaredRangeMinimum(
        ranges: ranges, anchors: anchors, sigmas: sigmas, options: options)
    }
    let usable = try UsableRanges(ranges, anchors, sigmas, options)
    let free = height == nil ? 3 : 2
    guard usable.indices.count >= free else { return [] }
    let problem = usable.problem(free: free, known: Vector([0, 0, height ?? 0]))
    guard problem.span.rank >= free - 1, let squares = SquaredRanges(problem) else { return [] }
    let minima =
      solver == .eigenvalue
      ? (try? squares.minimaByEigenvalues()) ?? [] : problem.minimaByTrustRegion()
    return minima.filter { $0.isFinite }.map { problem.span.centre + $0 }
  }
}
