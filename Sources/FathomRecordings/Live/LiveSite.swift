import Fathom

/// What is known about the place of a live stream before its first line: anchors, heights, zones.
package struct LiveSite: Sendable {
  /// The recording of which the stream delivers the ranges.
  private(set) var recording: Recording
  /// Names of the declared anchors.
  private(set) var declared: [String]
  /// The bytes of `recording.json`; nil without it.
  private(set) var info: [UInt8]?
  /// The picture of the floor plan; nil without one.
  private(set) var floorPlan: PlacedPicture?
  /// Why the picture that `recording.json` names is not shown; nil if it is, or names none.
  private(set) var floorPlanNote: String?

  /// The picture of a floor plan, and where it is on the plan.
  package struct PlacedPicture: Sendable {
    /// Where it is.
    package let placement: PicturePlacement
    /// The picture.
    package let picture: FloorPlan.Picture
  }

  /// Reads the site at `path`, an anchors file, or a folder with `anchors.csv` and, if it has one,
  /// `recording.json`.
  ///
  /// `path` is nil for a stream without anchors. `options` are names of columns of the anchors
  /// file, and its decimal separator.
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
        try adopt(source, in: path)
      }
    }
    let found = try AnchorsReader.read(file, options: options)
    recording.adopt(found)
    declared = found.names
  }

  /// Creates the site of a recording that is replayed.
  ///
  /// `declared` are the names of its declared anchors; `info` is its `recording.json`, nil without
  /// it.
  init(
    _ recording: Recording, declared: [String], info: ByteSource?, folder: String
  ) throws(RecordingError) {
    (self.recording, self.declared) = (recording, declared)
    guard let info else { return }
    self.info = info.bytes
    readFloorPlan(try RecordingInfo(info), in: folder)
  }

  /// Adopts the `recording.json` in `folder`.
  private mutating func adopt(_ source: ByteSource, in folder: String) throws(RecordingError) {
    let found = try RecordingInfo(source)
    recording.adopt(found)
    info = source.bytes
    readFloorPlan(found, in: folder)
  }

  /// Reads the picture of the floor plan; a note says why it is missing.
  private mutating func readFloorPlan(_ info: RecordingInfo, in folder: String) {
    guard let placement = info.floorPlan else { return }
    let path = OutputFile.path(of: placement.picture, in: folder)
    do throws(RecordingError) {
      let plan = try FloorPlan(walls: nil, picture: path)
      floorPlan = plan.picture.map { PlacedPicture(placement: placement, picture: $0) }
    } catch {
      floorPlanNote = "the picture of the floor plan is not shown: \(error)"
    }
  }

  /// Adopts the anchors that a device log states.
  mutating func adopt(_ recording: Recording, declared: [String]) {
    (self.recording, self.declared) = (recording, declared)
  }

  /// Notes for the user on the files that were read.
  package var notes: [String] { recording.notes + [floorPlanNote].compactMap { $0 } }

  /// The files of a recording of the site besides its ranges.
  var files: [(name: String, bytes: [UInt8])] {
    var site = recording
    site.anchorNames = declared
    var files = RecordingWriter.files(of: site).filter { $0.name != "ranges.csv" }
      .map { (name: $0.name, bytes: $0.bytes) }
    guard let info else { return files }
    files.removeAll { $0.name == "recording.json" }
    files.append(("recording.json", info))
    // A picture in the same folder goes with it.
    if let floorPlan, !floorPlan.placement.picture.contains("/") {
      files.append((floorPlan.placement.picture, floorPlan.picture.bytes))
    }
    return files
  }
}
