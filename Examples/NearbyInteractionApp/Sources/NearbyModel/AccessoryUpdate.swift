import Fathom

/// What a session reports about one accessory at one instant.
///
/// Sessions on a phone, in a test and in a replay all deliver this type, so that the rest of the app
/// does not know which one runs.
public struct AccessoryUpdate: Sendable {
  /// The identifier of the accessory.
  public var accessory: String
  /// The time of the update, from one clock for all updates.
  public var time: Timestamp
  /// What was reported.
  public var content: Content

  /// What an update says.
  public enum Content: Sendable {
    /// The accessory advertised itself under a name.
    case advertisement(name: String)
    /// A measurement; absent values are nil.
    case measurement(Measurement)
    /// The course of the session changed.
    case event(SessionEvent)
    /// How far camera assistance has come.
    case convergence(Convergence.Status)
  }

  /// A measurement as Nearby Interaction reports it.
  public struct Measurement: Sendable {
    /// Metres.
    public var distance: Float?
    /// A unit vector in the phone's frame: x right, y up, ahead is -z.
    public var direction: SIMD3<Float>?
    /// Radians, positive to the right; after convergence of camera assistance.
    public var horizontalAngle: Float?
    /// Whether the accessory is higher or lower.
    public var verticalEstimate: VerticalEstimate

    /// Creates a measurement.
    public init(
      distance: Float?, direction: SIMD3<Float>? = nil, horizontalAngle: Float? = nil,
      verticalEstimate: VerticalEstimate = .unknown
    ) {
      self.distance = distance
      self.direction = direction
      self.horizontalAngle = horizontalAngle
      self.verticalEstimate = verticalEstimate
    }
  }

  /// Creates an update.
  public init(_ accessory: String, at time: Timestamp, _ content: Content) {
    self.accessory = accessory
    self.time = time
    self.content = content
  }
}

/// A source of updates: a phone's sessions, or a script.
public protocol AccessorySession: Sendable {
  /// The updates in order of time; ends with the session.
  var updates: AsyncStream<AccessoryUpdate> { get }
}
