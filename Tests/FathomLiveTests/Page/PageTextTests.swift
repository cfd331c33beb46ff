import Testing

@testable import FathomLive

@Suite struct PageTextTests {
  @Test func allFilesAreInTheDocument() {
    let page = PageText.document
    #expect(page.hasPrefix("<!DOCTYPE html>"))
    #expect(!page.contains("<script src") && !page.contains("rel=\"stylesheet\""))
    for text in ["--accent:", "function tagOf(", "function draw()", "new EventSource("] {
      #expect(page.contains(text), "\(text)")
    }
  }

  @Test func referencesAreReplacedByTheirFiles() {
    let page = """
      <link rel="stylesheet" href="a.css">
      <b>$&</b>
      <script src="b.js"></script>
      """
    let result = PageText.inlined(
      page, style: ("a.css", "x { }\n"), scripts: [("b.js", "1 < 2;\n")])
    #expect(
      result == """
        <style>
        x { }
        </style>
        <b>$&</b>
        <script>
        1 < 2;
        </script>
        """)
  }
}
