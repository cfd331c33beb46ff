/// A figure of the report: a drawing, or a sentence that explains its absence.
struct Figure: Sendable, Equatable {
  /// Name in file names and addresses: lower-case letters and hyphens.
  var name: String
  /// Heading.
  var heading: String
  /// Explanation of the figure.
  var caption = ""
  /// Whether the page shows only the heading until the reader opens it.
  var isFolded = false
  var content: Content

  /// The drawing, or the reason for its absence.
  enum Content: Sendable, Equatable {
    case plot(Plot)
    case absent(String)
  }
}

extension Figure {
  /// Returns a number with its noun: `1 fix`, `2 fixes`.
  static func counted(_ count: Int, _ one: String, _ many: String) -> String {
    count == 1 ? "1 \(one)" : "\(count) \(many)"
  }

  /// Returns a remark when only `count` of `all` links are shown, otherwise an empty text.
  static func shown(_ count: Int, of all: Int) -> String {
    count < all ? " Shown are the \(count) links with the most ranges of \(all)." : ""
  }

  /// Returns a remark when a curve has more than ``Decimation/limit`` points, otherwise an empty
  /// text.
  static func thinned(_ counts: Int...) -> String {
    (counts.max() ?? 0) > Decimation.limit
      ? " Long curves are thinned to \(Decimation.limit) points; extremes are kept." : ""
  }
}
