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
      case (.time, "sec"), (.time, "secs"), (.time, "seconds"): "s"
      case (.time, "msec"), (.time, "millis"), (.time, "milliseconds"): "ms"
      case (.time, "µs"), (.time, "μs"), (.time, "usec"), (.time, "micros"): "us"
      case (.time, "microseconds"): "us"
      case (.time, "nsec"), (.time, "nanos"), (.time, "nanoseconds"): "ns"
      case (.time, "ticks"): text
      case (.length, "m"), (.length, "cm"), (.length, "mm"): text
      case (.length, "meters"), (.length, "metres"), (.length, "meter"), (.length, "metre"): "m"
      case (.length, "centimeters"), (.length, "centimetres"): "cm"
      case (.length, "millimeters"), (.length, "millimetres"): "mm"
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
  /// Names that are accepted if no other column has the meaning, and whose use is noted: `id2` is
  /// mostly the anchor.
  var guesses: [String]
  /// Quantity in the column.
  var quantity: Quantity
  /// Whether a file without this column is an error.
  var isRequired: Bool

  /// Creates a column called `name`, with the alternative names `stems` and `guesses`, with and
  /// without a unit of `quantity`.
  init(
    _ name: String, _ stems: [String], _ quantity: Quantity = .none, isRequired: Bool = false,
    guesses: [String] = []
  ) {
    self.name = name
    self.stems = stems
    self.guesses = guesses
    self.quantity = quantity
    self.isRequired = isRequired
  }

  /// Matches the name `given`: returns the rank, 0 for the column's own name, and the unit in
  /// `given`; nil when it does not match.
  ///
  /// Case is ignored; blanks and hyphens count as underscores. A unit may follow an underscore or
  /// stand in brackets: `Distance [cm]`, `distance_cm`. Words may be joined by capitals,
  /// `anchorId`, and follow the path of a message, `field.header.stamp`.
  func match(_ given: String) -> (rank: Int, unit: String?)? {
    if let found = match(spelt: given) {
      return (Self.normalized(given) == name ? 0 : found.rank, found.unit)
    }
    guard given.utf8.count <= RecordingLimits.longestName,
      given.utf8.contains(where: { Self.joins($0) }) || given.hasPrefix("_")
    else { return nil }
    // A name by its own words precedes the last word of a path.
    let last = Self.lastOfPath(given)
    let forms = [Self.words(of: given), last, Self.words(of: last)]
    for (place, form) in forms.enumerated() where form != given {
      if let found = match(spelt: form) {
        return (found.rank + (place > 0 ? Self.rankOfPaths : 0), found.unit)
      }
    }
    return nil
  }

  /// Rank from which a match is a guess.
  static let rankOfGuesses = 2000
  /// Added to the rank of a name behind a path.
  private static let rankOfPaths = 1000

  private func match(spelt given: String) -> (rank: Int, unit: String?)? {
    let (stem, unit) = Self.split(given, quantity)
    guard
      let index = stems.firstIndex(of: stem).map({ $0 + 1 })
        ?? guesses.firstIndex(of: stem).map({ Self.rankOfGuesses + $0 })
    else { return nil }
    // `millis` is a name and its unit.
    return (index, unit ?? quantity.unit(stem))
  }

  /// Whether the byte can stand between the words of a name that is not in lower case.
  private static func joins(_ byte: UInt8) -> Bool {
    (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) || byte == UInt8(ascii: ".")
      || byte == UInt8(ascii: "/") || byte == UInt8(ascii: "%")
  }

  /// Returns `name` with an underscore before each capital that follows a small letter or digit.
  private static func words(of name: String) -> String {
    var words = ""
    var isSmall = false
    for letter in name {
      if letter.isUppercase, isSmall { words.append("_") }
      words.append(letter)
      isSmall = letter.isLowercase || letter.isNumber
    }
    return words
  }

  /// Returns what follows the last point or slash of a path; all of `name` without one, or if a
  /// number follows.
  private static func lastOfPath(_ name: String) -> String {
    let text = name.drop { $0 == "%" || $0 == "_" }
    guard let separator = text.lastIndex(where: { $0 == "." || $0 == "/" }) else {
      return String(text)
    }
    let last = text[text.index(after: separator)...]
    return last.first?.isLetter == true ? String(last) : name
  }

  /// Returns the unit at the end of `given`, whatever the name before it; nil without a unit.
  func unit(of given: String) -> String? { Self.split(given, quantity).unit }

  /// Returns the unit in the cell `place` of the row of `units` below a header; nil without one.
  func unit(below place: Int, _ units: [String]) -> String? {
    units.indices.contains(place) ? quantity.unit(Self.normalized(units[place])) : nil
  }

  /// Returns the units in the first row below a header; nil for a row that has something else.
  ///
  /// Each cell is empty, a dash, or a unit, which may stand in brackets; some cell is a unit of a time or of a
  /// length. In brackets any short word can stand, as in `[s],[m],[string]`.
  static func units(inRow cells: [String]) -> [String]? {
    var isFound = false
    var units: [String] = []
    for cell in cells {
      var text = cell[...]
      let isBracketed =
        text.count > 1
        && (text.first == "[" && text.last == "]" || text.first == "(" && text.last == ")")
      if isBracketed { text = text.dropFirst().dropLast() }
      let unit = String(text)
      let isLength = Quantity.length.unit(normalized(unit)) != nil
      let isUnit = isLength || Quantity.time.unit(normalized(unit)) != nil
      let isOther =
        unit.isEmpty || ["-", "--", "n/a"].contains(unit) || isBracketed && unit.utf8.count <= 12
        || [.angle, .level, .acceleration, .rotation].contains {
          (quantity: Quantity) in quantity.unit(normalized(unit)) != nil
        }
      guard isUnit || isOther, Double(unit) == nil else { return nil }
      if isUnit { isFound = true }
      units.append(unit.allSatisfy { $0 == "-" } ? "" : unit)
    }
    return isFound ? units : nil
  }

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
