import FathomEvaluation
import TestSupport
import Testing

@testable import Fathom

@Suite struct DilutionOfPrecisionTests {
  @Test func dilutionsAreRootsOfTraces() throws {
    let cofactor = Matrix<3, 3>.diagonal(Vector([1, 3, 5]))
    let space = try #require(DilutionOfPrecision(cofactor: cofactor, free: 3))
    #expect(space.position == 3)
    #expect(space.geometric == 3)
    #expect(space.horizontal == 2)
    #expect(space.vertical == 5.0.squareRoot())
  }

  @Test func knownCoordinatesHaveNoDilution() throws {
    let known = try #require(
      DilutionOfPrecision(cofactor: Matrix<3, 3>.diagonal(Vector([1, 3, 0])), free: 2))
    #expect(known.position == 2 && known.horizontal == 2 && known.vertical == nil)
    let plane = try #require(
      DilutionOfPrecision(cofactor: Matrix<2, 2>.diagonal(Vector([4, 5])), free: 2))
    #expect(plane.position == 3 && plane.horizontal == 3 && plane.vertical == nil)
    let line = try #require(
      DilutionOfPrecision(cofactor: Matrix<1, 1>([[4]]), free: 1))
    #expect(line.position == 2 && line.horizontal == 2 && line.vertical == nil)
  }

  @Test func invalidCofactorGivesNil() {
    for broken in [Double.nan, .infinity, -10] {
      for axis in 0..<3 {
        var cofactor = Matrix<3, 3>.identity
        cofactor[axis, axis] = broken
        #expect(DilutionOfPrecision(cofactor: cofactor, free: 3) == nil, "\(broken) at \(axis)")
      }
    }
  }

  /// The trace of (JᵀJ)⁻¹ with J built here and inverted by LAPACK.
  @Test func fixHasDilutionOfItsGeometry() throws {
    var generator = SeededGenerator(seed: 291)
    for _ in 0..<200 {
      let anchors = (0..<6).map { _ in 8 * Vector<3>.random(using: &generator) }
      let tag = 4 * Vector<3>.random(using: &generator)
      var jacobian = DenseMatrix(rows: 6, columns: 3)
      for (row, anchor) in anchors.enumerated() {
        let offset = tag - anchor
        for axis in 0..<3 { jacobian[row, axis] = offset[axis] / offset.length }
      }
      let cofactor = try DenseCholesky(jacobian.transposed() * jacobian).solve(.identity(3))
      let fix = try Trilateration.solve(
        ranges: anchors.map { (tag - $0).length }, anchors: anchors,
        sigmas: (0..<6).map { _ in generator.uniform(in: 0.05...0.5) })
      let position = try #require(fix.position)
      // A mirror image would have another geometry; six anchors in space leave none.
      #expect((position - tag).length < 1e-8, "seed 291")
      let dilution = try #require(fix.dilution)
      let horizontal = (cofactor[0, 0] + cofactor[1, 1]).squareRoot()
      let total = (cofactor[0, 0] + cofactor[1, 1] + cofactor[2, 2]).squareRoot()
      #expect(isClose(dilution.position, total, within: 1e-6 * total), "seed 291")
      #expect(isClose(dilution.horizontal, horizontal, within: 1e-6 * total), "seed 291")
      #expect(
        isClose(
          try #require(dilution.vertical), cofactor[2, 2].squareRoot(), within: 1e-6 * total),
        "seed 291")
    }
  }
}
