import Fathom
import FathomRecordings

/// Locates stationary accessories from the ranges of a moving receiver with a known trajectory.
struct LocatedAccessories {
  /// The longest gap between poses, in seconds, over which the trajectory is interpolated.
  private static let longestGap = 1.5

  private let poses: String
  private let ranges: String
  private let measurements: MeasurementArguments
  private let position: PositionArguments
  private let reading: RecordingOptions

  /// Creates the request for the ranges in the file `ranges`, measured along the trajectory in the
  /// file `poses`.
  init(
    poses: String, ranges: String, _ measurements: MeasurementArguments,
    _ position: PositionArguments, reading: RecordingOptions = RecordingOptions()
  ) {
    self.reading = reading
    self.poses = poses
    self.ranges = ranges
    self.measurements = measurements
    self.position = position
  }

  /// Returns one position per accessory, in the order of the file.
  ///
  /// - Throws: `RecordingError` if a file cannot be read or is from several receivers.
  func positions() throws -> [LocatedPosition] {
    if poses == "-", ranges == "-" {
      throw RecordingError.badData(
        path: "-", line: nil, reason: "poses and ranges cannot both be standard input")
    }
    let trajectory = try TrajectoryReader.read(poses)
    Recording.report(trajectory.rejected, of: poses)
    try requireOne(trajectory.tracks.keys.sorted(), "trajectories", in: poses)
    guard let track = trajectory.truth.tracks.first?.value else {
      throw RecordingError.badData(path: poses, line: nil, reason: "no pose has x, y and z")
    }
    let recording = try RecordingReader.read(ranges, options: reading, findsAnchors: false)
    try recording.requireUsableRows()
    Recording.report(recording.rejected, of: ranges)
    try requireOne(recording.tagNames, "ranges", in: ranges)
    return try recording.anchorNames.indices.compactMap { try accessory($0, recording, track) }
  }

  private func requireOne(_ receivers: [String], _ what: String, in path: String) throws {
    guard receivers.count > 1 else { return }
    let names = receivers.joined(separator: ", ")
    throw RecordingError.badData(
      path: path, line: nil, reason: "there are \(what) of several receivers (\(names))")
  }

  private func accessory(
    _ accessory: Int, _ recording: Recording, _ track: PositionTrack
  ) throws -> LocatedPosition? {
    let columns = recording.ranges
    let name = recording.anchorNames[accessory]
    var observations: [PosedRange] = []
    var names: [String] = []
    var missing = 0
    let poseCovariance: Matrix<3, 3>? =
      measurements.poseSigma > 0
      ? measurements.poseSigma * measurements.poseSigma * .identity : nil
    for index in 0..<columns.count where Int(columns.anchor[index]) == accessory {
      guard let pose = track.position(at: columns.time[index], longestGap: Self.longestGap) else {
        missing += 1
        continue
      }
      let sigma = columns[.sigma]?[index]
      observations.append(
        PosedRange(
          position: pose, range: columns.distance[index],
          sigma: sigma.flatMap { $0 > 0 && $0.isFinite ? $0 : nil },
          positionCovariance: poseCovariance))
      names.append("line \(columns.line[index])")
    }
    if missing > 0 {
      Console.message(
        "\(ranges): \(missing.counted("range")) of \(name) rejected: no pose at that time")
    }
    guard !observations.isEmpty || missing > 0 else { return nil }
    let prior = try position.positionPrior()
    do throws(TrilaterationError) {
      let fix = try MovingReceiver.solve(
        observations, prior: prior, within: position.bounds, options: position.options())
      var found = LocatedPosition(names: names, fix: fix)
      found.accessory = name
      return found
    } catch {
      throw RecordingError.badData(
        path: poses, line: nil, reason: "the poses cannot be used: \(error)")
    }
  }
}
