/// Why a recording could not be read or its results not written, as a user can act on it.
public enum RecordingError: Error, Sendable, Equatable {
  /// There is no such file or folder, or it cannot be read.
  case noInput(path: String, reason: String)
  /// The file is no recording, or contradicts itself; `line` is nil where no line is to blame.
  case badData(path: String, line: Int?, reason: String)
  /// A result cannot be made: it is there already, or its place cannot be written to.
  case cannotWrite(path: String, reason: String)
  /// A result could not be written to its end: the disk is full, or fails.
  case writingFailed(path: String, reason: String)

  /// The exit code of the command line for this error (sysexits).
  package var exitCode: Int32 {
    switch self {
    case .noInput: 66
    case .badData: 65
    case .cannotWrite: 73
    case .writingFailed: 74
    }
  }
}

extension RecordingError: CustomStringConvertible {
  /// `path:line: reason`, as compilers write it.
  public var description: String {
    switch self {
    case .noInput(let path, let reason), .cannotWrite(let path, let reason),
      .writingFailed(let path, let reason):
      "\(path): \(reason)"
    case .badData(let path, let line?, let reason):
      "\(path):\(line): \(reason)"
    case .badData(let path, nil, let reason):
      "\(path): \(reason)"
    }
  }
}
