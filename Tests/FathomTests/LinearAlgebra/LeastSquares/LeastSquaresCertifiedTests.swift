import RealModule
import TestSupport
import Testing

@testable import Fathom

/// The linear problems of the NIST Statistical Reference Datasets, on the raw design matrix.
@Suite struct LeastSquaresCertifiedTests {
  struct Problem: Decodable {
    struct Parameter: Decodable {
      let estimate: String
    }

    let intercept: Bool
    let data: [[Double]]
    let certified: [Parameter]
    let residual_sd: String
    let residual_df: Int

    /// The powers of x in the model, computed by repeated multiplication.
    var design: DenseMatrix {
      let powers = intercept ? 0...certified.count - 1 : 1...certified.count
      return DenseMatrix(
        data.map { row in
          powers.map { power in (0..<power).reduce(1) { product, _ in product * row[1] } }
        })
    }

    var observed: DenseMatrix { DenseMatrix(column: data.map { $0[0] }) }
  }

  /// -log10 of the relative error, at most 15: the number of correct digits.
  private func correctDigits(_ value: Double, _ certified: String) throws -> Double {
    let exact = try #require(Double(certified))
    return value == exact ? 15 : min(15, -Double.log10((value / exact - 1).magnitude))
  }

  private func checkResiduals(_ solution: LeastSquaresSolution, of problem: Problem) throws {
    let deviation = (solution.residualSumsOfSquares[0] / Double(problem.residual_df)).squareRoot()
    if try #require(Double(problem.residual_sd)) == 0 {
      // The polynomial fits observations up to 4e6 exactly.
      #expect(deviation < 1e-7)
    } else {
      #expect(try correctDigits(deviation, problem.residual_sd) >= 7)
    }
  }

  /// After refinement only the rounding of the data remains.
  ///
  /// The certified digits of Pontius and Wampler2 show it: 13.5 and 13.2 digits when solved to 60
  /// digits from the data as doubles.
  @Test(
    arguments: [
      "NoInt1", "Norris", "Pontius", "Wampler1", "Wampler2", "Wampler3", "Wampler5",
    ], [LeastSquaresDriver.qr, .pivotedQR])
  func qrReachesCertifiedDigits(_ name: String, _ driver: LeastSquaresDriver) throws {
    let problem: Problem = try oracle("nist/linear_\(name).json", in: .module)
    let solution = try leastSquares(problem.design, problem.observed, using: driver)
    #expect(solution.rank == problem.certified.count)
    for (value, parameter) in zip(solution.coefficients.column(0), problem.certified) {
      #expect(try correctDigits(value, parameter.estimate) >= 13)
    }
    try checkResiduals(solution, of: problem)
  }

  /// The better of dgels and dgelsy in published results, minus one; for Wampler5 with its large
  /// residual, the 5 digits of dgelsd.
  @Test(arguments: [
    ("NoInt1", 13.7), ("Norris", 12.1), ("Pontius", 11.4), ("Wampler1", 8.6), ("Wampler2", 11.7),
    ("Wampler3", 8.8), ("Wampler5", 5.0),
  ])
  func singularValuesReachExpectedDigits(_ name: String, _ digits: Double) throws {
    let problem: Problem = try oracle("nist/linear_\(name).json", in: .module)
    let solution = try leastSquares(problem.design, problem.observed, using: .singularValues)
    #expect(solution.rank == problem.certified.count)
    for (value, parameter) in zip(solution.coefficients.column(0), problem.certified) {
      #expect(try correctDigits(value, parameter.estimate) >= digits)
    }
    try checkResiduals(solution, of: problem)
  }
}
