import Fathom
import FathomRecordings

/// A simulator that generates the recording of a scenario.
///
/// The same scenario and seed give the same recording on every machine, bit by bit. Random numbers,
/// arithmetic and elementary functions use only operations that IEEE 754 defines exactly.
public struct RangeSimulator: Sendable {
  private let scenario: Scenario

  /// Creates the simulator of `scenario`.
  public init(_ scenario: Scenario) {
    self.scenario = scenario
  }

  /// Simulates the recording: ranges and ground truth.
  ///
  /// Cost: proportional to the number of rows, all of which are held in memory.
  public func recording() -> SimulatedRecording {
    var recording = Recording(name: scenario.name)
    recording.notes = [
      "Simulated by fathom simulate: scenario \(scenario.name), seed \(scenario.seed)."
    ]
    switch scenario.setting {
    case .anchored(let anchored):
      recording.facts.heightM = anchored.height
      recording.facts.boundsM = anchored.bounds
      recording.tagNames = anchored.tags.map(\.name)
      recording.anchorNames = anchored.anchors.map(\.name)
      // A survey determines the position of an anchor, not its range bias and scale.
      recording.anchors = anchored.anchors.map { Anchor(position: $0.anchor.position) }
    case .phone(let phone):
      recording.notes.append(
        scenario.poses == nil
          ? "truth.csv has the accessory in the device frame: x right, y up, -z ahead."
          : "truth.csv has the accessory in the frame of poses.csv, as it is at that time.")
      recording.tagNames = [phone.tag.name]
      recording.anchorNames = [phone.accessory]
      recording.ranges = RangeColumns(with: [.directionX, .directionY, .directionZ])
    }
    if scenario.radio != nil { recording.ranges[.rssi] = [] }
    if !scenario.walls.isEmpty { recording.ranges[.nonLineOfSight] = [] }
    var simulated = SimulatedRecording(recording)
    if scenario.polling.mode == .differences { simulated.differences = [] }
    var run = MeasurementRun(scenario)
    run.fill(&simulated)
    simulated.recording.rowsRead =
      simulated.recording.ranges.count + simulated.recording.tagRanges.count
      + simulated.recording.events.count
    let poses = PoseSimulation(scenario)
    if let poses {
      simulated.poses = poses.poses
      simulated.recording.adopt(poses: poses.poses)
    }
    simulated.truth = truth(poses)
    if case .anchored(let anchored) = scenario.setting {
      simulated.sensors = SensorRun(
        scenario.sensors, tags: anchored.tags, duration: scenario.duration, seed: scenario.seed
      ).files()
    }
    return simulated
  }

  // MARK: Truth

  private func truth(_ poses: PoseSimulation?) -> [SimulatedRecording.TruthSample] {
    var truth: [SimulatedRecording.TruthSample] = []
    for row in 0...Self.wholeIntervals(scenario.duration, scenario.truthRate) {
      let time = Self.instant(Double(row) / scenario.truthRate)
      func append(_ position: Vector<3>, _ name: String) {
        truth.append(
          SimulatedRecording.TruthSample(
            time: time, position: position.rounded(decimals: 4), name: name))
      }
      switch scenario.setting {
      case .anchored(let anchored):
        for tag in anchored.tags {
          append(tag.trajectory.motion(at: time.seconds).position, tag.name)
        }
      case .phone(let phone):
        if let poses {
          append(poses.place(of: phone.accessoryPosition, at: time), phone.accessory)
          continue
        }
        let motion = phone.tag.trajectory.motion(at: time.seconds)
        append(
          phone.attitude.devicePosition(
            of: phone.accessoryPosition, from: motion, at: time.seconds), phone.accessory)
      }
    }
    return truth
  }

  // MARK: Time

  /// Returns how many intervals of `rate` fit into `duration`; 28.999999999999996 counts as 29.
  static func wholeIntervals(_ duration: Double, _ rate: Double) -> Int {
    Int((duration * rate + 1e-6).rounded(.down))
  }

  /// Rounds `seconds` to the microsecond, the resolution of files: truth belongs to the written
  /// time.
  static func instant(_ seconds: Double) -> Timestamp {
    Timestamp(nanoseconds: Int64((seconds * 1e6).rounded(.toNearestOrEven)) * 1000)
  }
}
