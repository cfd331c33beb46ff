import Foundation

/// The program gnuplot, which draws.
public struct Gnuplot: Sendable {
  /// The executable.
  let path: String
  /// How long one drawing may take, seconds.
  var timeout = 60.0

  /// The gnuplot on the search path.
  ///
  /// - Parameter environment: where `PATH` is looked up; that of the process where left out.
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

  /// What gnuplot writes to its standard output for `script`.
  ///
  /// The script comes from a file on its standard input, and no start-up file of the user is read.
  ///
  /// - Parameters:
  ///   - script: the commands.
  ///   - figure: the figure's name, for messages.
  /// - Returns: the text written.
  /// - Throws: ``ReportError/gnuplotFailed(figure:reason:)`` where it cannot be started, complains, or
  ///   takes longer than the timeout.
  func output(of script: String, for figure: String) throws(ReportError) -> String {
    do {
      return try run(script)
    } catch let failure as Failure {
      throw .gnuplotFailed(figure: figure, reason: failure.reason)
    } catch {
      throw .gnuplotFailed(figure: figure, reason: error.localizedDescription)
    }
  }

  private struct Failure: Error { var reason: String }

  private func run(_ script: String) throws -> String {
    let files = FileManager.default
    let folder = files.temporaryDirectory.appending(
      path: "fathom-report-\(UUID())", directoryHint: .isDirectory)
    try files.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? files.removeItem(at: folder) }
    let input = folder.appending(path: "script")
    let output = folder.appending(path: "output")
    let errors = folder.appending(path: "errors")
    try Data(script.utf8).write(to: input)
    for file in [output, errors] { try Data().write(to: file) }

    // Files instead of pipes: whatever the sizes, nobody waits for anybody.
    let process = Process()
    process.executableURL = URL(filePath: path)
    process.arguments = ["-d", "-"]
    process.standardInput = try FileHandle(forReadingFrom: input)
    process.standardOutput = try FileHandle(forWritingTo: output)
    process.standardError = try FileHandle(forWritingTo: errors)
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
    let complaint = try String(decoding: Data(contentsOf: errors), as: UTF8.self)
    guard process.terminationReason == .exit, process.terminationStatus == 0 else {
      let lines = complaint.split(separator: "\n").map { $0.trimmingCharacters(in: .whitespaces) }
      throw Failure(
        reason: lines.last { !$0.isEmpty && $0 != "^" }
          ?? "it ended with code \(process.terminationStatus)")
    }
    return try String(decoding: Data(contentsOf: output), as: UTF8.self)
  }
}
