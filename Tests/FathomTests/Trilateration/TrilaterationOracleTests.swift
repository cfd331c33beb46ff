import TestSupport
import Testing

@testable import Fathom

/// Constructed cases and those of other libraries; see Oracles/trilateration/SOURCE.md.
@Suite struct TrilaterationOracleTests {
  /// Cases not yet solved, with the missing feature.
  static let knownGaps: [String: String] = [:]

  @Test func reproducesOracleCases() throws {
    let cases = try oracle("trilateration/cases.json", as: [Case].self, in: .module)
    #expect(cases.count == 54)
    for one in cases where Self.knownGaps[one.id] == nil {
      switch one.anchors.first?.count ?? 2 {
      case 1: try check(one, Vector<1>.self)
      case 2: try check(one, Vector<2>.self)
      case 3: try check(one, Vector<3>.self)
      case 4: try check(one, Vector<4>.self)
      default: Issue.record("\(one.id): no solver for its dimension")
      }
    }
  }

  private func check<let D: Int>(_ one: Case, _ type: Vector<D>.Type) throws {
    var options = Trilateration.Options()
    options.zeroIsDistance = one.id == "range_zero_all"
    // The optima of the noisy cases are those of least squares.
    options.loss = .squared
    let fix: PositionFix<D>
    do throws(TrilaterationError) {
      fix = try Trilateration.solve(
        ranges: one.ranges, anchors: one.anchors.compactMap { Vector<D>(array: $0) },
        options: options)
    } catch {
      expect(one.required_outcome.hasPrefix("error"), one, "threw \(error)")
      return
    }
    let position = fix.position?.array
    let verdict = fix.verdict
    switch one.required_outcome {
    case "solve", "solve_with_bad_residual":
      expect(position != nil, one, "no position: \(verdict)")
      if let expected = one.expected, let tolerance = one.abs_tol, let position {
        expect(distance(position, expected) <= tolerance, one, "\(position), not \(expected)")
      }
      if let optimum = one.optimum, let position, one.isNoisy {
        let others = [optimum] + (one.other_optima ?? [])
        let nearest = others.map { distance(position, $0) }.min() ?? .infinity
        expect(nearest <= 1e-6, one, "\(nearest) m from the global optimum")
      }
      if one.required_outcome == "solve_with_bad_residual" {
        expect(verdict == .inconsistent, one, "\(verdict), misfit \(fix.misfit ?? .nan)")
      }
    case "ambiguous":
      expect(verdict == .two, one, "\(verdict)")
      let both = [position, fix.alternative?.array].compactMap { $0 }
      for expected in [one.expected, one.alternative].compactMap({ $0 }) {
        let nearest = both.map { distance($0, expected) }.min() ?? .infinity
        expect(nearest <= (one.abs_tol ?? 0), one, "\(nearest) m from \(expected)")
      }
    case "error":
      expect(position == nil, one, "a position: \(verdict)")
      expect(verdict == .tooFew || verdict == .continuum, one, "\(verdict)")
    case "error_or_drop":
      expect(fix.discounted == [1], one, "\(fix.discounted)")
      expect(fix.residuals[1] == nil, one, "a residual for an invalid range")
    default:
      expect(false, one, "unknown outcome")
    }
    expect(fix.position?.isFinite ?? true, one, "not finite")
    expect((fix.position == nil) == (fix.covariance == nil), one, "covariance without position")
  }

  // Outside the generic function: the macros crash the compiler on values of generic shape.
  private func expect(_ condition: Bool, _ one: Case, _ found: String) {
    #expect(condition, "\(one.id): \(found)")
  }

  /// Returns the largest coordinate difference, to which the tolerances of the cases apply.
  private func distance(_ first: [Double], _ second: [Double]) -> Double {
    zip(first, second).map { ($0 - $1).magnitude }.max() ?? .infinity
  }

  private struct Case: Decodable {
    var id: String
    var anchors: [[Double]]
    var ranges: [Double]
    var expected: [Double]?
    var alternative: [Double]?
    var abs_tol: Double?
    var required_outcome: String
    var optimum: [Double]?
    var other_optima: [[Double]]?

    /// Whether the reference is the optimum instead of a constructed point.
    var isNoisy: Bool { expected == nil }
  }
}
