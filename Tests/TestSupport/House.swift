import Foundation

/// The folders of `Sources` and their dependencies, found from the names in the code.
///
/// A file depends on another file if it uses a type that the other declares at its top level. Comments
/// and strings do not count; code inside string interpolations does. A name belongs to the file's own
/// module or else to one below it; the compiler rules out the modules above.
public struct House: Sendable {
  /// A Swift file.
  public struct File: Sendable, Hashable {
    /// Path of the file's folder, from `Sources`.
    public var folder: String
    /// Name of the file without its extension.
    public var name: String
  }

  /// Every Swift file, sorted by path.
  public let files: [File]
  /// The files that each file depends on, parallel to ``files``.
  public let dependencies: [Set<Int>]

  /// The Swift modules, each above those that it may import.
  public static let modules = [
    "Fathom", "FathomRecordings", "FathomEvaluation", "FathomReports", "FathomLive", "FathomCLI",
  ]

  /// Reads the Swift files below `sources`.
  public init(sources: URL) throws {
    let root = sources.standardizedFileURL.path(percentEncoded: false)
    let paths = try FileManager.default.subpathsOfDirectory(atPath: root)
      .filter { $0.hasSuffix(".swift") }.sorted()
    var files: [File] = []
    var names: [NameScanner] = []
    for path in paths {
      let url = sources.appending(path: path)
      let folder = path.split(separator: "/").dropLast().joined(separator: "/")
      files.append(File(folder: folder, name: url.deletingPathExtension().lastPathComponent))
      names.append(NameScanner(Array(try Data(contentsOf: url))))
    }
    let levels = files.map { file in
      Self.modules.firstIndex { $0 == file.folder.prefix { $0 != "/" } } ?? 0
    }
    var homes: [String: [Int]] = [:]
    for (index, name) in names.enumerated() {
      for type in name.declared { homes[type, default: []].append(index) }
    }
    self.files = files
    dependencies = names.enumerated().map { index, name in
      let homes = name.used.compactMap { type in
        homes[type]?.filter { levels[$0] <= levels[index] }.max { levels[$0] < levels[$1] }
      }
      return Set(homes).subtracting([index])
    }
  }

  /// The folders with at least one file, and their numbers of files.
  public var folderSizes: [String: Int] {
    Dictionary(grouping: files, by: \.folder).mapValues(\.count)
  }

  /// The folders that each folder depends on.
  public var folderDependencies: [String: Set<String>] {
    var result: [String: Set<String>] = [:]
    for (index, file) in files.enumerated() {
      result[file.folder, default: []].formUnion(dependencies[index].map { files[$0].folder })
    }
    for folder in result.keys { result[folder]?.remove(folder) }
    return result
  }

  /// Groups of two or more files that all depend on each other, directly or not.
  public var fileCycles: [[File]] {
    cycles(among: files.indices.map { $0 }, next: { Array(dependencies[$0]) })
      .map { $0.map { files[$0] } }
  }

  /// Groups of two or more folders that all depend on each other, directly or not.
  public var folderCycles: [[String]] {
    let next = folderDependencies
    return cycles(among: next.keys.sorted(), next: { next[$0, default: []].sorted() })
  }

  /// The strongly connected components with two or more nodes [Tarjan 1972], each sorted.
  private func cycles<Node: Hashable & Comparable>(
    among nodes: [Node], next: (Node) -> [Node]
  ) -> [[Node]] {
    var order: [Node: Int] = [:]
    var lowest: [Node: Int] = [:]
    var stack: [Node] = []
    var onStack: Set<Node> = []
    var found: [[Node]] = []
    func visit(_ node: Node) {
      let number = order.count
      order[node] = number
      var low = number
      stack.append(node)
      onStack.insert(node)
      for other in next(node) {
        if order[other] == nil { visit(other) }
        if onStack.contains(other) { low = min(low, lowest[other] ?? order[other] ?? low) }
      }
      lowest[node] = low
      guard low == number, let start = stack.firstIndex(of: node) else { return }
      let group = stack[start...]
      onStack.subtract(group)
      if group.count > 1 { found.append(group.sorted()) }
      stack.removeSubrange(start...)
    }
    for node in nodes where order[node] == nil { visit(node) }
    return found
  }
}

extension House.File: Comparable {
  /// Orders files by path.
  public static func < (left: Self, right: Self) -> Bool {
    (left.folder, left.name) < (right.folder, right.name)
  }
}

/// The capitalised names in a Swift file: those declared at the top level, and all those used.
private struct NameScanner {
  private(set) var declared: Set<String> = []
  private(set) var used: Set<String> = []
  private let text: [UInt8]
  private var place = 0
  private var depth = 0
  private var previous = ""

  init(_ text: [UInt8]) {
    self.text = text
    scan(untilParenthesis: false)
  }

  /// Reads code up to the end, or up to the parenthesis that closes an interpolation.
  private mutating func scan(untilParenthesis: Bool) {
    var open = 0
    while place < text.count {
      let byte = text[place]
      if starts("//") {
        while place < text.count, text[place] != UInt8(ascii: "\n") { place += 1 }
      } else if starts("/*") {
        while place < text.count, !starts("*/") { place += 1 }
        place += 2
      } else if byte == UInt8(ascii: "\"") {
        string()
      } else if isNamePart(byte) {
        name()
      } else {
        switch byte {
        case UInt8(ascii: "{"): depth += 1
        case UInt8(ascii: "}"): depth -= 1
        case UInt8(ascii: "("): open += 1
        case UInt8(ascii: ")"):
          if untilParenthesis, open == 0 {
            place += 1
            return
          }
          open -= 1
        default: break
        }
        place += 1
      }
    }
  }

  private mutating func string() {
    let quotes = starts("\"\"\"") ? "\"\"\"" : "\""
    place += quotes.utf8.count
    while place < text.count, !starts(quotes) {
      if starts("\\(") {
        place += 2
        scan(untilParenthesis: true)
      } else {
        place += text[place] == UInt8(ascii: "\\") ? 2 : 1
      }
    }
    place += quotes.utf8.count
  }

  private mutating func name() {
    let start = place
    while place < text.count, isNamePart(text[place]) { place += 1 }
    let name = String(decoding: text[start..<place], as: UTF8.self)
    if name.first?.isUppercase == true {
      used.insert(name)
      let keywords = ["struct", "class", "enum", "protocol", "actor", "typealias"]
      if depth == 0, keywords.contains(previous) { declared.insert(name) }
    }
    previous = name
  }

  private func starts(_ sequence: String) -> Bool {
    text[place...].starts(with: sequence.utf8)
  }

  private func isNamePart(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"):
      true
    default: byte >= 0x80
    }
  }
}
