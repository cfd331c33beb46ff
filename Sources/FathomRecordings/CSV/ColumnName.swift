/// A column that a kind of file can have, with the names it goes by.
struct ColumnName: Sendable {
  /// What a column measures, which decides the units its name may carry.
  enum Quantity: Sendable {
    /// An instant.
    case time
    /// A distance or coordinate.
    case length
    /// An angle.
    case angle
    /// A signal level.
    case level
    /// Something without unit.
    case none

    /// The unit that `text` means for this quantity, in one spelling; nil for none.
    func unit(_ text: String) -> String? {
      switch (self, text) {
      case (.time, "s"), (.time, "ms"), (.time, "us"), (.time, "ns"): text
      case (.time, "sec"), (.time, "seconds"): "s"
      case (.time, "µs"), (.time, "μs"): "us"
      case (.length, "m"), (.length, "cm"), (.length, "mm"): text
      case (.angle, "rad"), (.angle, "deg"): text
      case (.angle, "°"): "deg"
      case (.level, "dbm"): text
      default: nil
      }
    }
  }

  /// The name in Fathom's own files, such as `distance_m`.
  var name: String
  /// The names it goes by without unit, the preferred first: `distance`, `range`, `dist`.
  var stems: [String]
  /// What it measures.
  var quantity: Quantity
  /// Whether a file without it is of no use.
  var isRequired: Bool

  /// A column called `name`, known also by `stems` with and without a unit of `quantity`.
  init(
    _ name: String, _ stems: [String], _ quantity: Quantity = .none, isRequired: Bool = false
  ) {
    self.name = name
    self.stems = stems
    self.quantity = quantity
    self.isRequired = isRequired
  }

  /// How well `given` names this column: the rank, 0 for its own name, and the unit in the name;
  /// nil where it does not.
  ///
  /// Capitals do not matter; blanks and hyphens count as underscores; a unit may follow an
  /// underscore or stand in brackets: `Distance [cm]`, `distance_cm`.
  func match(_ given: String) -> (rank: Int, unit: String?)? {
    let (stem, unit) = Self.split(given, quantity)
    guard let index = stems.firstIndex(of: stem) else { return nil }
    return (Self.normalized(given) == name ? 0 : index + 1, unit)
  }

  /// The unit at the end of `given`, whatever the name before it; nil for none.
  func unit(of given: String) -> String? { Self.split(given, quantity).unit }

  /// Small letters, with underscores for blanks and hyphens.
  static func normalized(_ text: String) -> String {
    String(text.lowercased().map { $0 == " " || $0 == "-" ? "_" : $0 })
  }

  private static func split(
    _ given: String, _ quantity: Quantity
  ) -> (stem: String, unit: String?) {
    let text = normalized(given)
    for (opening, closing) in [("[", "]"), ("(", ")")] as [(Character, Character)] {
      guard text.last == closing, let start = text.lastIndex(of: opening) else { continue }
      var stem = text[..<start]
      while stem.last == "_" { stem.removeLast() }
      let inside = String(text[text.index(after: start)...].dropLast())
      if inside.isEmpty { return (String(stem), nil) }
      guard let unit = quantity.unit(inside) else { break }
      return (String(stem), unit)
    }
    if let underscore = text.lastIndex(of: "_"),
      let unit = quantity.unit(String(text[text.index(after: underscore)...]))
    {
      return (String(text[..<underscore]), unit)
    }
    return (text, nil)
  }
}
