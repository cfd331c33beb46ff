import Fathom

/// The description of a simulated recording: trajectories, measurement schedule and errors.
///
/// A scenario comes from a YAML file through ``ScenarioReader``, which checks every value. Lengths
/// are in metres, times in seconds, angles in radians. Only the seed can be changed afterwards.
public struct Scenario: Sendable, Equatable {
  /// Name of the recording.
  public let name: String
  /// Seed of all random numbers.
  ///
  /// A new seed redraws the random trajectories.
  public var seed: UInt64 {
    didSet { setting = setting.redrawn(seed: seed, duration: duration) }
  }
  /// Length of the recording from time 0, seconds; above 0.
  public let duration: Double
  /// Truth rows per second and tag, hertz; above 0.
  public let truthRate: Double
  /// The tags and the anchors or accessory between which ranges are measured.
  package private(set) var setting: Setting
  /// The schedule of measurements.
  package let polling: Polling
  /// The errors of the distances.
  package let noise: RangeNoise
  /// The sensors of the tags.
  package let sensors: SensorModels
  /// The obstacles between the radios.
  package let walls: [Wall]
  /// The link budget, which models power and packet loss; nil when every message is received.
  package let radio: LinkBudget?
  /// The clock that stamps the measurements.
  package let clock: RecordingClock
  /// The delivery of measurements to the file.
  package let delivery: Delivery
  /// Interruptions of all sessions, sorted by time.
  package let events: [Event]
  /// The poses of the only tag by visual odometry; nil for none.
  package var poses: Poses?

  /// The two kinds of recording.
  package enum Setting: Sendable, Equatable {
    /// Tags among anchors of known position.
    case anchored(Anchored)
    /// A phone and one accessory at an undeclared position.
    case phone(Phone)
  }

  /// Tags among anchors of known position.
  package struct Anchored: Sendable, Equatable {
    /// The anchors, with the true bias and scale of their ranges.
    package let anchors: [NamedAnchor]
    /// The tags; at least one.
    package var tags: [Tag]
    /// Links whose errors differ from those of their anchor.
    package let links: [LinkOverride]
    /// Tag height that the recording declares as known, metres; nil for a 3-D recording.
    package let height: Double?
    /// Corners of a box that the recording declares to contain the tags, metres; nil for none.
    package var bounds: [[Double]]?
  }

  /// An anchor and its name in the recording.
  package struct NamedAnchor: Sendable, Equatable {
    /// Name in the `anchor` column.
    package let name: String
    /// Position, and the true bias and scale of its ranges.
    package let anchor: Anchor
    /// Uncalibrated antenna delay of transmitter and receiver together, seconds.
    package var antennaDelay = 0.0
  }

  /// A link with range errors of its own.
  package struct LinkOverride: Sendable, Equatable {
    /// Index of the tag.
    package let tag: Int
    /// Index of the anchor.
    package let anchor: Int
    /// Bias that replaces the anchor's, metres; nil keeps the anchor's bias.
    package let bias: Double?
    /// Scale that replaces the anchor's; nil keeps the anchor's scale.
    package let scale: Double?
    /// Standard deviation that replaces the scenario's, metres; nil keeps the scenario's.
    package let sigma: Double?
  }

  /// A mobile radio.
  package struct Tag: Sendable, Equatable {
    /// Name in the `tag` column.
    package let name: String
    /// Position and velocity at every instant.
    package var trajectory: Trajectory
    /// Uncalibrated antenna delay of transmitter and receiver together, seconds.
    package var antennaDelay = 0.0
    /// Index of the only anchor that it ranges with; nil for all anchors.
    package var onlyAnchor: Int?
  }

  /// A phone that ranges with one accessory and measures its direction inside a cone.
  package struct Phone: Sendable, Equatable {
    /// The phone: name and trajectory.
    package var tag: Tag
    /// Name of the accessory in the `anchor` column.
    package let accessory: String
    /// Position of the accessory in the world frame, metres.
    package let accessoryPosition: Vector<3>
    /// The attitude of the phone.
    package let attitude: PhoneAttitude
    /// Half the opening angle of the cone around straight ahead in which directions are measured,
    /// radians.
    package let fieldOfView: Double
    /// Standard deviation of a direction, radians per axis.
    package let directionSigma: Double
  }

  /// The schedule of measurements.
  package struct Polling: Sendable, Equatable {
    /// The order in which links are measured.
    package enum Mode: String, Sendable, CaseIterable {
      /// One link per instant: all anchors of the first tag in turn, then those of the next tag.
      case roundRobin = "round_robin"
      /// All links at one instant.
      case scan
      /// One tag per instant, in turn: all anchors receive it, and differences are recorded.
      case differences = "tdoa"
    }

    /// The order in which links are measured.
    package let mode: Mode
    /// Measurement instants per second, hertz; above 0.
    package let rate: Double
    /// Largest deviation of an instant from the regular grid, seconds; below half the interval.
    package let jitter: Double
    /// Index of the reference anchor of differences.
    package var reference = 0
    /// Which tags range with each other, beside their ranges to anchors.
    package var between = Between.none

    /// The tags that range with each other.
    package enum Between: String, Sendable, CaseIterable {
      /// None.
      case none
      /// All pairs; the earlier tag of a pair measures.
      case tags
    }
  }

  /// The poses of a tag by visual odometry; see `PoseErrors`.
  package struct Poses: Sendable, Equatable {
    /// Poses per second, hertz; above 0.
    package let rate: Double
    /// Drift in each direction after one metre, m/√m.
    package let distanceNoise: Double
    /// Drift of the heading after one metre, rad/√m.
    package let headingNoise: Double
    /// Standard deviation of the scale error.
    package let scaleSigma: Double
  }

  /// An interruption or its end.
  package struct Event: Sendable, Equatable {
    /// Time since the start, seconds.
    package let time: Double
    /// The kind of event.
    package let event: SessionEvent
  }
}

extension Scenario.Setting {
  /// Number of tags.
  var tagCount: Int {
    if case .anchored(let anchored) = self { anchored.tags.count } else { 1 }
  }

  /// Returns the setting with the random trajectories of `seed`.
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
  /// Whether ranges can follow this event.
  ///
  /// After an interruption they cannot, until it ends.
  var allowsRanging: Bool {
    switch self {
    case .started, .resumed: true
    case .stopped, .suspended, .removed, .invalidated: false
    }
  }
}
