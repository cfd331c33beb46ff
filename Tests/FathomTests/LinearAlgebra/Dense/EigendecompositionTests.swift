import FathomEvaluation
import RealModule
import TestSupport
import Testing

@testable import Fathom

@Suite struct EigendecompositionTests {
  @Test(arguments: [UInt64](1...20))
  func decomposesRandomMatrix(_ seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    let order = Int.random(in: 1...15, using: &generator)
    let matrix = DenseMatrix.random(order, order, using: &generator)
    let eigen = try Eigendecomposition(matrix, vectors: true)
    let vectors = try #require(eigen.eigenvectors)

    // A (u + i v) = (a + i b) (u + i v): A u = a u - b v and A v = b u + a v.
    let real = DenseMatrix.diagonal(eigen.eigenvalues.map(\.real))
    let imaginary = DenseMatrix.diagonal(eigen.eigenvalues.map(\.imaginary))
    let (u, v) = (vectors.real, vectors.imaginary)
    let first = u * real
    let second = v * imaginary
    let difference = DenseMatrix(
      rows: order, columns: order, columnMajor: zip(first.columnMajor, second.columnMajor).map(-))
    #expect((matrix * u).distance(to: difference) < 1e-12)
    let third = u * imaginary
    let fourth = v * real
    let sum = DenseMatrix(
      rows: order, columns: order, columnMajor: zip(third.columnMajor, fourth.columnMajor).map(+))
    #expect((matrix * v).distance(to: sum) < 1e-12)

    for index in 0..<order {
      let squares = (u.column(index) + v.column(index)).reduce(0) { $0 + $1 * $1 }
      #expect(isClose(squares, 1, within: 1e-13))
    }
    let trace = (0..<order).reduce(0) { $0 + matrix[$1, $1] }
    #expect(isClose(eigen.eigenvalues.reduce(0) { $0 + $1.real }, trace, within: 1e-12))
    #expect(eigen.eigenvalues.reduce(0) { $0 + $1.imaginary } == 0)

    let alone = try Eigendecomposition(matrix)
    #expect(alone.eigenvectors == nil)
    for (one, other) in zip(alone.eigenvalues, eigen.eigenvalues) {
      #expect(isClose(one.magnitude, other.magnitude, within: 1e-11))
    }
  }

  @Test func rotationHasItsAngleAsEigenvalue() throws {
    let angle = 0.7
    let (cosine, sine) = (Double.cos(angle), Double.sin(angle))
    let eigen = try Eigendecomposition(DenseMatrix([[cosine, -sine], [sine, cosine]]))
    #expect(isClose(eigen.eigenvalues[0].real, cosine, within: 1e-15))
    #expect(isClose(eigen.eigenvalues[0].imaginary, sine, within: 1e-15))
    #expect(eigen.eigenvalues[1].imaginary == -eigen.eigenvalues[0].imaginary)
    #expect(isClose(eigen.eigenvalues[0].magnitude, 1, within: 1e-15))
  }

  @Test func findsPolynomialRoots() throws {
    // (x - 1)(x - 2)(x² + 1) = x⁴ - 3 x³ + 3 x² - 3 x + 2, as a companion matrix.
    let companion = DenseMatrix([[3, -3, 3, -2], [1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 1, 0]])
    let values = try Eigendecomposition(companion).eigenvalues
    for (real, imaginary) in [(1.0, 0.0), (2, 0), (0, 1), (0, -1)] {
      #expect(
        values.contains {
          isClose($0.real, real, within: 1e-13) && isClose($0.imaginary, imaginary, within: 1e-13)
        })
    }
  }

  @Test func handlesDefectiveMatrix() throws {
    let eigen = try Eigendecomposition(DenseMatrix([[1, 1], [0, 1]]), vectors: true)
    #expect(eigen.eigenvalues.allSatisfy { $0 == .init(real: 1) })
    let vectors = try #require(eigen.eigenvectors)
    #expect(vectors.real[0, 0].magnitude == 1)
    #expect(isClose(vectors.real[0, 1].magnitude, 1, within: 1e-15))
  }

  @Test func emptyMatrixHasNoEigenvalues() throws {
    let eigen = try Eigendecomposition(DenseMatrix(rows: 0, columns: 0), vectors: true)
    #expect(eigen.eigenvalues.isEmpty)
    #expect(try #require(eigen.eigenvectors).real.columns == 0)
  }

  @Test func rejectsInvalidMatrices() {
    #expect(throws: LinearAlgebraError.dimensionMismatch(expected: 2, found: 1)) {
      try Eigendecomposition(DenseMatrix(rows: 2, columns: 1))
    }
    #expect(throws: LinearAlgebraError.notFinite(.matrix, row: 0, column: 1)) {
      try Eigendecomposition(DenseMatrix([[1, .infinity], [0, 1]]))
    }
    let great = DenseMatrix(
      rows: 2, columns: 2, columnMajor: [Double](repeating: 0x1.8p1023, count: 4))
    #expect(throws: LinearAlgebraError.overflow) { try Eigendecomposition(great) }
  }
}
