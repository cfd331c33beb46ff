import Foundation

/// A command in a `console` block and the output shown below it.
///
/// Lines that begin with `$ ` are commands; a backslash at the end of a line continues the command
/// on the next line. The lines up to the next command are its output.
struct ShownCommand: Equatable {
  /// The shown lines of the command, with the prompt.
  var lines: [String]
  /// The shown output, without empty lines at its end.
  var output: [String] = []
  /// Empty lines before the next command.
  var emptyLines = 0

  /// The command for the shell.
  var command: String {
    lines.enumerated().map { $0 == 0 ? String($1.dropFirst(2)) : $1 }.joined(separator: "\n")
  }

  /// Returns the commands in the lines of a `console` block; nil if the block does not begin with
  /// one.
  static func commands(in lines: [String]) -> [ShownCommand]? {
    var commands: [ShownCommand] = []
    for line in lines {
      if let last = commands.indices.last, commands[last].lines.last?.hasSuffix("\\") == true,
        commands[last].output.isEmpty
      {
        commands[last].lines.append(line)
      } else if line.hasPrefix("$ ") {
        commands.append(ShownCommand(lines: [line]))
      } else if commands.isEmpty {
        return nil
      } else {
        commands[commands.count - 1].output.append(line)
      }
    }
    for index in commands.indices {
      while commands[index].output.last == "" {
        commands[index].output.removeLast()
        commands[index].emptyLines += 1
      }
    }
    return commands.isEmpty ? nil : commands
  }

  /// Returns the lines of a block with `commands`.
  static func lines(of commands: [ShownCommand]) -> [String] {
    commands.flatMap { $0.lines + $0.output + [String](repeating: "", count: $0.emptyLines) }
  }
}

/// Compares shown output with printed output.
///
/// - A shown line that ends with ` ...` is cut on the right: the printed line begins with it.
/// - A shown line `...` stands for zero or more printed lines; it may occur once per command.
/// - In tables with columns that depend on the machine, such as `rows/s`, these columns may hold
///   any number, and the widths of columns are ignored.
struct ShownOutput {
  /// The headers of columns that depend on the machine and the run.
  static let measuredColumns: Set = ["rows/s", "ns/range", "median ns", "ranges/s", "alloc/range"]
  private static let cut = " ..."
  private static let gap = "..."

  /// The printed lines, without white space at their ends and without empty lines at the end.
  let printed: [String]

  init(printed text: String) {
    var lines = text.components(separatedBy: "\n").map(Self.trimmed)
    while lines.last == "" { lines.removeLast() }
    printed = lines
  }

  /// Returns the differences of `shown` from the printed lines, one per line; empty if they agree.
  func differences(from shown: [String]) -> [String] {
    guard let pairs = pairs(with: shown) else {
      return ["\(shown.count) lines are shown, \(printed.count) were printed"]
    }
    let measured = measuredCells()
    return pairs.filter { !Self.agrees($0.shown, with: printed[$0.index], measured[$0.index]) }
      .map { "shown:   \($0.shown)\nprinted: \(printed[$0.index])" }
  }

  /// Returns the lines to show in place of `shown`: `shown` itself if it agrees, otherwise the
  /// printed lines, cut where `shown` is cut.
  func recorded(over shown: [String]) -> [String] {
    if differences(from: shown).isEmpty { return shown }
    var lines = printed
    if let gap = shown.firstIndex(of: Self.gap), printed.count >= shown.count - 1 {
      lines = printed.prefix(gap) + [Self.gap] + printed.suffix(shown.count - gap - 1)
    }
    let widths = shown.filter { $0.hasSuffix(Self.cut) }.map { $0.count - Self.cut.count }
    guard let width = widths.max() else { return lines }
    return lines.map { line in
      line.count > width + Self.cut.count
        ? Self.trimmed(String(line.prefix(width))) + Self.cut : line
    }
  }

  /// Pairs every shown line with the index of its printed line; nil if their numbers do not match.
  private func pairs(with shown: [String]) -> [(shown: String, index: Int)]? {
    guard let gap = shown.firstIndex(of: Self.gap) else {
      guard shown.count == printed.count else { return nil }
      return shown.indices.map { (Self.trimmed(shown[$0]), $0) }
    }
    let after = shown.count - gap - 1
    guard gap + after <= printed.count else { return nil }
    return shown[..<gap].indices.map { (Self.trimmed(shown[$0]), $0) }
      + (0..<after).map { (Self.trimmed(shown[gap + 1 + $0]), printed.count - after + $0) }
  }

  /// Returns, for every printed line of a table with measured columns, the indices of the measured
  /// cells; nil for other lines.
  private func measuredCells() -> [Set<Int>?] {
    // Counted from the right, because columns without a header may come before.
    var columns: Set<Int> = []
    return printed.map { line in
      let cells = Self.cells(of: line)
      if cells.isEmpty { columns = [] }
      let headers = cells.indices.filter { Self.measuredColumns.contains(cells[$0]) }
      if !headers.isEmpty {
        columns = Set(headers.map { cells.count - $0 })
        return []
      }
      return columns.isEmpty ? nil : Set(columns.map { cells.count - $0 })
    }
  }

  private static func agrees(_ shown: String, with printed: String, _ measured: Set<Int>?) -> Bool {
    let isCut = shown.hasSuffix(cut)
    let text = isCut ? trimmed(String(shown.dropLast(cut.count))) : shown
    guard let measured else { return isCut ? printed.hasPrefix(text) : printed == text }
    let (left, right) = (cells(of: text), cells(of: printed))
    guard isCut ? left.count <= right.count : left.count == right.count else { return false }
    return left.indices.allSatisfy { index in
      left[index] == right[index]
        || measured.contains(index) && Double(left[index]) != nil && Double(right[index]) != nil
    }
  }

  /// Returns the cells of a line of a table, which two or more spaces separate.
  private static func cells(of line: String) -> [String] {
    line.components(separatedBy: "  ").map { $0.trimmingCharacters(in: .whitespaces) }
      .filter { !$0.isEmpty }
  }

  private static func trimmed(_ line: String) -> String {
    String(line.reversed().drop { $0 == " " }.reversed())
  }
}
