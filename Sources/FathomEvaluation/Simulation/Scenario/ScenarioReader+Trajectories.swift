import Fathom
import FathomRecordings

extension ScenarioReader {
  /// The kinds of motion.
  ///
  /// Every tag has exactly one of these keys.
  static let trajectoryKeys = [
    "waypoints", "lissajous", "still", "random_walk", "white_noise_acceleration", "file",
  ]

  /// Reads the trajectory in `section`, for the tag of index `tag`.
  ///
  /// The steps of all trajectories count together.
  static func trajectory(
    _ section: ScenarioSection, _ frame: ScenarioFrame, tag: Int
  ) throws(ScenarioError) -> Trajectory {
    switch try section.only(of: trajectoryKeys) {
    case "waypoints": return .waypoints(try waypoints(section, frame))
    case "lissajous": return .lissajous(try lissajous(section))
    case "still":
      let point = try section.section("still", keys: ["x", "y", "z"])
      return .still(try position(point, height: frame.height))
    case "random_walk":
      let pace = try randomWalk(section, frame)
      var generator = RandomStream.trajectory(ofTag: tag, frame.seed)
      return .randomWalk(RandomWalk(pace, duration: frame.duration, using: &generator))
    case "white_noise_acceleration":
      let law = try randomAcceleration(section, frame)
      var generator = RandomStream.trajectory(ofTag: tag, frame.seed)
      return .randomAcceleration(
        RandomAcceleration(law, duration: frame.duration, using: &generator))
    default: return .sampled(try sampled(section, frame))
    }
  }

  /// Returns the error for `key` of a section with too many steps.
  private static func tooMany(_ section: ScenarioSection, _ key: String) -> ScenarioError {
    section.impossible(
      key, "gives too many steps: all trajectories together more than \(Int(mostSteps))")
  }

  private static func waypoints(
    _ section: ScenarioSection, _ frame: ScenarioFrame
  ) throws(ScenarioError) -> WaypointPath {
    let path = try section.section(
      "waypoints", keys: ["speed_mps", "acceleration_mps2", "corner_m", "laps", "points"])
    var points: [Waypoint] = []
    for point in try path.sections("points", keys: ["x", "y", "z", "stop_s"]) {
      points.append(
        Waypoint(
          position: try position(point, height: frame.height),
          stop: try point.number("stop_s", .notNegative, absent: 0)))
    }
    let laps = Int(try path.wholeNumber("laps", in: 1...1000, absent: 1))
    guard frame.steps.reserve(Double(points.count * laps) * stepsPerWaypoint) else {
      throw tooMany(path, "points")
    }
    return WaypointPath(
      points,
      speed: try path.number("speed_mps", .positive),
      acceleration: try path.number("acceleration_mps2", .positive),
      corner: try path.number("corner_m", .positive, absent: 0.5),
      laps: laps)
  }

  private static func lissajous(
    _ section: ScenarioSection
  ) throws(ScenarioError) -> LissajousPath {
    let path = try section.section(
      "lissajous", keys: ["centre", "amplitude", "period_s", "phase_rad"])
    return LissajousPath(
      centre: try triple(path, "centre", .coordinate),
      amplitude: try triple(path, "amplitude", .notNegative),
      period: try triple(path, "period_s", .positive),
      phase: try triple(path, "phase_rad", .coordinate, absent: .zero))
  }

  private static func randomWalk(
    _ section: ScenarioSection, _ frame: ScenarioFrame
  ) throws(ScenarioError) -> RandomWalk.Pace {
    let walk = try section.section(
      "random_walk", keys: ["low", "high", "start", "speed_mps", "correlation_s"])
    let low = try position(try walk.section("low", keys: ["x", "y", "z"]), height: frame.height)
    let high = try position(try walk.section("high", keys: ["x", "y", "z"]), height: frame.height)
    // A box that is thinner, but not of zero extent, would give a fast oscillation instead of a
    // walk.
    guard (0..<3).allSatisfy({ high[$0] == low[$0] || high[$0] - low[$0] >= 1e-3 }) else {
      throw walk.impossible(
        "high", "must equal low or exceed it by at least 0.001 on every axis")
    }
    var start: Vector<3>?
    if walk.has("start") {
      let point = try position(
        try walk.section("start", keys: ["x", "y", "z"]), height: frame.height)
      guard (0..<3).allSatisfy({ low[$0] <= point[$0] && point[$0] <= high[$0] }) else {
        throw walk.impossible("start", "must lie between low and high")
      }
      start = point
    }
    let correlation = try walk.number("correlation_s", .positive)
    let steps = frame.duration / correlation * RandomWalk.stepsPerCorrelationTime
    guard frame.steps.reserve(steps) else { throw tooMany(walk, "correlation_s") }
    return RandomWalk.Pace(
      low: low, high: high, start: start, speed: try walk.number("speed_mps", .notNegative),
      correlationTime: correlation)
  }

  private static func randomAcceleration(
    _ section: ScenarioSection, _ frame: ScenarioFrame
  ) throws(ScenarioError) -> RandomAcceleration.Law {
    let law = try section.section(
      "white_noise_acceleration",
      keys: [
        "position_m", "position_sigma_m", "velocity_mps", "velocity_sigma_mps", "density", "step_s",
      ])
    let step = try law.number("step_s", .positive)
    guard frame.steps.reserve(frame.duration / step) else { throw tooMany(law, "step_s") }
    return RandomAcceleration.Law(
      position: try triple(law, "position_m", .coordinate, height: frame.height),
      positionSigma: try triple(law, "position_sigma_m", .notNegative, absent: .zero),
      velocity: try triple(law, "velocity_mps", .coordinate, absent: .zero),
      velocitySigma: try triple(law, "velocity_sigma_mps", .notNegative, absent: .zero),
      density: try triple(law, "density", .notNegative),
      step: step)
  }

  private static func sampled(
    _ section: ScenarioSection, _ frame: ScenarioFrame
  ) throws(ScenarioError) -> SampledPath {
    let file = try section.section("file", keys: ["path", "tag", "interpolation"])
    let path = frame.path(of: try file.text("path"))
    let shown = Excerpt.plain(path, limit: 300)
    let truth: Truth
    do {
      // A pipe would be waited for.
      _ = try FoundFile.exists(path)
      truth = try TruthReader.read(path)
    } catch {
      throw file.impossible("path", "cannot be read: \(Excerpt.plain("\(error)", limit: 300))")
    }
    if let row = truth.rejected.first {
      throw file.impossible("path", "cannot be read: \(shown):\(row.line): \(row.reason)")
    }
    if truth.isPlanar { throw file.impossible("path", "has positions without z: \(shown)") }
    let names = truth.tracks.keys.sorted()
    var track = names.count == 1 ? truth.tracks[names[0]] : nil
    if file.has("tag") {
      let tag = try file.identifier("tag")
      guard let own = truth.tracks[tag] else {
        throw file.impossible("tag", "is not in the file: \(tag)")
      }
      track = own
    }
    guard let track else {
      throw names.isEmpty
        ? file.impossible("path", "has no positions: \(shown)")
        : file.impossible(
          "path", "has several tags (\(Excerpt.list(names))): name one with the key tag")
    }
    guard frame.steps.reserve(Double(track.count)) else { throw tooMany(file, "path") }
    return SampledPath(track, interpolation: try file.choice("interpolation", absent: .cubic))
  }

  // MARK: Points

  /// Reads the point in `section`; `height` replaces a missing z.
  static func position(
    _ section: ScenarioSection, height: Double? = nil
  ) throws(ScenarioError) -> Vector<3> {
    Vector<3>([
      try section.number("x", .coordinate), try section.number("y", .coordinate),
      try section.number("z", .coordinate, absent: height),
    ])
  }

  /// Reads the numbers for the three axes at `name`; `absent` replaces a missing key.
  private static func triple(
    _ section: ScenarioSection, _ name: String, _ bounds: ScenarioSection.Bounds,
    absent: Vector<3>? = nil, height: Double? = nil
  ) throws(ScenarioError) -> Vector<3> {
    if let absent, !section.has(name) { return absent }
    let axes = try section.section(name, keys: ["x", "y", "z"])
    return Vector<3>([
      try axes.number("x", bounds), try axes.number("y", bounds),
      try axes.number("z", bounds, absent: height),
    ])
  }
}
