import Fathom
import Foundation

/// A recording without the rows of its ranges file.
struct RecordingMetadata {
  /// Name, declared anchors and metadata; its sources are all files except the ranges file.
  var recording: Recording
  /// Names of the declared anchors.
  var declared: [String]
  /// Ranges file.
  var ranges: StoredInput

  /// Reads the metadata of the recording at `path`; see
  /// ``RecordingReader/read(_:anchors:options:threads:findsAnchors:acceptsUnsurveyed:)``.
  ///
  /// `given` are anchors in memory, which replace the file.
  init(
    _ path: String, anchors: String?, options: RecordingOptions, findsAnchors: Bool = true,
    acceptsUnsurveyed: Bool = false, given: DeclaredAnchors? = nil
  ) throws(RecordingError) {
    let place = try RecordingFiles(
      path, anchors: anchors, findsAnchors: findsAnchors, hasAnchors: given != nil)
    recording = Recording(name: place.name)
    recording.notes = place.notes
    var declared = given ?? DeclaredAnchors()
    try given?.validate(path)
    if let path = place.anchors {
      let source = try AnchorsReader.source(path)
      declared = try Self.declared(
        source, options, acceptsUnsurveyed: acceptsUnsurveyed,
        hasPositions: place.poses.map { PosesReader.hasPositions($0) } ?? false)
      recording.sources.append(source.file)
    }
    if let path = place.info {
      let source = try ByteSource(path: path, mostBytes: RecordingLimits.longestSettings)
      try recording.take(RecordingInfo(source))
      recording.sources.append(source.file)
    }
    if let path = place.poses {
      let source = try ByteSource(path: path)
      recording.takePoses(source)
      recording.sources.append(source.file)
    }
    if let path = place.heights {
      let source = try ByteSource(path: path)
      let found = try HeightsReader.read(source)
      recording.sensors.heights = found.rows
      recording.notes.append(found.note)
      recording.sources.append(source.file)
    }
    if let path = place.odometry {
      let source = try ByteSource(path: path)
      let found = try OdometryReader.read(source)
      recording.sensors.odometry = found.rows
      recording.sensors.turnFactors = found.turnFactors
      recording.notes.append(found.note)
      recording.sources.append(source.file)
    }
    if let path = place.inertial {
      let source = try ByteSource(path: path)
      let found = try InertialReader.read(source)
      recording.sensors.inertial = found.rows
      recording.notes.append(found.note)
      recording.sources.append(source.file)
    }
    if let path = place.differences {
      let source = try ByteSource(path: path)
      var format = RecordingOptions()
      if !place.hasRanges {
        format.delimiter = options.delimiter
        format.decimalSeparator = options.decimalSeparator
      }
      let found = try TimeDifferencesReader.read(
        source, declared: declared.names, options: format)
      recording.sensors.takeDifferences(found)
      recording.notes += found.notes.map { "tdoa.csv: \($0)" }
      if place.hasRanges {
        recording.notes.append(found.note)
        recording.sources.append(source.file)
      } else {
        recording.sensors.onlyDifferences = DifferencesFile(found, source.file)
        recording.tagNames = found.tagNames
      }
    }
    ranges =
      try place.hasRanges
      ? StoredInput(path: place.ranges)
      : StoredInput(path: place.ranges, bytes: Array("time_s,tag,anchor,distance_m\n".utf8))
    if place.anchors == nil, given == nil, findsAnchors {
      let format = try RecognisedFormat(ranges, options: options).format
      let found = try LogAnchors(ranges, format, options: options)
      declared = found.declared
      recording.notes += found.notes
      if found.isPlanar { recording.facts.complete(from: .inPlane) }
    }
    recording.take(declared)
    self.declared = declared.names
    if !recording.anchors.isEmpty { recording.sensors.poses = recording.poses }
  }

  /// Returns the anchors in `source`.
  ///
  /// Without any coordinates they are accessories, if the device has poses with positions.
  private static func declared(
    _ source: ByteSource, _ options: RecordingOptions, acceptsUnsurveyed: Bool, hasPositions: Bool
  ) throws(RecordingError) -> DeclaredAnchors {
    do throws(RecordingError) {
      return try AnchorsReader.read(
        source, decimalSeparator: options.decimalSeparator, acceptsUnsurveyed: acceptsUnsurveyed)
    } catch {
      guard hasPositions,
        let lenient = try? AnchorsReader.read(
          source, decimalSeparator: options.decimalSeparator, acceptsUnsurveyed: true),
        lenient.unsurveyed.count == lenient.names.count
      else { throw error }
      var declared = DeclaredAnchors()
      declared.names = lenient.names
      return declared
    }
  }
}

extension Recording {
  /// Sets what `recording.json` states.
  mutating func take(_ info: RecordingInfo) {
    facts = info.facts
    remarks = info.remarks
    if !info.unknownKeys.isEmpty {
      notes.append("recording.json: ignored \(Excerpt.list(info.unknownKeys))")
    }
  }

  /// Sets the anchors; without heights, the tags are in their plane unless a height is known.
  mutating func take(_ declared: DeclaredAnchors) {
    anchors = declared.anchors
    unsurveyed = declared.unsurveyed
    isPlanar = declared.isPlanar
    plane = declared.plane
    if isPlanar {
      facts.complete(from: .inPlane)
      notes.append("the anchors have no heights: positions are in their plane, z = 0")
    }
    if let origin = plane?.origin {
      notes.append(
        "x, y and z are east, north and up of the first anchor, latitude \(origin.latitude),"
          + " longitude \(origin.longitude)")
    }
  }

  /// Reads the attitudes in a poses file.
  ///
  /// Such files also serve other purposes. A file without attitudes adds a note; it is not an
  /// error.
  mutating func takePoses(_ source: ByteSource) {
    let name = source.name
    let found: RecordedAttitudes
    do throws(RecordingError) {
      found = try PosesReader.read(source)
    } catch {
      if case .badData(_, _, let reason) = error {
        notes.append("\(name) is not used: \(reason)")
      }
      return
    }
    attitudes = found.track
    poses = found.poses
    if !poses.isEmpty {
      let count = poses.count == 1 ? "1 pose" : "\(poses.count) poses"
      let way = zip(poses, poses.dropFirst()).reduce(0) {
        $0 + ($1.1.position - $1.0.position).length
      }
      notes.append("\(name): \(count) with a position, a path of \(Int(way.rounded())) m")
    }
    guard let first = found.rejected.first else { return }
    let rows = found.rejected.total == 1 ? "1 row" : "\(found.rejected.total) rows"
    notes.append("\(name): \(rows) rejected; line \(first.line): \(first.reason)")
  }
}

extension Recording {
  /// Sets the poses of the only tag, in order of time.
  package mutating func take(poses: [TimedPose]) {
    self.poses = poses
    let attitudes = poses.compactMap { pose in pose.attitude.map { (pose.time, $0) } }
    self.attitudes = AttitudeTrack(
      times: attitudes.map(\.0), attitudes: attitudes.map(\.1))
    if !anchors.isEmpty { sensors.poses = poses }
  }
}

extension RecordingMetadata {
  /// Creates the metadata of a recording called `name` with the ranges file `text` and declared
  /// anchors of the given names.
  init(_ text: String, name: String, declared: [String]) {
    recording = Recording(name: name)
    self.declared = declared
    ranges = StoredInput(path: name, bytes: Array(text.utf8))
  }
}

/// The paths of the files of a recording.
struct RecordingFiles {
  var name: String
  var ranges: String
  var anchors: String?
  var info: String?
  /// Poses of the device; without anchors only if they have positions, because attitudes alone give
  /// none.
  var poses: String?
  /// Heights, odometry and inertial data; nil without anchors, because there are then no tracks.
  var heights: String?
  var odometry: String?
  var inertial: String?
  /// Time differences, beside ranges or instead of them; nil without anchors.
  var differences: String?
  var hasRanges = true
  var notes: [String] = []

  /// Paths of the files, in the order of ``Recording/sources``.
  var sources: [String] {
    [ranges]
      + [
        anchors, info, poses, heights, odometry, inertial, hasRanges ? differences : nil,
      ].compactMap { $0 }
  }

  /// Finds the files of the recording at `path`.
  ///
  /// - Throws: ``RecordingError/noInput(path:reason:)`` and
  ///   ``RecordingError/badData(path:line:reason:)`` when a folder has no readable ranges file.
  ///
  /// With `hasAnchors`, anchors are known without a file.
  init(
    _ path: String, anchors: String?, findsAnchors: Bool = true, hasAnchors: Bool = false
  ) throws(RecordingError) {
    let findsAnchors = findsAnchors && !hasAnchors
    if path == "-", anchors == "-" {
      throw .badData(
        path: "-", line: nil, reason: "ranges and anchors cannot both be standard input")
    }
    guard path != "-", FoundFile.isFolder(path) else {
      // A missing file is reported when it is opened, with the system's reason.
      name = RecordingReader.name(of: path)
      ranges = path
      self.anchors = anchors
      if anchors == nil, findsAnchors, path != "-" { self.anchors = try Self.anchors(beside: path) }
      return
    }

    func found(_ name: String) throws(RecordingError) -> String? {
      try FoundFile.first(of: [name, "\(name).gz"], in: path)
    }
    name = RecordingReader.name(of: path)
    if let anchors {
      self.anchors = anchors
    } else if !hasAnchors {
      self.anchors = try found("anchors.csv")
    }
    let hasAnchors = hasAnchors || self.anchors != nil
    let differences = try found("tdoa.csv")
    if let first = try found("ranges.csv") {
      ranges = first
    } else if let differences {
      guard hasAnchors else {
        throw .badData(
          path: differences, line: nil,
          reason: "time differences need the places of the anchors: add anchors.csv")
      }
      ranges = differences
      hasRanges = false
    } else {
      throw .noInput(path: path, reason: "there is no ranges.csv in this folder")
    }
    if hasRanges, !ranges.hasSuffix(".gz"),
      try FoundFile.first(of: ["ranges.csv.gz"], in: path) != nil
    {
      notes.append("ranges.csv.gz is ignored: ranges.csv is read")
    }
    info = try FoundFile.first(of: ["recording.json"], in: path)
    guard hasAnchors else {
      if differences != nil { notes.append("tdoa.csv is ignored") }
      if let path = try found("poses.csv"), PosesReader.hasPositions(path) { poses = path }
      return
    }
    self.differences = differences
    poses = try found("poses.csv")
    heights = try found("heights.csv")
    odometry = try found("odometry.csv")
    inertial = try found("imu.csv")
  }

  /// Returns the anchors file in the folder of the ranges file at `path`, which may itself be called
  /// so; nil without one.
  private static func anchors(beside path: String) throws(RecordingError) -> String? {
    let names = ["anchors.csv", "anchors.csv.gz"]
    let slash = path.utf8.lastIndex(of: UInt8(ascii: "/"))
    let folder = slash.map { String(path[...$0]) } ?? ""
    let file = slash.map { String(path[path.utf8.index(after: $0)...]) } ?? path
    return names.contains(file) ? nil : try FoundFile.first(of: names, in: folder)
  }
}
