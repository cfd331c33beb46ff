import FathomEvaluation
import Foundation
import TestSupport
import Testing

@testable import FathomReports

@Suite struct ErrorEllipseTests {
  /// The 95 % quantile of the chi-square distribution of two degrees of freedom, -2 ln 0.05.
  private let scale = 5.991464547107979

  @Test func axesMatchTheCovariance() throws {
    // Variances 4 and 1 along the axes: semi-axes 2 √5.991 = 4.896 and √5.991 = 2.448.
    let upright = try #require(ErrorEllipse(xx: 1, xy: 0, yy: 4))
    #expect(isClose(upright.semiAxes.major, 4.895493, within: 1e-6))
    #expect(isClose(upright.semiAxes.minor, 2.447747, within: 1e-6))
    #expect(isClose(upright.angle, .pi / 2, within: 1e-12))
    // [[2, 1], [1, 2]] has the eigenvalues 3 along (1, 1) and 1 across it.
    let turned = try #require(ErrorEllipse(xx: 2, xy: 1, yy: 2))
    #expect(isClose(turned.semiAxes.major, (3 * scale).squareRoot(), within: 1e-9))
    #expect(isClose(turned.semiAxes.minor, scale.squareRoot(), within: 1e-9))
    #expect(isClose(turned.angle, .pi / 4, within: 1e-12))
    #expect(
      ErrorEllipse(xx: 2, xy: -1, yy: 2).map { isClose($0.angle, -.pi / 4, within: 1e-12) } == true)
  }

  @Test func unknownCovarianceHasNoEllipse() throws {
    #expect(ErrorEllipse(xx: .nan, xy: 0, yy: 1) == nil)
    #expect(ErrorEllipse(xx: -1, xy: 0, yy: 1) == nil)
    #expect(ErrorEllipse(xx: 1, xy: .infinity, yy: 1) == nil)
    let line = try #require(ErrorEllipse(xx: 1, xy: 0, yy: 0))
    #expect(line.semiAxes.minor == 0 && line.angle == 0)
    #expect(try #require(ErrorEllipse(xx: 0, xy: 0, yy: 0)).semiAxes.major == 0)
  }

  /// Every point of the outline has the same normalised square: the quantile.
  @Test(arguments: [1, 2, 3] as [UInt64])
  func outlineHasConstantProbability(_ seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    for _ in 0..<50 {
      // A random factor gives a covariance L Lᵀ.
      let (a, b, c) = (random.uniform() + 0.1, 4 * random.uniform() - 2, random.uniform() + 0.1)
      let (xx, xy, yy) = (a * a, a * b, b * b + c * c)
      let ellipse = try #require(ErrorEllipse(xx: xx, xy: xy, yy: yy))
      let outline = ellipse.outline(x: 3, y: -2)
      #expect(outline.count == 37 && outline[0].beginsAnew)
      #expect(outline.first?.x == outline.last?.x && outline.first?.y == outline.last?.y)
      let determinant = xx * yy - xy * xy
      for point in outline {
        let (x, y) = (point.x - 3, point.y + 2)
        let square = (yy * x * x - 2 * xy * x * y + xx * y * y) / determinant
        #expect(isClose(square, scale, within: 1e-8), "seed \(seed)")
      }
    }
  }
}
