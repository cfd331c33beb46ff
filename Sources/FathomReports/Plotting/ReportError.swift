import FathomRecordings

/// Why there is no report, as a user can act on it.
public enum ReportError: Error, Sendable, Equatable {
  /// Results or a file beside them cannot be read, or the page cannot be written.
  case recording(RecordingError)
  /// No gnuplot on the search path; `searched` are the folders looked into.
  case noGnuplot(searched: [String])
  /// gnuplot did not draw the figure; `reason` has its own words.
  case gnuplotFailed(figure: String, reason: String)
  /// The page cannot be put together: a fault of Fathom's own.
  case pageFailed(reason: String)

  /// The exit code of the command line for this error (sysexits): 69 where a program that is needed is
  /// not there.
  public var exitCode: Int32 {
    switch self {
    case .recording(let error): error.exitCode
    case .noGnuplot: 69
    case .gnuplotFailed, .pageFailed: 70
    }
  }
}

extension ReportError: CustomStringConvertible {
  /// The message for the user.
  public var description: String {
    switch self {
    case .recording(let error):
      "\(error)"
    case .noGnuplot(let searched):
      "gnuplot, which draws the figures, is not in "
        + (searched.isEmpty ? "PATH, which is empty" : searched.joined(separator: ":"))
        + " (Debian, Ubuntu: apt-get install gnuplot-nox; macOS: brew install gnuplot)"
    case .gnuplotFailed(let figure, let reason):
      "gnuplot did not draw the figure \"\(figure)\": \(reason)"
    case .pageFailed(let reason):
      "the page cannot be put together: \(reason)"
    }
  }
}
