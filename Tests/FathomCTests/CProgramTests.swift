import Foundation
import TestSupport
import Testing

/// Where the library is that programs link.
private enum BuiltLibrary {
  /// The folder of the library beside the tests; nil if it or a compiler is missing.
  static let folder: URL? = {
    let folder = URL(filePath: "/proc/self/exe").resolvingSymlinksInPath()
      .deletingLastPathComponent()
    let library = folder.appending(path: "libFathomC.so")
    let files = [library.path(percentEncoded: false), "/usr/bin/gcc", "/usr/bin/g++"]
    return files.allSatisfy(FileManager.default.fileExists) ? folder : nil
  }()
}

/// Programs in C and C++ that link the library, compiled with the address sanitizer.
@Suite("Programs in C", .releaseOnly, .enabled(if: BuiltLibrary.folder != nil))
struct CProgramTests {
  private static let root = URL(filePath: #filePath).deletingLastPathComponent()
    .appending(path: "../..").standardizedFileURL

  private struct Failed: Error { var output: String }

  @discardableResult
  private func run(_ program: String, _ arguments: [String]) throws -> String {
    let process = Process()
    process.executableURL = URL(filePath: program)
    process.arguments = arguments
    let pipe = Pipe()
    process.standardOutput = pipe
    process.standardError = pipe
    process.environment = ProcessInfo.processInfo.environment.merging([
      "ASAN_OPTIONS": "detect_leaks=1:halt_on_error=1", "UBSAN_OPTIONS": "halt_on_error=1",
    ]) { $1 }
    try process.run()
    let output = String(decoding: pipe.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    guard process.terminationStatus == 0 else { throw Failed(output: output) }
    return output
  }

  /// Compiles `source` and runs it; returns its output.
  private func outcome(of source: String, _ arguments: [String]) throws -> String {
    let folder = try #require(BuiltLibrary.folder).path(percentEncoded: false)
    var output = ""
    try withTemporaryFolder { (place: String) throws in
      let isCpp = source.hasSuffix("cpp")
      try run(
        isCpp ? "/usr/bin/g++" : "/usr/bin/gcc",
        [
          isCpp ? "-std=c++17" : "-std=c11", "-g", "-Wall", "-Wextra", "-Werror",
          "-fsanitize=address,undefined", Self.root.appending(path: source).path,
          "-I\(Self.root.path)/Sources/CFathom/include", "-L\(folder)", "-lFathomC",
          "-Wl,-rpath,\(folder)", "-lm", "-o", "\(place)/program",
        ])
      output = try run("\(place)/program", arguments)
    }
    return output
  }

  @Test("The examples print the positions of the README", arguments: ["track.c", "track.cpp"])
  func example(name: String) throws {
    let output = try outcome(
      of: "Examples/C/\(name)", ["\(Self.root.path)/Datasets/robot-2d"])
    #expect(
      output == """
        x 2.25 ± 0.16 m, y 2.11 ± 0.14 m
        x 2.49 ± 0.11 m, y 2.29 ± 0.11 m
        range 10 discounted
        x 2.82 ± 0.10 m, y 2.52 ± 0.11 m
        2159 positions; the last of robot: 3.15, 4.98, 0.30 m, tracking

        """)
  }

  @Test("Random and hostile calls end with a status")
  func hostile() throws {
    let calls = repetitions(4000, long: 100_000)
    let seed = 2654
    #expect(throws: Never.self, "seed \(seed)") {
      try outcome(of: "Tests/FathomCTests/Programs/hostile.c", ["\(seed)", "\(calls)"])
    }
  }
}
