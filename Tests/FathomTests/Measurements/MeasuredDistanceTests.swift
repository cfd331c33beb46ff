import Testing

@testable import Fathom

@Suite struct MeasuredDistanceTests {
  @Test(arguments: [
    (Double.nan, AbsentDistance.notANumber), (.infinity, .sentinel), (-.infinity, .sentinel),
    (Double(Float.greatestFiniteMagnitude), .sentinel), (-1e-9, .negative), (0, .zero),
    (-0.0, .zero),
  ])
  func reportsReasonForAbsentValues(_ metres: Double, _ reason: AbsentDistance) {
    #expect(MeasuredDistance.absence(of: metres) == reason)
    #expect(MeasuredDistance.validated(metres) == nil)
  }

  @Test func acceptsZeroOnlyOnRequest() {
    #expect(MeasuredDistance.validated(0, zeroIsDistance: true) == 0)
    #expect(MeasuredDistance.validated(1e-12) == 1e-12)
  }

  @Test func treatsGreatestFloatAsSentinel() {
    let greatest = Double(Float.greatestFiniteMagnitude)
    #expect(MeasuredDistance.smallestSentinel == greatest)
    #expect(MeasuredDistance.validated(greatest.nextDown) == greatest.nextDown)
  }
}
