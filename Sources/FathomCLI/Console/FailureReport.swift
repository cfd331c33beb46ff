import ArgumentParser
import FathomRecordings
import FathomReports

/// A failure as the tool prints it: a line of text, or with `--json` an object on a line of its own.
///
/// Both go to standard error; the exit code is the same. Notes and warnings stay lines of text, so a program
/// looks for the line that begins with `{"error"`.
struct FailureReport: Encodable, Equatable {
  /// The whole message.
  var message: String
  var exitCode: Int32
  /// The file that has the fault; nil if it is not one of a file.
  var path: String?
  /// The line of the fault, from 1.
  var line: Int?
  /// The message without path and line.
  var reason: String?

  /// Creates the report of a failure that is not one of a file.
  init(_ message: String, exitCode: Int32) {
    (self.message, self.exitCode) = (message, exitCode)
  }

  /// Creates the report of `error`.
  ///
  /// The message also says what to try, if the input is something else than was asked for.
  init(_ error: RecordingError) {
    let error = InputAdvice.completing(error)
    (message, exitCode) = ("\(error)", error.exitCode)
    switch error {
    case .noInput(let path, let reason), .cannotWrite(let path, let reason),
      .writingFailed(let path, let reason):
      (self.path, self.reason) = (path, reason)
    case .badData(let path, let line, let reason):
      (self.path, self.line, self.reason) = (path, line, reason)
    }
  }

  /// Creates the report of `error`.
  init(_ error: ReportError) {
    if case .recording(let cause) = error {
      self.init(cause)
    } else {
      self.init("\(error)", exitCode: error.exitCode)
    }
  }

  /// Prints the failure, and returns the error that ends the command with its exit code.
  @discardableResult
  func print() -> ExitCode {
    Console.message(Self.isJSON ? json : message)
    return ExitCode(exitCode)
  }

  /// The object, on one line.
  var json: String {
    let object = try? Console.json(["error": self], keys: .convertToSnakeCase)
    return object ?? message
  }

  /// Whether the caller asked for JSON.
  static let isJSON = requestsJSON(Array(CommandLine.arguments.dropFirst()))

  /// Whether `arguments` ask for JSON on standard output: `--json`, for `benchmark` only `--json -`.
  static func requestsJSON(_ arguments: [String]) -> Bool {
    let options = arguments.prefix { $0 != "--" }
    guard options.first == "benchmark" else { return options.contains("--json") }
    return options.contains("--json=-")
      || zip(options, options.dropFirst()).contains { $0 == ("--json", "-") }
  }
}
