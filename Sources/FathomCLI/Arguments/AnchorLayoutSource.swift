import FathomRecordings
import Foundation

/// The anchors as `fathom geometry` was given them: a file, or the folder of a recording.
struct AnchorLayoutSource {
  /// The anchors file.
  let path: String
  /// What the layout is called: the name of the folder, or that of the file without its ending.
  let name: String
  let declared: DeclaredAnchors
  /// The height of the tags that the recording knows.
  var height: Double?
  /// What the user should know about the reading.
  var notes: [String] = []

  init(_ path: String) throws(RecordingError) {
    let folder = path.hasSuffix("/") ? path : path + "/"
    var isFolder = ObjCBool(false)
    let files = FileManager.default
    if files.fileExists(atPath: path, isDirectory: &isFolder), isFolder.boolValue {
      let found = ["anchors.csv", "anchors.csv.gz"].map { folder + $0 }
        .first { files.fileExists(atPath: $0) }
      guard let found else {
        throw .noInput(path: path, reason: "there is no anchors.csv in this folder")
      }
      self.path = found
      name = URL(filePath: path).standardizedFileURL.lastPathComponent
      let info = folder + "recording.json"
      if files.fileExists(atPath: info) { height = try RecordingInfo(path: info).height }
    } else {
      self.path = path
      let file = URL(filePath: path)
      name = path == "-" ? "standard input" : String(file.lastPathComponent.prefix { $0 != "." })
      let info = file.deletingLastPathComponent().appending(path: "recording.json")
      if path != "-", files.fileExists(atPath: info.path(percentEncoded: false)) {
        notes.append(
          "\(path): note: recording.json beside it is not read; give the folder for its height")
      }
    }
    declared = try AnchorsReader.read(self.path)
  }
}
