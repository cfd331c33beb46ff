import FathomEvaluation
import TestSupport
import Testing

@testable import Fathom

@Suite struct AngleTests {
  @Test func multiplesOf45DegreesRoundTripExactly() {
    for count in -8...8 {
      let angle = Angle(degrees: 45 * Double(count))
      #expect(angle.radians == Double(count) * (.pi / 4))
      #expect(angle.degrees == 45 * Double(count))
    }
  }

  @Test func conversionErrorStaysWithinDocumentedBound() {
    let seed: UInt64 = 4
    var generator = SeededGenerator(seed: seed)
    for _ in 0..<1000 {
      let degrees = generator.uniform(in: -1e6...1e6)
      let error = Angle(degrees: degrees).degrees - degrees
      #expect(error.magnitude <= 6e-16 * degrees.magnitude, "seed \(seed)")
    }
    // The value given in the documentation.
    #expect(Angle(degrees: 60).degrees == 59.99999999999999)
  }

  @Test func wrappedDegreesAreExact() throws {
    let cases = try AnglesOracle.load().wrap_degrees
    #expect(cases.count == 10)
    for item in cases {
      #expect(Angle.wrapDegrees(item.deg) == item.half_open_upper_inclusive, "\(item)")
    }
  }

  @Test func wrappedWholeDegreesMatchIntegerArithmetic() {
    // Beyond 2^53 the formula with the ceiling would round; integers give the exact result.
    let seed: UInt64 = 9
    var generator = SeededGenerator(seed: seed)
    for _ in 0..<2000 {
      let degrees = Double(Int64(bitPattern: generator.next() >> (generator.next() % 63)))
      guard let whole = Int64(exactly: degrees) else { continue }
      for sign: Int64 in [1, -1] {
        let rest = (sign * whole % 360 + 360) % 360
        let expected = rest > 180 ? rest - 360 : rest
        #expect(Angle.wrapDegrees(Double(sign) * degrees) == Double(expected), "seed \(seed)")
      }
    }
  }

  @Test func wrappedDegreesMatchAndroidFormula() throws {
    let seed: UInt64 = 5
    var generator = SeededGenerator(seed: seed)
    for _ in 0..<1000 {
      // Multiples of 1/16 degree, so that only the quotient of the formula is rounded.
      let degrees = (generator.uniform(in: -1e5...1e5) * 16).rounded() / 16
      let formula = degrees - 360 * ((degrees - 180) / 360).rounded(.up)
      #expect(Angle.wrapDegrees(degrees) == formula, "seed \(seed)")
    }
    let cases = try AnglesOracle.android("normalizeDegrees")
    #expect(cases.count == 7)
    for item in cases {
      let degrees = try #require(item.arguments.first)
      let expected = try #require(item.value)
      #expect(Angle.wrapDegrees(degrees) == expected)
      #expect(isClose(Angle(degrees: degrees).wrapped().degrees, expected, within: 1e-13))
    }
  }

  @Test func wrappedRangeIncludesUpperEnd() {
    #expect(Angle(radians: .pi).wrapped().radians == .pi)
    #expect(Angle(radians: -.pi).wrapped().radians == .pi)
    #expect(Angle(radians: (-Double.pi).nextUp).wrapped().radians == (-Double.pi).nextUp)
    // The next number above π is 4.4e-16 larger; minus a turn it is that much above -π.
    #expect(Angle(radians: Double.pi.nextUp).wrapped().radians == (-Double.pi).nextUp)
    #expect(Angle(radians: (-Double.pi).nextDown).wrapped().radians == Double.pi.nextDown)
    #expect(Angle.wrapDegrees(-180) == 180)
    #expect(Angle.wrapDegrees(180.0.nextUp) == -180.0.nextDown)
  }

  @Test func wholeTurnsWrapToPositiveZero() {
    #expect(Angle.wrapDegrees(-720).sign == .plus)
    #expect(Angle(radians: -4 * .pi).wrapped().radians.sign == .plus)
  }

  @Test(arguments: [Double.nan, .infinity, -.infinity])
  func nonFiniteAnglesWrapToNaN(_ value: Double) {
    #expect(Angle(radians: value).wrapped().radians.isNaN)
    #expect(Angle.wrapDegrees(value).isNaN)
    #expect(Angle(radians: value).difference(from: .zero).radians.isNaN)
  }

  @Test(arguments: [(10.0, 350.0, 20.0), (350, 10, -20), (-170, 170, 20), (90, -90, 180)])
  func differencesAreWrapped(_ first: Double, _ second: Double, _ expected: Double) {
    let difference = Angle(degrees: first).difference(from: Angle(degrees: second))
    #expect(isClose(difference.degrees, expected, within: 1e-13))
  }

  @Test func arithmeticKeepsWholeTurns() {
    let half = Angle.halfTurn
    #expect((half + half).radians == 2 * .pi)
    #expect((half - (-half)).radians == 2 * .pi)
    #expect((3 * half).radians == 3 * .pi)
    #expect(half < half + half)
    #expect((-half).magnitude == half)
    #expect(Angle(degrees: 30).sine == 0.49999999999999994)  // π/6 is not a Double
    #expect(isClose(Angle(degrees: 60).cosine, 0.5, within: 2e-16))
    #expect("\(Angle(degrees: 45))" == "45.0°")
  }
}
