import FathomEvaluation
import FathomRecordings
import Foundation

/// The two arguments of `fathom evaluate`, and what the user probably meant by them.
struct ComparedPaths {
  let estimate: String
  let truth: String

  /// What a path is.
  private enum Place: Equatable {
    /// A folder that `process` wrote, with its positions.
    case results([String])
    /// A folder with measurements or truth.
    case recording
    case file
    case other
  }

  private static func place(_ path: String) -> Place {
    guard FoundFile.isFolderOrArchive(path) else {
      return FoundFile.isRegular(path) ? .file : .other
    }
    let marks = RecordingFile.measurements + RecordingFile.truth
    if (try? FoundFile.first(of: marks, in: path)) != nil { return .recording }
    let names = (try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []
    let positions = names.filter { name in
      [".positions.csv", ".positions.jsonl", ".positions.tum"].contains(where: name.hasSuffix)
    }
    return positions.isEmpty
      ? .other : .results(positions.sorted().map { OutputFile.path(of: $0, in: path) })
  }

  /// Returns `error` with the line to use, if the arguments are exchanged or of another kind.
  func explaining(_ error: RecordingError) -> RecordingError {
    advice.map(error.adding) ?? error
  }

  private var advice: String? {
    switch (Self.place(estimate), Self.place(truth)) {
    case (.recording, .file):
      return "the arguments are exchanged: \(Self.line(truth, estimate))"
    case (.recording, .results(let positions)):
      return "the arguments are exchanged: \(Self.line(positions[0], estimate))"
    case (.results(let positions), _):
      let list = positions.count == 1 ? "" : ", one of \(positions.count) files of positions"
      return "name the file of the positions\(list): \(Self.line(positions[0], truth))"
    case (.recording, _):
      let name = RecordingReader.name(of: estimate)
      let output = OutputFile.path(of: "\(name).positions.csv", in: BatchSummary.usualOutput)
      return "this is a recording: first fathom process \(Excerpt.shellWord(estimate)), then"
        + " \(Self.line(output, truth))"
    case (.file, .results):
      return
        "these are results, not truth: name the folder of the recording, which has truth.csv, or a file"
        + " of true positions"
    case (.file, .recording), (.file, .other), (.file, .file):
      return isRanges(estimate)
        ? "these are ranges, not positions: fathom process \(Excerpt.shellWord(estimate)) computes them"
        : nil
    default: return nil
    }
  }

  /// Returns the warning that a comparison has its arguments exchanged, with the line to use; nil if nothing
  /// suggests it.
  func exchange(_ trajectory: RecordedTrajectory, _ reference: ReferenceTrajectory) -> String? {
    let isEstimated = trajectory.tracks.values.contains { $0.covariances != nil }
    let isNamedSo = Self.isTruth(estimate) && !Self.isTruth(truth)
    guard !isEstimated, reference.hasCovariances || isNamedSo else { return nil }
    // Truth in the folder of a recording comes with its offsets.
    let folder = OutputFile.folder(of: estimate)
    let isInRecording =
      RecordingFile.truth.contains { estimate.hasSuffix("/\($0)") }
      && Self.place(folder) == .recording
    let why =
      reference.hasCovariances ? "\(truth) has covariances, which truth has not" : "its name"
    return "\(estimate): warning: this looks like truth (\(why)): are the arguments exchanged?"
      + " \(Self.line(truth, isInRecording ? folder : estimate))"
  }

  /// Whether the name of the file at `path` is that of truth.
  private static func isTruth(_ path: String) -> Bool {
    let name = path.split(separator: "/").last?.lowercased() ?? ""
    return ["truth", "ground_truth", "groundtruth", "reference", "vicon", "mocap", "optitrack"]
      .contains(where: name.contains)
  }

  private func isRanges(_ path: String) -> Bool {
    guard let found = try? RecordingReader.read(path) else { return false }
    return found.ranges.count > 0
  }

  private static func line(_ estimate: String, _ truth: String) -> String {
    "fathom evaluate \(Excerpt.shellWord(estimate)) \(Excerpt.shellWord(truth))"
  }
}
