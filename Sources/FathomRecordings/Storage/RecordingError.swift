/// An error in reading a recording or writing its results, with a reason that a user can act on.
public enum RecordingError: Error, Sendable, Equatable {
  /// The file or folder does not exist or cannot be read.
  case noInput(path: String, reason: String)
  /// The file is not a recording or is inconsistent; `line` is nil when no single line is the
  /// cause.
  case badData(path: String, line: Int?, reason: String)
  /// A result cannot be created: it already exists, or its folder is not writable.
  case cannotWrite(path: String, reason: String)
  /// A result could not be written completely: the disk is full or failed.
  case writingFailed(path: String, reason: String)

  /// Exit code of the command line for this error (sysexits).
  package var exitCode: Int32 {
    switch self {
    case .noInput: 66
    case .badData: 65
    case .cannotWrite: 73
    case .writingFailed: 74
    }
  }

  /// Returns the error with advice behind the reason for which an input is refused; errors of output are
  /// returned as they are.
  package func adding(_ advice: String) -> Self {
    switch self {
    case .noInput(let path, let reason): .noInput(path: path, reason: "\(reason); \(advice)")
    case .badData(let path, let line, let reason):
      .badData(path: path, line: line, reason: "\(reason); \(advice)")
    case .cannotWrite, .writingFailed: self
    }
  }
}

extension RecordingError: CustomStringConvertible {
  /// `path:line: reason`, in the format of compilers.
  public var description: String {
    switch self {
    case .noInput(let path, let reason), .cannotWrite(let path, let reason),
      .writingFailed(let path, let reason):
      "\(Self.line(path)): \(reason)"
    case .badData(let path, let line?, let reason):
      "\(Self.line(path)):\(line): \(reason)"
    case .badData(let path, nil, let reason):
      "\(Self.line(path)): \(reason)"
    }
  }

  /// Returns `path` on one line, although names of files may have line ends.
  private static func line(_ path: String) -> String {
    path.utf8.contains(10) ? path.replacing("\n", with: "\\n") : path
  }
}
