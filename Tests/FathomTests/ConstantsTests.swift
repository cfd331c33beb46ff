import Foundation
import TestSupport
import Testing

/// The table of constants in the article Constants.
@Suite struct ConstantsTests {
  private struct Entry {
    var type: String
    var name: String
    var value: Double
  }

  /// The rows of the article's tables: a name with its type, and a value.
  private static func entries() throws -> [Entry] {
    let article = Reference.packageRoot.appending(
      path: "Sources/Fathom/Fathom.docc/Articles/Constants.md")
    let text = try String(contentsOf: article, encoding: .utf8)
    return text.split(separator: "\n").compactMap { line in
      let cells = line.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
      guard cells.count > 2, cells[0].hasPrefix("`"), let value = Double(cells[1]) else {
        return nil
      }
      let parts = cells[0].trimmingCharacters(in: ["`"]).split(separator: ".").map(String.init)
      guard parts.count == 2 else { return nil }
      return Entry(type: parts[0], name: parts[1], value: value)
    }
  }

  /// Returns those of `all` sources that mention `type` as a declaration or an extension.
  private static func sources(of type: String, among all: [Data]) -> [String] {
    let heads = ["struct", "enum", "extension"].map { Data("\($0) \(type)".utf8) }
    return all.filter { text in heads.contains { text.range(of: $0) != nil } }
      .map { String(decoding: $0, as: UTF8.self) }
  }

  /// Returns all sources of the engine.
  private static func allSources() throws -> [Data] {
    let folder = Reference.packageRoot.appending(path: "Sources/Fathom")
    let files = FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil)
    return try (files?.allObjects ?? []).compactMap { $0 as? URL }
      .filter { $0.pathExtension == "swift" }.map { try Data(contentsOf: $0) }
  }

  @Test func valuesAreThoseOfTheSources() throws {
    let entries = try Self.entries()
    #expect(entries.count > 40)
    let sources = try Self.allSources()
    for entry in entries {
      let pattern = try Regex(
        #"\b\#(entry.name)(?:: Double)? (?:=|\{) (-?[0-9._e-]+)"#,
        as: (Substring, Substring).self)
      let values = Self.sources(of: entry.type, among: sources).flatMap { text in
        text.matches(of: pattern).compactMap { Double($0.1.replacing("_", with: "")) }
      }
      #expect(values.contains(entry.value), "\(entry.type).\(entry.name): \(values)")
    }
  }
}
