/// A figure of the report: a drawing, or one sentence that says why there is none.
struct Figure: Sendable, Equatable {
  /// Its name in file names and addresses: small letters and hyphens.
  var name: String
  /// Its heading.
  var heading: String
  /// What it shows and how it is to be read.
  var caption = ""
  var content: Content

  /// The drawing, or why there is none.
  enum Content: Sendable, Equatable {
    case plot(Plot)
    case absent(String)
  }
}

extension Figure {
  /// A number with its noun: `1 fix`, `2 fixes`.
  static func counted(_ count: Int, _ one: String, _ many: String) -> String {
    count == 1 ? "1 \(one)" : "\(count) \(many)"
  }

  /// Said where a curve of `count` points was thinned out.
  static func thinned(_ counts: Int...) -> String {
    (counts.max() ?? 0) > Decimation.limit
      ? " Long curves are thinned out to \(Decimation.limit) points, extremes kept." : ""
  }
}
