/// The page: one document without anything from elsewhere.
enum PageText {
  /// The whole document: `page.html` with its style and its scripts in place of the references to them.
  static let document = inlined(
    text(PackageResources.page_html),
    style: ("page.css", text(PackageResources.page_css)),
    scripts: [
      ("state.js", text(PackageResources.state_js)),
      ("history.js", text(PackageResources.history_js)),
      ("plan.js", text(PackageResources.plan_js)),
      ("pointer.js", text(PackageResources.pointer_js)),
      ("tables.js", text(PackageResources.tables_js)),
      ("events.js", text(PackageResources.events_js)),
    ])

  private static func text(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }

  /// Returns `page` with the files in place of the lines that refer to them.
  static func inlined(
    _ page: String, style: (name: String, text: String), scripts: [(name: String, text: String)]
  ) -> String {
    let link = "<link rel=\"stylesheet\" href=\"\(style.name)\">"
    var parts = [link: "<style>\n\(style.text)</style>"]
    for (name, text) in scripts {
      parts["<script src=\"\(name)\"></script>"] = "<script>\n\(text)</script>"
    }
    let lines = page.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    return lines.map { parts[$0] ?? $0 }.joined(separator: "\n")
  }
}
