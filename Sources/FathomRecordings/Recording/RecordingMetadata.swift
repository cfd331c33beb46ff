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
  /// Whether the recording has ranges, and not only time differences.
  private let hasRanges: Bool

  /// Returns `options` for the ranges file: names of columns are those of the time differences if there are no
  /// ranges.
  func optionsOfRanges(_ options: RecordingOptions) -> RecordingOptions {
    var options = options
    if !hasRanges { options.columns = [:] }
    return options
  }

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
      try recording.adopt(RecordingInfo(source))
      recording.sources.append(source.file)
    }
    let input = place.hasRanges ? try StoredInput(path: place.ranges) : nil
    let tables = try input.flatMap { input throws(RecordingError) in
      try MixedTables(
        input, options, declared: declared.names,
        hasAnchors: place.anchors != nil || given != nil, findsAnchors: findsAnchors)
    }
    if let source = tables?.source(.anchors) {
      declared = try Self.declared(
        source, options, acceptsUnsurveyed: acceptsUnsurveyed,
        hasPositions: tables?.source(.poses).map { PosesReader.hasPositions($0) } ?? false)
    }
    try recording.readSensors(place, tables, options)
    let hasRanges = place.hasRanges && tables?.hasOnlyDifferences != true
    self.hasRanges = hasRanges
    try recording.readDifferences(
      place, tables, options, declared: declared.names, hasRanges: hasRanges)
    let empty = StoredInput(
      path: place.ranges, bytes: Array("time_s,tag,anchor,distance_m\n".utf8))
    ranges = try hasRanges ? tables?.ranges() ?? input ?? empty : empty
    if place.anchors == nil, given == nil, findsAnchors, tables == nil {
      let format = try RecognisedFormat(ranges, options: options).format
      let found = try LogAnchors(ranges, format, options: options)
      declared = found.declared
      recording.notes += found.notes
      if found.isPlanar { recording.facts.complete(from: .inPlane) }
    }
    recording.notes += tables?.notes(besides: place) ?? []
    recording.adopt(declared)
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
        source, options: options, acceptsUnsurveyed: acceptsUnsurveyed)
    } catch {
      guard hasPositions,
        let lenient = try? AnchorsReader.read(source, options: options, acceptsUnsurveyed: true),
        lenient.unsurveyed.count == lenient.names.count
      else { throw error }
      var declared = DeclaredAnchors()
      declared.names = lenient.names
      return declared
    }
  }
}

extension Recording {
  /// Reads poses, heights, odometry and inertial data, each from its file or else from `tables`.
  fileprivate mutating func readSensors(
    _ place: RecordingFiles, _ tables: MixedTables?, _ options: RecordingOptions
  ) throws(RecordingError) {
    for (kind, path) in [
      (TableKind.poses, place.poses), (.heights, place.heights), (.odometry, place.odometry),
      (.inertial, place.inertial),
    ] {
      guard let source = try source(kind, path, tables) else { continue }
      try readSensor(kind, source, options)
    }
  }

  /// Reads a table of poses, heights, odometry or inertial data, which replaces that of its kind.
  mutating func readSensor(
    _ kind: TableKind, _ source: ByteSource, _ options: RecordingOptions = RecordingOptions()
  ) throws(RecordingError) {
    switch kind {
    case .poses: readPoses(source, options)
    case .heights:
      let found = try HeightsReader.read(source, options: options)
      sensors.heights = found.rows
      notes.append(found.note)
    case .odometry:
      let found = try OdometryReader.read(source, options: options)
      sensors.odometry = found.rows
      sensors.turnFactors = found.turnFactors
      notes.append(found.note)
    case .inertial:
      let found = try InertialReader.read(source, options: options)
      sensors.inertial = found.rows
      notes.append(found.note)
    case .ranges, .differences, .anchors, .truth: break
    }
  }

  /// Reads time differences, beside ranges or instead of them.
  fileprivate mutating func readDifferences(
    _ place: RecordingFiles, _ tables: MixedTables?, _ options: RecordingOptions,
    declared: [String], hasRanges: Bool
  ) throws(RecordingError) {
    let known = sources.count
    guard let source = try source(.differences, place.differences, tables) else { return }
    // It takes the place of the ranges, which are the first source.
    if !hasRanges { sources.removeSubrange(known...) }
    try readDifferences(source, options, declared: declared, hasRanges: hasRanges)
  }

  /// Reads a table of time differences, beside ranges or instead of them.
  mutating func readDifferences(
    _ source: ByteSource, _ options: RecordingOptions, declared: [String], hasRanges: Bool
  ) throws(RecordingError) {
    let found = try TimeDifferencesReader.read(
      source, declared: declared, options: options, isMain: !hasRanges)
    sensors.setDifferences(found)
    notes += found.notes.map { "tdoa.csv: \($0)" }
    if hasRanges {
      notes.append(found.note)
    } else {
      sensors.onlyDifferences = DifferencesFile(found, source.file)
      tagNames = found.tagNames
      if declared.isEmpty { anchorNames = found.anchorNames }
    }
  }

  /// Returns the table of `kind` in the file at `path`, which becomes a source, or else in `tables`; nil
  /// without either.
  private mutating func source(
    _ kind: TableKind, _ path: String?, _ tables: MixedTables?
  ) throws(RecordingError) -> ByteSource? {
    guard let path else { return tables?.source(kind) }
    let source = try ByteSource(path: path)
    sources.append(source.file)
    return source
  }
}

extension Recording {
  /// Sets what `recording.json` states.
  mutating func adopt(_ info: RecordingInfo) {
    facts = info.facts
    remarks = info.remarks
    if !info.unknownKeys.isEmpty {
      notes.append("recording.json: ignored \(Excerpt.list(info.unknownKeys))")
    }
  }

  /// Sets the anchors; without heights, the tags are in their plane unless a height is known.
  mutating func adopt(_ declared: DeclaredAnchors) {
    anchors = declared.anchors
    unsurveyed = declared.unsurveyed
    isPlanar = declared.isPlanar
    plane = declared.plane
    notes += declared.notes
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
  mutating func readPoses(_ source: ByteSource, _ options: RecordingOptions = RecordingOptions()) {
    let name = source.name
    let found: RecordedAttitudes
    do throws(RecordingError) {
      found = try PosesReader.read(source, options: options)
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
  package mutating func adopt(poses: [TimedPose]) {
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
    hasRanges = true
  }
}
