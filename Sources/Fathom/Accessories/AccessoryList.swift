/// How far the connection to an accessory has come [Qorvo guide].
public enum AccessoryStatus: Sendable, Hashable, CaseIterable {
  /// Heard, not connected.
  case discovered
  /// Connected.
  case connected
  /// Connected and ranging.
  case ranging
}

/// Why a change to an ``AccessoryList`` is refused.
public enum AccessoryListError: Error, Equatable {
  /// No accessory of the identifier is listed: never heard, or timed out.
  case notListed
  /// The change is not possible from the status that the accessory has.
  case wrongStatus(AccessoryStatus)
}

/// The accessories around a phone, kept by their advertisements [Qorvo guide].
///
/// An accessory that is only discovered disappears when nothing was heard of it for more than 5 s;
/// connected and ranging ones never do. Announcements are return values, and time is an argument.
///
/// The sources find the expired ones by position while they walk over a copy of the list: when two
/// expire in one check, the second position is off by one, and **the wrong accessory can be
/// removed**. Here everything goes by identifier.
///
/// Lists are short: finding an accessory takes time in proportion to their number.
public struct AccessoryList<ID: Hashable & Sendable>: Sendable {
  /// One accessory.
  public struct Accessory: Sendable, Identifiable {
    /// What tells it from the others.
    public let id: ID
    /// The name it had when it was first heard.
    public let name: String
    /// How far the connection has come.
    public internal(set) var status: AccessoryStatus
    /// The last advertisement or the disconnection, whichever was later, in whole milliseconds.
    public internal(set) var lastHeard: Timestamp
    /// The last known distance and direction.
    public var location = LocationRecord()
  }

  /// Something that users of the list should know.
  public enum Announcement: Sendable, Hashable {
    /// A new accessory is listed.
    case appeared(ID)
    /// An accessory has timed out and is not listed any more.
    case disappeared(ID)
  }

  /// The accessories in the order in which they were first heard.
  public private(set) var accessories: [Accessory] = []

  /// An empty list.
  public init() {}

  /// Silence after which a discovered accessory is removed, seconds; exactly this long stays.
  public static var timeout: Double { 5 }

  /// How often ``removeExpired(at:)`` is to be called, seconds.
  ///
  /// An accessory then disappears between 5.0 s and 5.2 s after its last advertisement.
  public static var checkInterval: Double { 0.2 }

  /// The accessory of the given identifier, or nil when it is not listed.
  public subscript(id: ID) -> Accessory? {
    accessories.first { $0.id == id }
  }

  /// Takes in an advertisement.
  ///
  /// An unknown accessory is appended and announced. Of a known one only ``Accessory/lastHeard``
  /// changes: neither its name nor its status.
  ///
  /// - Parameters:
  ///   - id: identifier of the accessory.
  ///   - name: the name it advertises.
  ///   - time: when it was heard; rounded to whole milliseconds.
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

  /// Removes the accessories that are discovered and were not heard for more than 5000 ms, in order.
  ///
  /// ## Edge cases
  /// `time` is rounded to whole milliseconds; exactly 5000 ms stay. A clock that went back removes
  /// nothing until it has caught up.
  public mutating func removeExpired(at time: Timestamp) -> [Announcement] {
    let now = time.roundedToMilliseconds()
    var announcements: [Announcement] = []
    accessories.removeAll { accessory in
      // Whole milliseconds below 2⁵³ ns apart: the quotient 5 is exact, so the limit is sharp.
      let isExpired =
        accessory.status == .discovered && now.seconds(since: accessory.lastHeard) > Self.timeout
      if isExpired { announcements.append(.disappeared(accessory.id)) }
      return isExpired
    }
    return announcements
  }

  /// Notes that a connection to the accessory was made.
  ///
  /// - Throws: ``AccessoryListError/notListed``; ``AccessoryListError/wrongStatus(_:)`` unless it is
  ///   discovered.
  public mutating func connect(_ id: ID) throws(AccessoryListError) {
    try change(id, from: .discovered, to: .connected)
  }

  /// Notes that the accessory started ranging.
  ///
  /// - Throws: ``AccessoryListError/notListed``; ``AccessoryListError/wrongStatus(_:)`` unless it is
  ///   connected.
  public mutating func startRanging(_ id: ID) throws(AccessoryListError) {
    try change(id, from: .connected, to: .ranging)
  }

  /// Notes that the accessory stopped ranging and is still connected.
  ///
  /// - Throws: ``AccessoryListError/notListed``; ``AccessoryListError/wrongStatus(_:)`` unless it is
  ///   ranging.
  public mutating func stopRanging(_ id: ID) throws(AccessoryListError) {
    try change(id, from: .ranging, to: .connected)
  }

  /// Notes that the connection ended, from whatever status.
  ///
  /// Counts as being heard, so that the next check does not remove the accessory at once.
  ///
  /// - Throws: ``AccessoryListError/notListed``.
  public mutating func disconnect(_ id: ID, at time: Timestamp) throws(AccessoryListError) {
    let position = try position(of: id)
    accessories[position].status = .discovered
    accessories[position].lastHeard = time.roundedToMilliseconds()
  }

  /// Changes the location record of an accessory: `try list.updateLocation(of: id) { $0.update(…) }`.
  ///
  /// - Returns: what `body` returns.
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
  /// The nearest whole millisecond, halves away from zero; saturates at the ends of the range.
  fileprivate func roundedToMilliseconds() -> Timestamp {
    let (quotient, remainder) = nanoseconds.quotientAndRemainder(dividingBy: 1_000_000)
    let milliseconds =
      remainder.magnitude < 500_000 ? quotient : quotient + remainder.signum()
    let (product, overflow) = milliseconds.multipliedReportingOverflow(by: 1_000_000)
    return overflow ? self : Timestamp(nanoseconds: product)
  }
}
