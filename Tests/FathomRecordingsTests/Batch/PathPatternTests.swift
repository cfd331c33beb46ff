import Testing

@testable import FathomRecordings

@Suite struct PathPatternTests {
  @Test(arguments: [
    ("walk*", "site/walk3", true), ("walk*", "walks/a/b", true), ("walk*", "site/run", false),
    ("*.csv", "a/b.csv", true), ("*.csv", "a/b.csv.gz", false), ("w?lk", "site/walk", true),
    ("w?lk", "site/waalk", false), ("site/*", "site/a", true), ("site/*", "site/a/b", true),
    ("site/*", "x/site/a", false), ("**/a", "a", true), ("**/a", "x/y/a/z", true),
    ("site/**/c", "site/c", true), ("site/**/c", "site/a/b/c", true),
    ("site/**/c", "site/a/b/d", false), ("/site", "site/a", true), ("./site/", "site", true),
    ("*", "a", true), ("**", "a/b", true), ("a*b*c", "axxbxxbc", true), ("a*b*c", "axxbxx", false),
    ("ä?", "äö", true),
  ])
  func matches(_ pattern: String, _ path: String, _ expected: Bool) throws {
    #expect(try #require(PathPattern(pattern)).matches(path) == expected)
  }

  @Test(arguments: [
    ("*.csv", "a/b.csv", true), ("*", "b.csv", false), ("a/*", "a/b.csv", false),
    ("a/*.csv", "a/b.csv", true), ("a/*.csv", "a/b.csv/c.csv", false), ("**/b.*", "b.csv", true),
    ("a.b", "a.b/c", false),
  ])
  func findsSingleFiles(_ pattern: String, _ path: String, _ expected: Bool) throws {
    #expect(try #require(PathPattern(pattern)).matchesFile(path) == expected)
  }

  @Test func emptyPatternsAreInvalid() {
    for text in ["", "/", "./"] { #expect(PathPattern(text) == nil) }
  }

  /// A comparison that backtracks over all stars would not end.
  @Test func manyStarsStayFast() throws {
    let pattern = try #require(PathPattern(String(repeating: "*a", count: 100) + "b"))
    #expect(!pattern.matches(String(repeating: "a", count: 250)))
  }
}
