import Fathom
import FathomRecordings
import Foundation

/// The argument ANCHORS of `fathom geometry`: an anchors file, or the folder of a recording.
struct AnchorLayoutSource {
  /// The path of the anchors file.
  let path: String
  /// The name of the layout: that of the folder, or that of the file up to its first period.
  let name: String
  let declared: DeclaredAnchors
  /// What `recording.json` states of the tags; nothing without one, and for a file.
  var facts = TagFacts()
  /// Notes for the user about the files that were read.
  var notes: [String] = []

  /// Reads the anchors, and for a folder also the height and the side in its `recording.json`.
  init(_ path: String) throws(RecordingError) {
    if FoundFile.isFolderOrArchive(path) {
      guard let found = try FoundFile.first(of: RecordingFile.anchors, in: path) else {
        throw .noInput(path: path, reason: "there is no anchors.csv in this folder")
      }
      self.path = found
      name = URL(filePath: path).standardizedFileURL.lastPathComponent
      if let info = try RecordingInfo(folder: path) { facts = info.facts }
    } else {
      self.path = path
      let file = URL(filePath: path)
      name = path == "-" ? "standard input" : String(file.lastPathComponent.prefix { $0 != "." })
      let info = file.deletingLastPathComponent().appending(path: "recording.json")
      if path != "-", FileManager.default.fileExists(atPath: info.path(percentEncoded: false)) {
        notes.append(
          "\(path): note: recording.json beside it is not read; pass the folder to use its height"
            + " and side")
      }
    }
    declared = try AnchorsReader.read(self.path)
    notes += declared.notes.map { "\(path): note: \($0)" }
    if declared.isPlanar { facts.complete(from: .inPlane) }
  }
}
