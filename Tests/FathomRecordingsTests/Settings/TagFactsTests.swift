import Testing

@testable import FathomRecordings

@Suite struct TagFactsTests {
  private func facts(height: Double? = nil, sigma: Double? = nil) -> TagFacts {
    var facts = TagFacts()
    (facts.heightM, facts.heightSigmaM) = (height, sigma)
    return facts
  }

  /// Returns the height and its standard deviation of `own`, completed from `other`.
  private func completed(_ own: TagFacts, from other: TagFacts) -> [Double?] {
    var facts = own
    facts.complete(from: other)
    return [facts.heightM, facts.heightSigmaM]
  }

  @Test func heightReplacesItsStandardDeviationToo() {
    let file = facts(height: 1, sigma: 0.2)
    #expect(completed(facts(), from: file) == [1, 0.2])
    #expect(completed(facts(height: 2), from: file) == [2, nil])
    #expect(completed(facts(sigma: 0.5), from: file) == [1, 0.5])
    #expect(completed(facts(height: 2, sigma: 0.5), from: file) == [2, 0.5])
    // A standard deviation without a height means nothing.
    #expect(completed(facts(sigma: 0.5), from: facts()) == [nil, nil])
    #expect(completed(facts(sigma: 0.5), from: .inPlane) == [0, 0.5])
  }

  @Test func everyOtherFactIsReplacedAlone() {
    var file = TagFacts()
    (file.side, file.boundsM) = (.below, [[0, 0], [1, 1]])
    (file.zones, file.deviceFrame, file.headingSigmaRad) = (ZoneSettings(areas: []), .robot, 0.1)
    var facts = TagFacts()
    facts.complete(from: file)
    #expect(facts == file)
    (facts.side, facts.headingSigmaRad) = (.above, 1)
    var expected = file
    (expected.side, expected.headingSigmaRad) = (.above, 1)
    facts.complete(from: file)
    #expect(facts == expected)
  }
}
