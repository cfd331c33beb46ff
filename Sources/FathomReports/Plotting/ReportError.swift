import FathomRecordings

/// The reason why a report cannot be made.
public enum ReportError: Error, Sendable, Equatable {
  /// Results or a file beside them cannot be read, or the page cannot be written.
  case recording(RecordingError)
  /// gnuplot is not on the search path; `searched` lists the folders.
  case noGnuplot(searched: [String])
  /// gnuplot did not draw the figure; `reason` is its message.
  case gnuplotFailed(figure: String, reason: String)
  /// The page cannot be rendered because of an internal error.
  case pageFailed(reason: String)

  /// The exit code of the command line for this error (sysexits); 69 when a required program is
  /// missing.
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
      "the page cannot be rendered: \(reason)"
    }
  }
}
