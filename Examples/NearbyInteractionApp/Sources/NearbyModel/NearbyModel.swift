import Fathom

/// What the views of the app show: the accessories around the phone with distance, quality, direction
/// and zone.
///
/// A value type without a clock and without threads: an app keeps one in an observable object and gives
/// it every update, see the README.
public struct NearbyModel: Sendable {
  /// How to read direction vectors, a property of the phone.
  public let capabilities: DeviceCapabilities
  private var list = AccessoryList<String>()
  private var links: [String: Link] = [:]

  /// The state of the ranging with one accessory.
  private struct Link: Sendable {
    var session = RangingSession()
    var quality = MeasurementQualityEstimator()
    var smoother = ScalarKalmanSmoother(motion: .constantVelocity())
    var zones = ProximityZones([.outer, .inner])
    var reading = Reading()
    var segment = 0
  }

  /// What is known of an accessory.
  public struct Reading: Sendable, Equatable {
    /// The smoothed distance with its standard deviation; nil before the first and after a pause.
    public var distance: SmoothedDistance?
    /// Whether distances are fresh and near enough to show.
    public var quality = MeasurementQuality.unknown
    /// Radians from straight ahead, positive to the right; nil without a direction.
    public var azimuth: Angle?
    /// Radians above the phone's horizontal plane; nil if only a horizontal angle is known.
    public var elevation: Angle?
    /// Whether the accessory is higher or lower, where no angle says it.
    public var vertical = VerticalEstimate.unknown
    /// The smallest zone that the accessory is in: 1.5 m, 3 m, or nil.
    public var zone: ProximityZone?
    /// What restores updates after an interruption.
    public var retry = SessionRetry.notNeeded
  }

  /// Something that a view or a sound reacts to.
  public enum Event: Sendable, Equatable {
    /// An accessory was heard for the first time.
    case appeared(String)
    /// An accessory was silent for 5 s.
    case disappeared(String)
    /// A zone around an accessory was entered, left or forgotten.
    case zone(String, ProximityEvent)
  }

  /// Creates the model of a phone with the given capabilities.
  public init(capabilities: DeviceCapabilities) { self.capabilities = capabilities }

  /// The accessories in the order in which they appeared.
  public var accessories: [AccessoryList<String>.Accessory] { list.accessories }

  /// Returns what is known of an accessory; nil if it is not in the list.
  public func reading(of accessory: String) -> Reading? {
    list[accessory].map { _ in links[accessory]?.reading ?? Reading() }
  }

  /// Processes an update, and returns what happened.
  public mutating func process(_ update: AccessoryUpdate) -> [Event] {
    var events: [Event] = []
    let name = update.accessory
    var link = links[name] ?? Link()
    switch update.content {
    case .advertisement(let title):
      if case .appeared = list.hear(name, name: title, at: update.time) {
        events.append(.appeared(name))
      }
    case .event(let event):
      link.session.apply(event)
      changeStatus(of: name, for: event, at: update.time)
    case .convergence(let status):
      link.session.updateConvergence(status)
    case .measurement(let measurement):
      events += process(measurement, of: name, at: update.time, &link)
    }
    link.reading.retry = link.session.retry
    links[name] = link
    return events
  }

  /// Removes accessories that have been silent; call it every ``AccessoryList/checkInterval`` seconds.
  public mutating func check(at time: Timestamp) -> [Event] {
    list.removeExpired(at: time).compactMap {
      guard case .disappeared(let name) = $0 else { return nil }
      links[name] = nil
      return .disappeared(name)
    }
  }

  private mutating func process(
    _ measurement: AccessoryUpdate.Measurement, of name: String, at time: Timestamp,
    _ link: inout Link
  ) -> [Event] {
    // After an interruption the old distances say nothing about the new ones.
    let segment = link.session.recordMeasurement()
    if segment != link.segment {
      link.smoother.reset()
      link.quality.reset()
      link.segment = segment
    }
    link.reading.quality = link.quality.update(distance: measurement.distance, at: time)
    let distance = measurement.distance.map(Double.init)
    link.reading.distance = link.smoother.update(distance, at: time)
    let events = link.zones.update(smoothed: link.reading.distance, at: time)
    link.reading.zone = link.zones.current
    let isConverged = link.session.convergence.isReached
    // An accessory that is not listed has no location.
    _ = try? list.updateLocation(of: name) { location in
      location.update(
        distance: measurement.distance, direction: measurement.direction,
        horizontalAngle: measurement.horizontalAngle,
        verticalEstimate: measurement.verticalEstimate, converged: isConverged)
    }
    // An arrow that points where the accessory was is worse than none.
    let location = list[name]?.location
    let direction = location?.isDirectionCurrent == true ? location?.direction : nil
    link.reading.azimuth = direction?.azimuth
    link.reading.elevation = direction?.elevation
    link.reading.vertical = direction == nil ? .unknown : measurement.verticalEstimate
    return events.map { .zone(name, $0) }
  }

  /// Follows the session in the list, where events that do not fit the status change nothing.
  private mutating func changeStatus(of name: String, for event: SessionEvent, at time: Timestamp) {
    switch event {
    case .started:
      try? list.connect(name)
      try? list.startRanging(name)
    case .stopped, .suspended: try? list.stopRanging(name)
    case .resumed: try? list.startRanging(name)
    case .removed, .invalidated: try? list.disconnect(name, at: time)
    }
  }
}
