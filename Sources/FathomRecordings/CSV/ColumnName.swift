/// A column known for a kind of file, with its accepted names.
struct ColumnName: Sendable {
  /// The quantity in a column, which determines the units its name may carry.
  enum Quantity: Sendable {
    /// An instant.
    case time
    /// A distance or coordinate.
    case length
    /// An angle.
    case angle
    /// A signal level.
    case level
    /// An acceleration.
    case acceleration
    /// A rotation rate.
    case rotation
    /// A value without unit.
    case none

    /// Returns the canonical spelling of the unit `text` for this quantity; nil when it is not such
    /// a unit.
    func unit(_ text: String) -> String? {
      switch (self, text) {
      case (.time, "s"), (.time, "ms"), (.time, "us"), (.time, "ns"): text
      case (.time, "sec"), (.time, "seconds"): "s"
      case (.time, "µs"), (.time, "μs"): "us"
      case (.length, "m"), (.length, "cm"), (.length, "mm"): text
      case (.angle, "rad"), (.angle, "deg"): text
      case (.angle, "°"): "deg"
      case (.level, "dbm"): text
      case (.acceleration, "g"), (.acceleration, "mg"), (.acceleration, "mps2"): text
      case (.acceleration, "m/s^2"), (.acceleration, "m/s2"), (.acceleration, "m/s²"): "mps2"
      case (.rotation, "radps"), (.rotation, "dps"): text
      case (.rotation, "rad/s"), (.rotation, "rads"): "radps"
      case (.rotation, "deg/s"), (.rotation, "degps"), (.rotation, "°/s"): "dps"
      default: nil
      }
    }
  }

  /// Name in Fathom's own files, such as `distance_m`.
  var name: String
  /// Accepted names without unit, the preferred one first: `distance`, `range`, `dist`.
  var stems: [String]
  /// Quantity in the column.
  var quantity: Quantity
  /// Whether a file without this column is an error.
  var isRequired: Bool

  /// Creates a column called `name`, with the alternative names `stems`, with and without a unit of
  /// `quantity`.
  init(
    _ name: String, _ stems: [String], _ quantity: Quantity = .none, isRequired: Bool = false
  ) {
    self.name = name
    self.stems = stems
    self.quantity = quantity
    self.isRequired = isRequired
  }

  /// Matches the name `given`: returns the rank, 0 for the column's own name, and the unit in
  /// `given`; nil when it does not match.
  ///
  /// Case is ignored; blanks and hyphens count as underscores. A unit may follow an underscore or
  /// stand in brackets: `Distance [cm]`, `distance_cm`.
  func match(_ given: String) -> (rank: Int, unit: String?)? {
    let (stem, unit) = Self.split(given, quantity)
    guard let index = stems.firstIndex(of: stem) else { return nil }
    return (Self.normalized(given) == name ? 0 : index + 1, unit)
  }

  /// Returns the unit at the end of `given`, whatever the name before it; nil without a unit.
  func unit(of given: String) -> String? { Self.split(given, quantity).unit }

  /// Returns `text` in lower case, with underscores for blanks and hyphens.
  static func normalized(_ text: String) -> String {
    String(text.lowercased().map { $0 == " " || $0 == "-" ? "_" : $0 })
  }

  private static func split(
    _ given: String, _ quantity: Quantity
  ) -> (stem: String, unit: String?) {
    // Text of any length can stand where a header is looked for.
    guard given.utf8.count <= RecordingLimits.longestName else { return (given, nil) }
    var text = normalized(given)
    while text.last == ":" { text.removeLast() }
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
