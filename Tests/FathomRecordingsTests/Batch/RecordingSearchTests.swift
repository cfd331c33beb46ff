import Foundation
import TestSupport
import Testing

@testable import FathomRecordings

@Suite struct RecordingSearchTests {
  private func withTree(_ files: [String], _ body: (String) throws -> Void) throws {
    try withTemporaryFolder { folder in
      for file in files {
        let url = URL(filePath: "\(folder)/\(file)")
        try FileManager.default.createDirectory(
          at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data().write(to: url)
      }
      try body(folder)
    }
  }

  private func expect(
    _ expected: [String], _ include: [String], _ exclude: [String], output: String? = nil,
    in folder: String, sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    let found = try search(include, exclude, output: output, in: folder)
    #expect(found == expected, sourceLocation: sourceLocation)
  }

  private func search(
    _ include: [String] = [], _ exclude: [String] = [], output: String? = nil, in folder: String
  ) throws -> [String] {
    var search = RecordingSearch()
    search.includes = include.compactMap { PathPattern($0) }
    search.excludes = exclude.compactMap { PathPattern($0) }
    search.output = output
    return try search.recordings(in: folder).map { String($0.dropFirst(folder.utf8.count)) }
  }

  private static let tree = [
    "b/walk/ranges.csv", "b/walk/anchors.csv", "a/walk/ranges.csv.gz", "a/run/deep/ranges.csv",
    "a/tdoa/tdoa.csv", "a/damaged/recording.json", "a/notes/readme.txt", ".git/x/ranges.csv",
    "loose/drive.csv", "loose/anchors.csv", "loose/x.positions.csv", "out/ranges.csv",
    "out/batch.csv",
  ]

  @Test func findsFoldersInOrder() throws {
    try withTree(Self.tree) { folder in
      let found = ["/a/damaged", "/a/run/deep", "/a/tdoa", "/a/walk", "/b/walk"]
      let output = "\(folder)/out"
      try expect(found, [], [], output: output, in: folder)
      try expect(found + ["/out"], [], [], in: folder)
      try expect(
        ["/a/tdoa", "/a/walk", "/b/walk"], [], ["damaged", "a/run"], output: output, in: folder)
      try expect(["/a/damaged", "/a/run/deep", "/a/walk"], ["a/*"], ["tdoa"], in: folder)
      try expect(["/loose/drive.csv"], ["drive.csv"], [], in: folder)
      // Files of recordings and results are never recordings of their own.
      try expect(found + ["/loose/drive.csv"], ["*.csv"], ["out"], in: folder)
      try expect([""], [], [], in: "\(folder)/b/walk")
    }
  }

  @Test func linksToFoldersAreNotFollowed() throws {
    try withTree(["a/ranges.csv"]) { folder in
      try FileManager.default.createSymbolicLink(
        atPath: "\(folder)/a/circle", withDestinationPath: folder)
      try expect(["/a"], [], [], in: folder)
    }
  }

  @Test func nothingFoundIsAnError() throws {
    try withTree(["a/readme.txt"]) { folder in
      let error = #expect(throws: RecordingError.self) { try search(in: folder) }
      #expect(error?.exitCode == 66)
    }
  }

  @Test func listHasOnePathPerLine() throws {
    try withTemporaryFolder { folder in
      let path = "\(folder)/list"
      func read(_ bytes: [UInt8]) throws -> [String] {
        try Data(bytes).write(to: URL(filePath: path))
        return try RecordingList.read(path)
      }
      let paths = try read(Array("a b\r\n\n# no\nc/ä".utf8))
      #expect(paths == ["a b", "c/ä"])
      for bytes in [[], Array("#\n".utf8), [0x61, 0x0A, 0xFF], [0x61, 0], Array("-\n".utf8)] {
        let error = #expect(throws: RecordingError.self) { try read(bytes) }
        #expect(error?.exitCode == 65)
      }
    }
  }

  @Test(arguments: [
    ("folder", "site/day/walk.csv", "walk"), ("path", "site/day/walk.csv.gz", "site_day_walk"),
    ("path", "../site/./walk", "site_walk"), ("path", "/data/walk", "data_walk"),
    ("{parent}-{name}", "site/day/walk", "day-walk"), ("{parent}{name}", "walk", "walk"),
    ("r{path}", "a/b", "ra_b"), ("{parent}/{name}", "a/b", "a_b"), ("path", "-", "stdin"),
    (".{name}", "b", "_b"),
  ])
  func namesResults(_ naming: String, _ path: String, _ expected: String) throws {
    #expect(try #require(RecordingNaming(naming)).name(of: path) == expected)
  }

  @Test func namingNeedsAPlace() {
    for text in ["", "paths", "{}", "{folder}"] { #expect(RecordingNaming(text) == nil) }
  }
}
