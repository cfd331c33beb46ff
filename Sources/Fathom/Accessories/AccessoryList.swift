/// The connection status of an accessory [Qorvo guide].
public enum AccessoryStatus: Sendable, Hashable, CaseIterable {
  /// Advertisements were received; not connected.
  case discovered
  /// Connected.
  case connected
  /// Connected and ranging.
  case ranging
}

/// The reason why a change to an ``AccessoryList`` was refused.
public enum AccessoryListError: Error, Equatable {
  /// The list does not contain the identifier: never ranged, or timed out.
  case notListed
  /// The accessory's current status, given here, does not allow the change.
  case wrongStatus(AccessoryStatus)
}

/// A list of the accessories around a phone, maintained from their advertisements [Qorvo guide].
///
/// A discovered accessory is removed after more than 5 s without an advertisement. Connected and
/// ranging accessories stay in the list. Announcements are return values, and time is an argument.
///
/// The published implementation finds expired accessories by position while it iterates over a copy
/// of the list. When two accessories expire in one check, the second position is off by one, and
/// **the wrong accessory can be removed**. This implementation uses identifiers.
///
/// Finding an accessory takes time linear in the length of the list; lists are short.
public struct AccessoryList<ID: Hashable & Sendable>: Sendable {
  /// An accessory in the list.
  public struct Accessory: Sendable, Identifiable {
    /// The unique identifier of the accessory.
    public let id: ID
    /// The name in its first advertisement.
    public let name: String
    /// The connection status.
    public internal(set) var status: AccessoryStatus
    /// The time of the last advertisement or disconnection, whichever was later, in whole
    /// milliseconds.
    public internal(set) var lastHeard: Timestamp
    /// The last known distance and direction.
    public var location = LocationRecord()
  }

  /// A change of the list to be reported to its users.
  public enum Announcement: Sendable, Hashable {
    /// A new accessory was added.
    case appeared(ID)
    /// An accessory timed out and was removed.
    case disappeared(ID)
  }

  /// The accessories in the order of their first advertisements.
  public private(set) var accessories: [Accessory] = []

  /// Creates an empty list.
  public init() {}

  /// The time without advertisements after which a discovered accessory is removed, in seconds.
  ///
  /// An accessory that has been silent for exactly this time stays.
  public static var timeout: Double { 5 }

  /// The recommended interval between calls of ``removeExpired(at:)``, in seconds.
  ///
  /// With this interval, an accessory disappears between 5.0 s and 5.2 s after its last
  /// advertisement.
  public static var checkInterval: Double { 0.2 }

  /// Returns the accessory with the given identifier, or nil if it is not listed.
  public subscript(id: ID) -> Accessory? {
    accessories.first { $0.id == id }
  }

  /// Processes an advertisement.
  ///
  /// An unknown accessory is appended and announced. For a known accessory, only
  /// ``Accessory/lastHeard`` changes; its name and status stay.
  ///
  /// - Parameters:
  ///   - id: The identifier of the accessory.
  ///   - name: The advertised name.
  ///   - time: The time of reception; rounded to whole milliseconds.
  ///
  /// - Returns: ``Announcement/appeared(_:)`` for an unknown accessory, nil for a known one.
  public mutating func hear(_ id: ID, name: String, at time: Timestamp) -> Announcement? {
    if let position = accessories.firstIndex(where: { $0.id == id }) {
      accessories[position].lastHeard = time.roundedToMilliseconds()
      return nil
    }
    accessories.append(
      Accessory(
        id: id, name: name, status: .discovered, lastHeard: time.roundedToMilliseconds()))
    return .appeared(id)
  }

  /// Removes discovered accessories whose last advertisement is more than 5000 ms old.
  ///
  /// ## Edge cases
  /// `time` is rounded to whole milliseconds. An accessory that has been silent for exactly 5000 ms
  /// stays. If the clock steps back, accessories expire only after it has caught up.
  ///
  /// - Parameter time: The current time.
  /// - Returns: One announcement per removed accessory, in list order.
  public mutating func removeExpired(at time: Timestamp) -> [Announcement] {
    let now = time.roundedToMilliseconds()
    var announcements: [Announcement] = []
    accessories.removeAll { accessory in
      // Whole milliseconds less than 2⁵³ ns apart: the quotient 5 is exact, so the limit is exact.
      let isExpired =
        accessory.status == .discovered && now.seconds(since: accessory.lastHeard) > Self.timeout
      if isExpired { announcements.append(.disappeared(accessory.id)) }
      return isExpired
    }
    return announcements
  }

  /// Marks a discovered accessory as connected.
  ///
  /// - Throws: ``AccessoryListError/notListed``; ``AccessoryListError/wrongStatus(_:)`` unless it
  ///   is discovered.
  public mutating func connect(_ id: ID) throws(AccessoryListError) {
    try change(id, from: .discovered, to: .connected)
  }

  /// Marks a connected accessory as ranging.
  ///
  /// - Throws: ``AccessoryListError/notListed``; ``AccessoryListError/wrongStatus(_:)`` unless it
  ///   is connected.
  public mutating func startRanging(_ id: ID) throws(AccessoryListError) {
    try change(id, from: .connected, to: .ranging)
  }

  /// Marks a ranging accessory as connected.
  ///
  /// - Throws: ``AccessoryListError/notListed``; ``AccessoryListError/wrongStatus(_:)`` unless it
  ///   is ranging.
  public mutating func stopRanging(_ id: ID) throws(AccessoryListError) {
    try change(id, from: .ranging, to: .connected)
  }

  /// Marks an accessory as discovered after its connection ended, from any status.
  ///
  /// The disconnection also sets ``Accessory/lastHeard``, so that the next check keeps the
  /// accessory.
  ///
  /// - Throws: ``AccessoryListError/notListed``.
  public mutating func disconnect(_ id: ID, at time: Timestamp) throws(AccessoryListError) {
    let position = try position(of: id)
    accessories[position].status = .discovered
    accessories[position].lastHeard = time.roundedToMilliseconds()
  }

  /// Updates the location record of an accessory.
  ///
  /// Example: `try list.updateLocation(of: id) { $0.update(…) }`.
  ///
  /// - Returns: The result of `body`.
  /// - Throws: ``AccessoryListError/notListed``.
  @discardableResult
  public mutating func updateLocation<Result>(
    of id: ID, _ body: (inout LocationRecord) -> Result
  ) throws(AccessoryListError) -> Result {
    body(&accessories[try position(of: id)].location)
  }

  private func position(of id: ID) throws(AccessoryListError) -> Int {
    guard let position = accessories.firstIndex(where: { $0.id == id }) else { throw .notListed }
    return position
  }

  private mutating func change(
    _ id: ID, from old: AccessoryStatus, to new: AccessoryStatus
  ) throws(AccessoryListError) {
    let position = try position(of: id)
    let status = accessories[position].status
    guard status == old else { throw .wrongStatus(status) }
    accessories[position].status = new
  }
}

extension Timestamp {
  /// Returns the nearest whole millisecond, rounding halves away from zero.
  ///
  /// Saturates at the ends of the range.
  fileprivate func roundedToMilliseconds() -> Timestamp {
    let (quotient, remainder) = nanoseconds.quotientAndRemainder(dividingBy: 1_000_000)
    let milliseconds =
      remainder.magnitude < 500_000 ? quotient : quotient + remainder.signum()
    let (product, overflow) = milliseconds.multipliedReportingOverflow(by: 1_000_000)
    return overflow ? self : Timestamp(nanoseconds: product)
  }
}
