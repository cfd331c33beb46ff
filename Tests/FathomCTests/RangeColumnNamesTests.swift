import FathomRecordings
import Foundation
import TestSupport
import Testing

/// Every door has the columns of the schema.
@Suite struct RangeColumnNamesTests {
  private let expected = RangeQuantity.allCases.map(\.name)

  private func text(_ path: String) throws -> String {
    try String(contentsOf: Reference.packageRoot.appending(path: path), encoding: .utf8)
  }

  @Test func headerOfCHasTheColumns() throws {
    let header = try text("Sources/CFathom/include/fathom.h")
    let structure = try #require(
      header.firstMatch(of: /typedef struct fathom_ranges \{([^}]*)\}/)?.output.1)
    let names = structure.matches(of: /const double \*(\w+);/).map { String($0.output.1) }
    #expect(Set(names) == Set(expected + ["time_s", "distance_m"]))
  }

  @Test func pythonHasTheColumns() throws {
    let source = try text("Python/src/fathom/_input.py")
    let list = try #require(source.firstMatch(of: /NUMBERS = \[([^\]]*)\]/)?.output.1)
    let names = list.matches(of: /"(\w+)"/).map { String($0.output.1) }
    #expect(Set(names) == Set(expected + ["distance_m"]))
  }

  /// Arrow fields are looked up by these names.
  @Test func namesFindTheirColumns() {
    for quantity in RangeQuantity.allCases {
      #expect(RangeField(named: quantity.name) == .number(quantity))
    }
    #expect(RangeField(named: "true_distance_m") == .number(.trueDistance))
    #expect(RangeField(named: "sigma_cm") == nil && RangeField(named: "colour") == nil)
  }
}
