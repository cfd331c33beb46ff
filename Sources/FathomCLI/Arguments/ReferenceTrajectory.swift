import Fathom
import FathomRecordings
import Foundation

/// Truth as the command was given it: a recording's folder or a file.
struct ReferenceTrajectory {
  /// The path as given.
  let path: String
  let truth: Truth
  /// Whether the recording knows the exact height of its tags.
  var hasHeight = false
  /// The instant of the recording's first range.
  var start: Timestamp?
  /// What the user should know about the reading.
  var notes: [String] = []

  init(_ path: String, format: TrajectoryFormat?) throws(RecordingError) {
    self.path = path
    let folder = path.hasSuffix("/") ? path : path + "/"
    var isFolder = ObjCBool(false)
    guard FileManager.default.fileExists(atPath: path, isDirectory: &isFolder), isFolder.boolValue
    else {
      truth = try TrajectoryReader.read(path, format: format).truth
      let info = URL(filePath: path).deletingLastPathComponent().appending(path: "recording.json")
      if FileManager.default.fileExists(atPath: info.path(percentEncoded: false)) {
        notes.append(
          "\(path): note: recording.json beside it is not read; give the folder for its offsets")
      }
      return
    }
    guard let truth = try TruthReader.read(folder: path) else {
      throw .noInput(path: path, reason: "there is no truth.csv in this folder")
    }
    guard !truth.tracks.isEmpty else {
      throw .badData(path: folder + "truth.csv", line: nil, reason: "no row can be used")
    }
    self.truth = truth
    let info = folder + "recording.json"
    if FileManager.default.fileExists(atPath: info) {
      let info = try RecordingInfo(path: info)
      hasHeight = info.height != nil && info.heightSigma == nil
    }
    // Truth is enough to compare; what is wrong with the ranges is not the question here.
    start = (try? RecordingReader.read(path))?.ranges.time.min()
  }
}
