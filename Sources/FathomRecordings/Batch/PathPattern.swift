/// A pattern of relative paths: `*` stands for any characters of one name, `?` for one character,
/// and `**` for any number of folders.
///
/// A pattern without a slash is compared with every name in a path, any other with the whole path.
/// A folder that matches stands for everything in it. Other characters stand for themselves.
public struct PathPattern: Sendable, Equatable {
  /// The pattern as given.
  public let text: String
  private let names: [[Unicode.Scalar]]
  private let isName: Bool

  /// Creates the pattern `text`; nil if it names nothing.
  public init?(_ text: String) {
    let names = text.split(separator: "/").filter { $0 != "." }.map { Array($0.unicodeScalars) }
    if names.isEmpty { return nil }
    self.text = text
    self.names = names
    isName = !text.contains("/")
  }

  /// Returns whether the relative `path`, or a folder above it, matches.
  ///
  /// Cost: the length of the pattern times that of the path.
  public func matches(_ path: String) -> Bool {
    let parts = path.split(separator: "/").map { Array($0.unicodeScalars) }
    if isName {
      return names[0] == Self.folders
        || parts.contains { Self.matches($0[...], names[0][...]) }
    }
    return reached(parts).dropFirst().contains(true)
  }

  /// Returns whether the pattern asks for the single file at the relative `path`: its last name has a
  /// period, and the whole path matches.
  func matchesFile(_ path: String) -> Bool {
    let parts = path.split(separator: "/").map { Array($0.unicodeScalars) }
    guard let rule = names.last, let name = parts.last, rule.contains(".") else { return false }
    return isName ? Self.matches(name[...], rule[...]) : reached(parts).last == true
  }

  /// Returns whether the pattern matches the first `index` of `parts`, by index.
  private func reached(_ parts: [[Unicode.Scalar]]) -> [Bool] {
    // For the names of the pattern so far.
    var reached = [Bool](repeating: false, count: parts.count + 1)
    reached[0] = true
    for name in names {
      var next = [Bool](repeating: false, count: parts.count + 1)
      if name == Self.folders {
        var isReached = false
        for index in reached.indices {
          isReached = isReached || reached[index]
          next[index] = isReached
        }
      } else {
        for index in parts.indices where reached[index] {
          next[index + 1] = Self.matches(parts[index][...], name[...])
        }
      }
      reached = next
    }
    return reached
  }

  private static let folders = Array("**".unicodeScalars)

  /// Compares a name with a pattern; a star is extended only when what follows it does not match.
  private static func matches(
    _ name: ArraySlice<Unicode.Scalar>, _ pattern: ArraySlice<Unicode.Scalar>
  ) -> Bool {
    var (place, rule) = (name.startIndex, pattern.startIndex)
    var star: (place: Int, rule: Int)?
    while place < name.endIndex {
      if rule < pattern.endIndex, pattern[rule] == "*" {
        star = (place, rule)
        rule += 1
      } else if rule < pattern.endIndex, pattern[rule] == "?" || pattern[rule] == name[place] {
        place += 1
        rule += 1
      } else if let last = star {
        place = last.place + 1
        rule = last.rule + 1
        star?.place = place
      } else {
        return false
      }
    }
    return pattern[rule...].allSatisfy { $0 == "*" }
  }
}
