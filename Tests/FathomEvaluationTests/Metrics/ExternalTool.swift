import Foundation
import Testing

/// External programs that provide reference results.
enum ExternalTool {
  /// Python, for scripts of the reference material.
  static let python = path(of: "python3")
  /// `evo_ape` of evo, found through `FATHOM_EVO` (the program or its folder) or `PATH`.
  static let evo: String? = {
    guard let given = ProcessInfo.processInfo.environment["FATHOM_EVO"] else {
      return path(of: "evo_ape")
    }
    return [given, "\(given)/evo_ape"].first { isProgram($0) }
  }()

  /// A tool ended with an exit code other than 0.
  struct Failure: Error {
    var arguments: [String]
    var exitCode: Int32
    var output: String
  }

  /// Runs the program at `path` in `folder` and returns what it prints.
  static func run(_ path: String, _ arguments: [String], in folder: URL) throws -> String {
    let process = Process()
    process.executableURL = URL(filePath: path)
    process.arguments = arguments
    process.currentDirectoryURL = folder
    // evo writes settings into the home folder on its first run.
    var environment = ProcessInfo.processInfo.environment
    environment["HOME"] = folder.path(percentEncoded: false)
    process.environment = environment
    let file = folder.appending(path: "output-\(UUID())")
    try Data().write(to: file)
    let output = try FileHandle(forWritingTo: file)
    process.standardOutput = output
    process.standardError = output
    process.standardInput = FileHandle.nullDevice
    try process.run()
    process.waitUntilExit()
    let text = String(decoding: try Data(contentsOf: file), as: UTF8.self)
    guard process.terminationStatus == 0 else {
      throw Failure(arguments: arguments, exitCode: process.terminationStatus, output: text)
    }
    return text
  }

  /// Creates a new folder for the files of a test.
  static func temporaryFolder() throws -> URL {
    let folder = FileManager.default.temporaryDirectory.appending(
      path: "fathom-tools-\(UUID())", directoryHint: .isDirectory)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    return folder
  }

  private static func path(of name: String) -> String? {
    let folders = ProcessInfo.processInfo.environment["PATH"]?.split(separator: ":") ?? []
    return folders.map { "\($0)/\(name)" }.first { isProgram($0) }
  }

  private static func isProgram(_ path: String) -> Bool {
    var isFolder = ObjCBool(false)
    return FileManager.default.fileExists(atPath: path, isDirectory: &isFolder)
      && !isFolder.boolValue && FileManager.default.isExecutableFile(atPath: path)
  }
}

/// Returns the greatest relative difference between the statistics of two sources.
func greatestDifference(_ ours: [Double], _ theirs: [Double]) -> Double {
  zip(ours, theirs).map { ($0 - $1).magnitude / max($1.magnitude, 1e-12) }.max() ?? .nan
}
