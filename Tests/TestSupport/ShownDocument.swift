import Foundation
import Synchronization
import Testing

/// A Markdown document of the package with its fenced blocks.
///
/// The info string of a fence gives the content of its block: `console` for commands with their
/// output, `sh` for commands alone, `swift` for code, `text` and others for blocks that are not
/// run.
public struct ShownDocument: Sendable {
  /// The path of the document, relative to the package folder.
  public let path: String
  /// The lines of the document.
  public private(set) var lines: [String]

  /// A fenced block.
  public struct Block: Sendable {
    /// The info string of the opening fence, such as `console`; may be empty.
    public var info: String
    /// The lines between the fences.
    public var lines: [String]
    /// The indices of these lines in the document, counted from 0.
    public var range: Range<Int>
  }

  /// Reads the document at `path` in the package.
  public init(_ path: String) throws {
    self.path = path
    let text = try String(contentsOf: Reference.packageRoot.appending(path: path), encoding: .utf8)
    lines = text.components(separatedBy: "\n")
  }

  /// The fenced blocks, in order.
  public var blocks: [Block] {
    var blocks: [Block] = []
    var opening: Int?
    for (index, line) in lines.enumerated() where line.hasPrefix("```") {
      guard let start = opening else {
        opening = index
        continue
      }
      let range = (start + 1)..<index
      blocks.append(
        Block(
          info: lines[start].dropFirst(3).trimmingCharacters(in: .whitespaces),
          lines: Array(lines[range]), range: range))
      opening = nil
    }
    return blocks
  }

  /// The lines, counted from 1, on which a block begins that is indented instead of fenced.
  public var indentedBlocks: [Int] {
    let fenced = blocks.reduce(into: IndexSet()) { $0.insert(integersIn: $1.range) }
    return lines.indices.dropFirst().filter { index in
      lines[index].hasPrefix("    ") && lines[index - 1].isEmpty && !fenced.contains(index)
    }.map { $0 + 1 }
  }

  /// Whether tests write their results into the documents: `FATHOM_RECORD_SHOWN` is set.
  public static let isRecording =
    ProcessInfo.processInfo.environment["FATHOM_RECORD_SHOWN", default: ""] != ""

  /// Replaces the lines of block `number` of the document at `path`, counted from 0.
  ///
  /// Tests of several suites may call it concurrently.
  public static func record(_ lines: [String], asBlock number: Int, of path: String) throws {
    try isWriting.withLock { _ in
      var document = try Self(path)
      let range = document.blocks[number].range
      guard Array(document.lines[range]) != lines else { return }
      document.lines.replaceSubrange(range, with: lines)
      let text = document.lines.joined(separator: "\n")
      try Data(text.utf8).write(to: Reference.packageRoot.appending(path: path), options: .atomic)
    }
  }

  private static let isWriting = Mutex(())
}

/// Code that a document shows and a test compiles: the lines of a source file between `// MARK:
/// Shown NAME` and `// MARK: End`.
public struct ShownCode: Sendable {
  /// The lines, without their common indentation.
  public let lines: [String]

  /// Reads the code called `name` from the source file at `path`.
  public init(_ name: String, in path: String) throws {
    let source = try String(contentsOf: URL(filePath: path), encoding: .utf8)
    let all = source.components(separatedBy: "\n")
    let begin = "// MARK: Shown \(name)"
    guard let first = all.firstIndex(where: { $0.trimmingCharacters(in: .whitespaces) == begin }),
      let last = all[first...].firstIndex(where: { $0.hasSuffix("// MARK: End") })
    else { throw NotFound(name: name, path: path) }
    let indentation = all[first].prefix { $0 == " " }
    lines = all[(first + 1)..<last].map { line in
      line.hasPrefix(indentation) ? String(line.dropFirst(indentation.count)) : line
    }
  }

  /// The error for missing markers.
  public struct NotFound: Error {
    /// The requested name.
    public var name: String
    /// The source file.
    public var path: String
  }

  /// Returns whether the block shows this code after its import declarations.
  public func isShown(in block: ShownDocument.Block) -> Bool {
    let body = block.lines.drop { $0.hasPrefix("import ") || $0.isEmpty }
    return block.info == "swift" && Array(body) == lines
  }
}

extension ShownDocument {
  /// Expects the document at `path` to show `code`, followed by `printed` in a `text` block.
  public static func expect(
    _ code: ShownCode, printing printed: [String], in path: String,
    sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    let blocks = try Self(path).blocks
    let number = try #require(
      blocks.firstIndex { code.isShown(in: $0) }, "\(path) does not show the code of the test",
      sourceLocation: sourceLocation)
    let output = try #require(blocks.dropFirst(number + 1).first, sourceLocation: sourceLocation)
    #expect(output.info == "text", sourceLocation: sourceLocation)
    if isRecording {
      try record(printed, asBlock: number + 1, of: path)
    } else {
      #expect(output.lines == printed, sourceLocation: sourceLocation)
    }
  }
}
