import Foundation
import TestSupport
import Testing

/// Runs commands in one shell and one folder, with the built tool first in `PATH`.
enum ShellSession {
  /// The output and the exit code of a command.
  struct Result {
    /// Standard output and standard error in the order of a terminal.
    var output: String
    var exitCode: Int32
  }

  /// Runs `commands` one after the other in `folder`.
  ///
  /// They share variables and the working folder. `make` is a dry run with the Makefile of the
  /// package: it prints its commands, and fails for a target that does not exist.
  static func run(_ commands: [String], in folder: URL) throws -> [Result] {
    let streams = try Folder()
    var script = """
      make() { command make --dry-run --no-print-directory --directory "$PACKAGE" "$@"; }

      """
    for (index, command) in commands.enumerated() {
      script += """
        {
        \(command)
        } > "$STREAMS/\(index)" 2>&1 < /dev/null
        status=$?
        echo $status > "$STREAMS/\(index).code"
        (exit $status)

        """
    }
    try streams.write("script", script)
    let process = Process()
    process.executableURL = URL(filePath: "/bin/bash")
    process.arguments = [streams.url.appending(path: "script").path(percentEncoded: false)]
    process.currentDirectoryURL = folder
    process.environment = try environment(streams: streams)
    process.standardInput = FileHandle.nullDevice
    try process.run()
    process.waitUntilExit()
    return try commands.indices.map { index in
      let code = try streams.text("\(index).code").trimmingCharacters(in: .newlines)
      return Result(
        output: try streams.text("\(index)"), exitCode: try #require(Int32(code), "\(code)"))
    }
  }

  private static func environment(streams: Folder) throws -> [String: String] {
    var environment = ProcessInfo.processInfo.environment
    // A surrounding `make test` would set these.
    for name in ["MAKEFLAGS", "MFLAGS", "MAKELEVEL", "COLUMNS"] { environment[name] = nil }
    let tool = try FathomTool.executable().deletingLastPathComponent()
    let path = tool.path(percentEncoded: false)
    environment["PATH"] = path + ":" + (environment["PATH"] ?? "/usr/bin:/bin")
    environment["LC_ALL"] = "C"
    environment["STREAMS"] = streams.url.path(percentEncoded: false)
    environment["PACKAGE"] = Reference.packageRoot.path(percentEncoded: false)
    return environment
  }
}

/// A folder like a clone after `make demo`: with `Datasets` and `Results`.
enum DemonstratedFolder {
  /// Returns a copy that a test may change.
  static func copy() throws -> Folder {
    let folder = try Folder()
    for name in ["Datasets", "Results"] {
      try FileManager.default.copyItem(
        at: try original.get().url.appending(path: name), to: folder.url.appending(path: name))
    }
    return folder
  }

  /// The folder that is copied, made once.
  private static let original = Swift.Result { () throws -> Folder in
    let folder = try Folder()
    try FileManager.default.copyItem(
      at: Reference.packageRoot.appending(path: "Datasets"),
      to: folder.url.appending(path: "Datasets"))
    // The command that `make demo` runs after the build.
    let demo = """
      demo=$(make demo | grep -o 'fathom process .*') && $demo
      """
    let result = try #require(try ShellSession.run([demo], in: folder.url).first)
    try #require(result.exitCode == 0, "\(result.output)")
    return folder
  }
}
