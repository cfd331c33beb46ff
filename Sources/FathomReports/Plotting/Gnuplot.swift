import FathomRecordings
import Foundation

/// The gnuplot program, which draws the figures.
public struct Gnuplot: Sendable {
  /// Path of the executable.
  let path: String
  /// Maximum duration of one drawing, seconds.
  var timeout = 60.0

  /// Finds gnuplot on the search path.
  ///
  /// - Parameter environment: the environment with `PATH`; by default that of the process.
  /// - Returns: the first executable of that name.
  /// - Throws: ``ReportError/noGnuplot(searched:)``.
  public static func found(
    in environment: [String: String] = ProcessInfo.processInfo.environment
  ) throws(ReportError) -> Gnuplot {
    let folders = (environment["PATH"] ?? "").split(separator: ":").map(String.init)
    for folder in folders {
      let path = folder.hasSuffix("/") ? "\(folder)gnuplot" : "\(folder)/gnuplot"
      if FileManager.default.isExecutableFile(atPath: path) { return Gnuplot(path: path) }
    }
    throw .noGnuplot(searched: folders)
  }

  /// Returns gnuplot's standard output for `script`.
  ///
  /// The script is a file on standard input. Start-up files of the user are not read. Throws when
  /// gnuplot cannot be started, fails or exceeds the timeout.
  func output(of script: String, for figure: String) throws(ReportError) -> String {
    String(decoding: try bytes(of: script, for: figure), as: UTF8.self)
  }

  /// Returns gnuplot's standard output for `script` as bytes; otherwise as ``output(of:for:)``.
  func bytes(of script: String, for figure: String) throws(ReportError) -> Data {
    do {
      return try run(script)
    } catch let failure as Failure {
      throw .gnuplotFailed(figure: figure, reason: failure.reason)
    } catch {
      throw .gnuplotFailed(figure: figure, reason: error.localizedDescription)
    }
  }

  private struct Failure: Error { var reason: String }

  private func run(_ script: String) throws -> Data {
    // Files replace pipes, so that neither process can block on a full pipe.
    let (input, output, errors) = (try unnamedFile(), try unnamedFile(), try unnamedFile())
    try input.write(contentsOf: Data(script.utf8))
    try input.seek(toOffset: 0)
    let process = Process()
    process.executableURL = URL(filePath: path)
    process.arguments = ["-d", "-"]
    process.standardInput = input
    process.standardOutput = output
    process.standardError = errors
    var environment = ProcessInfo.processInfo.environment
    environment["LC_ALL"] = "C.UTF-8"
    process.environment = environment
    let ended = DispatchSemaphore(value: 0)
    process.terminationHandler = { _ in ended.signal() }
    try process.run()
    if ended.wait(timeout: .now() + timeout) == .timedOut {
      kill(process.processIdentifier, SIGKILL)
      ended.wait()
      throw Failure(reason: "it took more than \(timeout.text(decimals: 0)) s and was stopped")
    }
    let complaint = String(decoding: try content(of: errors), as: UTF8.self)
    guard process.terminationReason == .exit, process.terminationStatus == 0 else {
      let lines = complaint.split(separator: "\n").map { $0.trimmingCharacters(in: .whitespaces) }
      throw Failure(
        reason: lines.last { !$0.isEmpty && $0 != "^" }
          ?? "it ended with code \(process.terminationStatus)")
    }
    return try content(of: output)
  }

  /// Returns a new temporary file without a name, which disappears with the program.
  private func unnamedFile() throws -> FileHandle {
    let descriptor = SystemCall.unnamedFile()
    guard descriptor >= 0 else {
      throw Failure(reason: "no temporary file: \(SystemCall.lastError())")
    }
    return FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
  }

  private func content(of file: FileHandle) throws -> Data {
    try file.seek(toOffset: 0)
    return try file.readToEnd() ?? Data()
  }
}
