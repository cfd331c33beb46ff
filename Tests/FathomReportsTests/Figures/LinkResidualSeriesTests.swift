import TestSupport
import Testing

@testable import FathomReports

@Suite struct LinkResidualSeriesTests {
  @Test func rangeErrorsMatchTheSimulatedErrors() throws {
    let links = try madeResults().rangeErrors
    #expect(links.map(\.anchor) == ["A", "B", "C", "D"])
    #expect(links.map(\.rows.count) == [100, 100, 100, 100])
    for (place, link) in links.enumerated() {
      for (row, value) in zip(link.rows, link.values) {
        // Row r of the recording has the error -0.02, 0 or 0.02 by r mod 3, or 3 m for a late
        // range.
        let expected = row % 40 == 39 ? 3 : 0.02 * Double(row % 3 - 1)
        #expect(row % 4 == place)
        #expect(isClose(value, expected, within: 1e-9))
      }
    }
    // Link D has all late ranges, which do not affect its median.
    #expect(isClose(try #require(links[3].median), 0, within: 0.021))
  }

  @Test func residualsAfterTheFitAreSmall() throws {
    for link in try madeResults().fitResiduals {
      let known = link.known
      #expect(known.count > 90)
      #expect(try #require(link.median).magnitude < 0.03)
    }
  }

  @Test func residualsAreNaNWithoutPosition() throws {
    var results = try madeResults()
    let track = try #require(results.truth?.tracks[""])
    results.truth?.tracks = ["another": track]
    #expect(results.rangeErrors.allSatisfy { $0.known.isEmpty && $0.median == nil })
    results.anchors["B"] = nil
    #expect(results.fitResiduals.map(\.anchor) == ["A", "C", "D"])
  }

  /// 1, 2, 3, 4, 100: the median is 3; the deviations from it are 2, 1, 0, 1, 97 with the median 1.
  @Test func sigmaIsRobust() {
    var link = LinkResidualSeries(tag: "T", anchor: "A")
    link.values = [1, .nan, 2, 3, 4, 100]
    #expect(link.median == 3 && link.robustSigma == 1.4826)
    link.values = [.nan]
    #expect(link.median == nil && link.robustSigma == nil)
  }
}
