import Foundation
import TestSupport
import Testing

/// Runs the built executable as users run it.
enum FathomTool {
  /// The exit code and the output of a run.
  struct Outcome {
    var exitCode: Int32
    var output: String
    var errors: String

    /// The lines of the standard output.
    var lines: [String] { output.split(separator: "\n").map(String.init) }

    /// The standard output as JSON.
    func decoded<Value: Decodable>(_ type: Value.Type) throws -> Value {
      try JSONDecoder().decode(type, from: Data(output.utf8))
    }
  }

  /// Returns the executable beside the test bundle, for any configuration and scratch path.
  static func executable() throws -> URL {
    var places = [URL(filePath: "/proc/self/exe").resolvingSymlinksInPath()]
    places += Bundle.allBundles.map(\.bundleURL)
    places += CommandLine.arguments.filter { $0.contains(".xctest") }.map { URL(filePath: $0) }
    for place in places {
      // On macOS the arguments name a file inside the bundle.
      var folder = place.absoluteURL
      while folder.path.contains(".xctest") { folder = folder.deletingLastPathComponent() }
      let candidate = folder.appending(path: "fathom")
      if FileManager.default.isExecutableFile(atPath: candidate.path(percentEncoded: false)) {
        return candidate
      }
    }
    throw NotBuilt(places: places.map(\.path))
  }

  /// The executable was not found beside the tests.
  struct NotBuilt: Error { var places: [String] }

  /// Returns a process that is ready to run in `folder`.
  static func process(
    _ arguments: [String], in folder: Folder, input: FileHandle = .nullDevice
  ) throws -> Process {
    let process = Process()
    process.executableURL = try executable()
    process.arguments = arguments
    process.currentDirectoryURL = folder.url
    process.standardInput = input
    return process
  }

  /// Runs `fathom` with `arguments` in `folder`, with `input` on its standard input.
  static func run(
    _ arguments: String..., in folder: Folder, input: [UInt8]? = nil
  ) throws -> Outcome {
    try run(arguments, in: folder, input: input)
  }

  /// Runs `fathom` with `arguments` in `folder`, with `input` on its standard input.
  static func run(
    _ arguments: [String], in folder: Folder, input: [UInt8]? = nil
  ) throws -> Outcome {
    // The streams are files, because a pipe could fill up.
    let streams = try Folder()
    let output = try streams.create("output")
    let errors = try streams.create("errors")
    var source = FileHandle.nullDevice
    if let input {
      try streams.write("input", bytes: input)
      source = try FileHandle(forReadingFrom: streams.url.appending(path: "input"))
    }
    let process = try process(arguments, in: folder, input: source)
    process.standardOutput = output
    process.standardError = errors
    try process.run()
    process.waitUntilExit()
    let outcome = Outcome(
      exitCode: process.terminationStatus, output: try streams.text("output"),
      errors: try streams.text("errors"))
    // No run prints escape codes without a terminal, or crashes.
    #expect(!outcome.output.contains("\u{1B}") && !outcome.errors.contains("\u{1B}"))
    #expect(process.terminationReason == .exit)
    return outcome
  }
}

/// A temporary folder of a test, removed with the last reference to it.
final class Folder: Sendable {
  let url: URL

  init() throws {
    url = FileManager.default.temporaryDirectory.appending(
      path: "fathom-\(UUID())", directoryHint: .isDirectory)
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(at: url) }

  /// Writes the file at `path` and creates its parent folders.
  func write(_ path: String, _ text: String) throws {
    try write(path, bytes: Array(text.utf8))
  }

  /// Writes the file at `path` and creates its parent folders.
  func write(_ path: String, bytes: [UInt8]) throws {
    let file = url.appending(path: path)
    try FileManager.default.createDirectory(
      at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
    try Data(bytes).write(to: file)
  }

  /// Creates an empty file at `path`, open for writing.
  func create(_ path: String) throws -> FileHandle {
    try write(path, "")
    return try FileHandle(forWritingTo: url.appending(path: path))
  }

  /// Returns the text of the file at `path`.
  func text(_ path: String) throws -> String {
    String(decoding: try Data(contentsOf: url.appending(path: path)), as: UTF8.self)
  }

  /// Returns the names of all entries in the folder at `path`; empty if it does not exist.
  func names(_ path: String = ".") -> Set<String> {
    let folder = url.appending(path: path).path(percentEncoded: false)
    return Set((try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? [])
  }
}

extension FathomTool {
  /// Returns the names of the four results of each recording in `names`.
  static func results(_ names: String...) -> Set<String> {
    Set(
      names.flatMap { name in
        ["positions.csv", "distances.csv", "rejected.csv", "summary.json"].map { "\(name).\($0)" }
      })
  }

  /// Returns the names of all files in the output folder after a batch of the recordings `names`.
  static func batch(_ names: String...) -> Set<String> {
    names.reduce(into: ["batch.json", "batch.csv"]) { $0.formUnion(results($1)) }
  }

  /// Whether gnuplot is on the search path.
  static let hasGnuplot = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":")
    .contains { FileManager.default.isExecutableFile(atPath: "\($0)/gnuplot") }

  /// Returns the path of `name` in `Datasets`.
  static func dataset(_ name: String) -> String {
    Reference.packageRoot.appending(path: "Datasets/\(name)").path(percentEncoded: false)
  }
}
