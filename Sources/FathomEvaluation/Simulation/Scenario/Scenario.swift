import Fathom

/// What a simulated recording is made of: who moves where, who measures when, and how badly.
///
/// A scenario comes from a YAML file through ``ScenarioReader``, which has checked every value; all
/// lengths are metres, spans seconds, angles radians. Only the seed can be changed afterwards.
public struct Scenario: Sendable, Equatable {
  /// Name of the recording.
  public let name: String
  /// What all random numbers follow from; random trajectories change with it.
  public var seed: UInt64 {
    didSet { setting = setting.redrawn(seed: seed, duration: duration) }
  }
  /// Length of the recording, seconds from time 0; above 0.
  public let duration: Double
  /// Rows of truth per second and tag, hertz; above 0.
  public let truthRate: Double
  /// Who measures what.
  package private(set) var setting: Setting
  /// When it is measured.
  package let polling: Polling
  /// What is wrong with the distances.
  package let noise: RangeNoise
  /// What stands between the radios.
  package let walls: [Wall]
  /// How power and reception fall with distance; nil where all is heard.
  package let radio: LinkBudget?
  /// What stamps the measurements.
  package let clock: RecordingClock
  /// How the measurements reach the file.
  package let delivery: Delivery
  /// Interruptions of all sessions, in order of time.
  package let events: [Event]

  /// The two kinds of recording.
  package enum Setting: Sendable, Equatable {
    /// Tags among anchors of known position.
    case anchored(Anchored)
    /// A phone and one accessory, whose position nobody declares.
    case phone(Phone)
  }

  /// Tags among anchors of known position.
  package struct Anchored: Sendable, Equatable {
    /// The anchors, with the bias and scale that their ranges really have.
    package let anchors: [NamedAnchor]
    /// The tags; at least one.
    package var tags: [Tag]
    /// Links whose errors differ from those of their anchor.
    package let links: [LinkOverride]
    /// Height of the tags that the recording declares as known, metres; nil for a 3-D recording.
    package let height: Double?
  }

  /// An anchor and what the recording calls it.
  package struct NamedAnchor: Sendable, Equatable {
    /// Name in the `anchor` column.
    package let name: String
    /// Position, and the true error of its ranges.
    package let anchor: Anchor
    /// Delay of transmitter and receiver together that nobody has calibrated, seconds.
    package var antennaDelay = 0.0
  }

  /// A link whose ranges err in their own way.
  package struct LinkOverride: Sendable, Equatable {
    /// Index of the tag.
    package let tag: Int
    /// Index of the anchor.
    package let anchor: Int
    /// Instead of the anchor's bias, metres; nil where it stays.
    package let bias: Double?
    /// Instead of the anchor's scale; nil where it stays.
    package let scale: Double?
    /// Instead of the scenario's sigma, metres; nil where it stays.
    package let sigma: Double?
  }

  /// A radio on the move.
  package struct Tag: Sendable, Equatable {
    /// Name in the `tag` column.
    package let name: String
    /// Where it is at every instant.
    package var trajectory: Trajectory
    /// Delay of transmitter and receiver together that nobody has calibrated, seconds.
    package var antennaDelay = 0.0
  }

  /// A phone that ranges with one accessory and sees its direction inside a cone.
  package struct Phone: Sendable, Equatable {
    /// The phone: name and trajectory.
    package var tag: Tag
    /// Name of the accessory in the `anchor` column.
    package let accessory: String
    /// Where the accessory stands, world frame.
    package let accessoryPosition: Vector<3>
    /// Where the phone points.
    package let attitude: PhoneAttitude
    /// Half the opening angle of the cone around "ahead" in which directions are measured, radians.
    package let fieldOfView: Double
    /// Standard deviation of a direction per axis, radians.
    package let directionSigma: Double
  }

  /// The schedule of measurements.
  package struct Polling: Sendable, Equatable {
    /// Whose turn it is.
    package enum Mode: String, Sendable, CaseIterable {
      /// One link per instant: the anchors of the first tag in turn, then those of the next tag.
      case roundRobin = "round_robin"
      /// All links at one instant.
      case scan
      /// One tag per instant, in turn: all anchors hear it, and differences are recorded.
      case differences = "tdoa"
    }

    /// Whose turn it is.
    package let mode: Mode
    /// Instants per second, hertz; above 0.
    package let rate: Double
    /// Largest deviation of an instant from the even grid, seconds; below half the interval.
    package let jitter: Double
    /// Index of the anchor that differences are taken to.
    package var reference = 0
  }

  /// An interruption or its end.
  package struct Event: Sendable, Equatable {
    /// Seconds from the start.
    package let time: Double
    /// What happens.
    package let event: SessionEvent
  }
}

extension Scenario.Setting {
  /// The setting with the random trajectories that belong to `seed`.
  fileprivate func redrawn(seed: UInt64, duration: Double) -> Self {
    func redraw(_ tag: inout Scenario.Tag, _ index: Int) {
      guard tag.trajectory.isRandom else { return }
      var generator = RandomStream.trajectory(ofTag: index, seed)
      tag.trajectory = tag.trajectory.redrawn(duration: duration, using: &generator)
    }
    switch self {
    case .anchored(var anchored):
      for index in anchored.tags.indices { redraw(&anchored.tags[index], index) }
      return .anchored(anchored)
    case .phone(var phone):
      redraw(&phone.tag, 0)
      return .phone(phone)
    }
  }
}

extension SessionEvent {
  /// Whether ranges can follow: not after an interruption, until it ends.
  var allowsRanging: Bool {
    switch self {
    case .started, .resumed: true
    case .stopped, .suspended, .removed, .invalidated: false
    }
  }
}
