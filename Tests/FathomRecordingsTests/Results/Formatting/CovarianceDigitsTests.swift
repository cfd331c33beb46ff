import Fathom
import FathomEvaluation
import Foundation
import TestSupport
import Testing

@testable import FathomRecordings

@Suite struct CovarianceDigitsTests {
  /// Returns the principal minors of the rounded matrix in units of the last digit, exactly.
  private func minors(_ matrix: Matrix<3, 3>) -> [Int] {
    func digits(_ row: Int, _ column: Int) -> Int { Int((matrix[row, column] * 1e8).rounded()) }
    let (xx, yy, zz) = (digits(0, 0), digits(1, 1), digits(2, 2))
    let (xy, xz, yz) = (digits(0, 1), digits(0, 2), digits(1, 2))
    return [
      xx, yy, zz, xx * yy - xy * xy, xx * zz - xz * xz, yy * zz - yz * yz,
      xx * (yy * zz - yz * yz) - xy * (xy * zz - yz * xz) + xz * (xy * yz - yy * xz),
    ]
  }

  private func covariance(of columns: [Vector<3>]) -> Matrix<3, 3> {
    var matrix = Matrix<3, 3>.zero
    for column in columns {
      for row in 0..<3 {
        for other in 0..<3 { matrix[row, other] += column[row] * column[other] }
      }
    }
    return matrix
  }

  /// Small matrices, so that the products of integers are exact.
  ///
  /// They have ranks of one to three; rounding makes many of them indefinite.
  @Test func digitsStayPositiveSemidefinite() {
    var generator = SeededGenerator(seed: 11)
    var indefinite = 0
    for _ in 0..<20_000 {
      let columns = (0...Int(generator.uniform() * 3)).map { _ in
        let size = exp(-4 - 9 * generator.uniform())
        return Vector<3>([
          size * generator.normal(), size * generator.normal(), size * generator.normal(),
        ])
      }
      let matrix = covariance(of: columns)
      guard (0..<3).allSatisfy({ matrix[$0, $0] < 1e-3 }) else { continue }
      if minors(matrix).contains(where: { $0 < 0 }) { indefinite += 1 }
      let found = matrix.withPositiveDigits
      #expect(minors(found).allSatisfy { $0 >= 0 })
      for axis in 0..<3 { #expect(found[axis, axis] - matrix[axis, axis] <= 2.6e-8) }
    }
    #expect(indefinite > 1000)
  }

  @Test func keepsWhatIsSafeExactOrUndetermined() {
    var matrix = covariance(of: [
      Vector([0.3, 0.1, 0]), Vector([0, 0.2, 0.1]), Vector([0, 0, 0.5]),
    ])
    #expect(matrix.withPositiveDigits == matrix)
    // An exact height has a variance of zero.
    matrix = covariance(of: [Vector([0.001, 0.002, 0])])
    let planar = matrix.withPositiveDigits
    #expect(planar[2, 2] == 0 && planar[0, 0] > matrix[0, 0])
    matrix = .undetermined
    #expect(matrix.withPositiveDigits[0, 0].isNaN)
  }
}
