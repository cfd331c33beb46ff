import TestSupport
import Testing

@testable import FathomReports

@Suite struct ErrorLevelsTests {
  @Test func similarErrorsHaveEqualSteps() {
    let levels = ErrorLevels(of: (0...100).map { 0.10 + 0.001 * Double($0) })
    // 1 % and 97 % are at 0.101 and 0.197. Eight levels would be 0.012 wide, so the step is 0.02.
    for (edge, expected) in zip(levels.edges, [0.12, 0.14, 0.16, 0.18]) {
      #expect(isClose(edge, expected, within: 1e-12))
    }
    #expect(
      levels.names == [
        "to 0.12 m", "0.12 to 0.14 m", "0.14 to 0.16 m", "0.16 to 0.18 m", "above 0.18 m",
      ])
    #expect(levels.level(of: 0.05) == 0 && levels.level(of: 0.13) == 1)
    #expect(levels.level(of: 5) == 4)
  }

  @Test func differentErrorsHaveProportionalSteps() {
    let levels = ErrorLevels(of: [0.08, 0.09, 0.3, 1, 4, 8, .infinity, .nan])
    #expect(levels.edges.count >= 3 && levels.edges.count < Palette.levels.count)
    for (lower, upper) in zip(levels.edges, levels.edges.dropFirst()) {
      #expect(upper >= 1.4 * lower)
    }
    #expect(levels.names.count == levels.edges.count + 1)
    #expect(levels.names.first == "to 0.1 m", "\(levels.names)")
  }

  @Test(arguments: [[], [Double.infinity], [0.1], [0.1, 0.1, 0.1], [0.1, 0.109], [0, 0]])
  func errorsWithoutSpreadHaveOneLevel(_ errors: [Double]) {
    let levels = ErrorLevels(of: errors)
    #expect(levels.edges.isEmpty && levels.names.count == 1 && levels.level(of: 7) == 0)
  }

  /// Steps are at least a tenth of the least error.
  @Test(arguments: [1.12, 1.2, 1.4, 1.9, 2.9])
  func stepsMatter(_ ratio: Double) {
    let levels = ErrorLevels(of: (0...50).map { 0.37 * (1 + (ratio - 1) * Double($0) / 50) })
    for (lower, upper) in zip(levels.edges, levels.edges.dropFirst()) {
      #expect(upper - lower >= 0.1 * 0.37, "\(levels.edges)")
    }
  }

  /// For any errors, the edges rise and every level has a colour.
  @Test func everyLevelHasAColour() {
    for power in -4...4 {
      for ratio in [1.001, 1.3, 2.9, 3.1, 10, 200, 1e5] {
        var low = 1.7
        for _ in 0..<power.magnitude { low *= power < 0 ? 0.1 : 10 }
        let errors = (0...50).map { low * (1 + (ratio - 1) * Double($0) / 50) }
        let levels = ErrorLevels(of: errors)
        #expect(levels.edges.count < Palette.levels.count, "\(low) \(ratio)")
        #expect(zip(levels.edges, levels.edges.dropFirst()).allSatisfy { $0 < $1 })
        #expect(Set(levels.names).count == levels.names.count, "\(levels.names)")
        let colours = (0...levels.edges.count).map(levels.colour(of:))
        #expect(Set(colours).count == colours.count)
        // A factor of two uses all colours, similar errors few.
        #expect((colours.last == .level8) == (ratio > 2), "\(ratio) \(levels)")
      }
    }
  }
}
