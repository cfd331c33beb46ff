import Fathom
import FathomRecordings
import Foundation

/// What an estimate is compared with: the truth of a recording's folder, or a file of true positions.
package struct ReferenceTrajectory {
  /// The path as given.
  package let path: String
  package let truth: Truth
  /// Whether the height of the tags is exact, or there are no heights.
  package var hasHeight = false
  /// The instant of the recording's first range; nil for a file, or if the ranges cannot be read.
  package var start: Timestamp?
  /// Whether the file has covariances, which only estimates have.
  package var hasCovariances = false
  /// Notes for the user about the files that were read.
  package var notes: [String] = []

  /// Creates a reference of `truth` that is no file.
  package init(_ truth: Truth) {
    path = ""
    self.truth = truth
    hasHeight = truth.isPlanar
  }

  /// Reads truth at `path`, a recording or a file of a trajectory; no truth there is an error.
  ///
  /// `format` is nil to recognise it by content, and ignored for a folder. `options` are the
  /// decimal separator, and names of columns, as in `truth.x=East`.
  package init(
    _ path: String, format: TrajectoryFormat?, options: RecordingOptions = RecordingOptions()
  ) throws(RecordingError) {
    self.path = path
    guard FoundFile.isFolderOrArchive(path) else {
      let read = try TrajectoryReader.read(path, format: format, options: options, isTruth: true)
      truth = read.truth
      hasCovariances = read.tracks.values.contains { $0.covariances != nil }
      hasHeight = truth.isPlanar
      notes = truth.notes.map { "\(path): note: \($0)" }
      let info = URL(filePath: path).deletingLastPathComponent().appending(path: "recording.json")
      if FileManager.default.fileExists(atPath: info.path(percentEncoded: false)) {
        notes.append(
          "\(path): note: recording.json beside it is not read; pass the folder to use its offsets")
      }
      return
    }
    guard let truth = try TruthReader.read(folder: path, options: options) else {
      throw .noInput(path: path, reason: "there is no truth.csv in this folder")
    }
    guard !truth.tracks.isEmpty else {
      throw .badData(
        path: OutputFile.path(of: "truth.csv", in: path), line: nil, reason: "no row can be used")
    }
    self.truth = truth
    notes = truth.notes.map { "\(path): note: \($0)" }
    if let info = try RecordingInfo(folder: path) {
      hasHeight = info.facts.heightM != nil && info.facts.heightSigmaM == nil
    }
    // A comparison needs truth alone, so errors in the ranges file are ignored.
    let recording = try? RecordingReader.read(path)
    start = recording?.ranges.time.min()
    if truth.isPlanar || recording?.isPlanar == true && recording?.facts.heightSigmaM == nil {
      hasHeight = true
    }
  }
}
