import Fathom

/// What is known about the place of a live stream before its first line: anchors, heights, zones.
package struct LiveSite: Sendable {
  /// The recording of which the stream delivers the ranges.
  private(set) var recording: Recording
  /// Names of the declared anchors.
  private(set) var declared: [String]
  /// The bytes of `recording.json`; nil without it.
  private(set) var info: [UInt8]?

  /// Reads the site at `path`.
  ///
  /// - Parameters:
  ///   - path: an anchors file, or a folder with `anchors.csv` and, if it has one, `recording.json`;
  ///     nil for a stream without anchors.
  ///   - name: the name of the stream.
  ///   - options: names of columns of the anchors file, and its decimal separator.
  /// - Throws: ``RecordingError`` if a file cannot be read or is invalid.
  package init(
    _ path: String?, name: String, options: RecordingOptions = RecordingOptions()
  ) throws(RecordingError) {
    recording = Recording(name: name)
    declared = []
    guard let path else { return }
    var file = path
    if FoundFile.isFolderOrArchive(path) {
      guard let found = try FoundFile.first(of: RecordingFile.anchors, in: path) else {
        throw .noInput(path: path, reason: "there is no anchors.csv in this folder")
      }
      file = found
      if let settings = try FoundFile.first(of: ["recording.json"], in: path) {
        let source = try ByteSource(path: settings, mostBytes: RecordingLimits.longestSettings)
        try recording.adopt(RecordingInfo(source))
        info = source.bytes
      }
    }
    let found = try AnchorsReader.read(file, options: options)
    recording.adopt(found)
    declared = found.names
  }

  /// Creates the site of a recording that is replayed.
  init(_ recording: Recording, declared: [String], info: [UInt8]?) {
    (self.recording, self.declared, self.info) = (recording, declared, info)
  }

  /// Notes for the user on the files that were read.
  package var notes: [String] { recording.notes }

  /// The files of a recording of the site besides its ranges.
  var files: [(name: String, bytes: [UInt8])] {
    var site = recording
    site.anchorNames = declared
    var files = RecordingWriter.files(of: site).filter { $0.name != "ranges.csv" }
    guard let info else { return files }
    files.removeAll { $0.name == "recording.json" }
    return files + [("recording.json", info)]
  }
}
