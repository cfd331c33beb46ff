import Fathom

/// A notification of ranges, `RANGE_DATA_NTF` or `SESSION_INFO_NTF`, of FiRa's UWB command interface (UCI).
///
/// All numbers are little-endian. A head of 25 bytes precedes a record of 31 bytes for each peer: address,
/// status, line of sight, distance in cm, directions in degrees with 7 binary places, and the level.
struct UCINotification {
  private let bytes: ArraySlice<UInt8>

  /// Bytes of the head, and of a record.
  static let headCount = 25
  private static let recordCount = 31

  /// Creates the notification with the content `bytes`; nil if they are not one of two-way ranging.
  init?(_ bytes: ArraySlice<UInt8>) {
    self.bytes = bytes
    guard bytes.count >= Self.headCount, self.bytes[bytes.startIndex + 13] == 1,
      self.bytes[bytes.startIndex + 15] <= 1
    else { return nil }
  }

  /// Whether all of its records are there.
  var isComplete: Bool { bytes.count >= Self.headCount + Self.recordCount * count }

  /// Whether it has its records and nothing else.
  var isExact: Bool { bytes.count == Self.headCount + Self.recordCount * count }

  /// Number of records.
  var count: Int { byte(24) }

  /// The clock: the number of the round times the interval of rounds.
  private var clock: LogClock {
    let interval = Int64(number(9, 4))
    guard interval > 0 else { return .none }
    // 32 bits of rounds times 32 bits of milliseconds can exceed 63 bits.
    let (milliseconds, isLong) = Int64(number(0, 4)).multipliedReportingOverflow(by: interval)
    let (time, overflow) = milliseconds.multipliedReportingOverflow(by: 1_000_000)
    return isLong || overflow ? .none : .sinceStart(time)
  }

  /// Appends the ranges to `rows`, and the failed measurements.
  ///
  /// `line` is the physical line, or packet, from 1, `host` the time that the host wrote in front,
  /// and `text` the line, for rejected rows.
  func append(to rows: inout LogRows, line: Int, host: HostTime?, _ text: ArraySlice<UInt8>) {
    guard isComplete else {
      return rows.reject(
        line: line, "the notification has fewer than its \(count) measurements", text)
    }
    if count == 0 { return rows.skip() }
    rows.beginEpoch(clock, host: host)
    for index in 0..<count {
      let record = Self.headCount + index * Self.recordCount
      let isShort = byte(15) == 0
      let place = record + (isShort ? 2 : 8)
      let status = byte(place)
      guard status == 0 else {
        rows.fail(line: line, "status 0x\(Self.hexadecimal(UInt64(status), digits: 2))", text)
        continue
      }
      let distance = number(place + 2, 2)
      guard distance < 0xFFFF else {
        rows.reject(line: line, "the measurement has no distance", text)
        continue
      }
      var range = LogRange()
      let address = Self.hexadecimal(number(record, isShort ? 2 : 8), digits: isShort ? 4 : 16)
      range.anchor = Array("0x\(address)".utf8)[...]
      range.distance = Double(distance) / 100
      range.nonLineOfSight = byte(place + 1) <= 1 ? Double(byte(place + 1)) : .nan
      range.azimuth = angle(place + 4)
      range.elevation = angle(place + 7)
      let level = byte(place + 17)
      if level > 0 { range.rssi = Double(level) / -2 }
      rows.append(range, line: line)
    }
  }

  private func byte(_ offset: Int) -> Int { Int(bytes[bytes.startIndex + offset]) }

  private func number(_ offset: Int, _ count: Int) -> UInt64 {
    (0..<count).reduce(0) { $0 | UInt64(byte(offset + $1)) << (8 * $1) }
  }

  /// Returns the angle at `offset` in radians; NaN if its figure of merit behind it is zero.
  private func angle(_ offset: Int) -> Double {
    if byte(offset + 2) == 0 { return .nan }
    return (Double(Int16(truncatingIfNeeded: number(offset, 2))) / 128).degreesInRadians
  }

  private static func hexadecimal(_ value: UInt64, digits: Int) -> String {
    let text = String(value, radix: 16, uppercase: true)
    return String(repeating: "0", count: max(0, digits - text.count)) + text
  }
}

/// The packets of UCI, of which only notifications of ranges are kept; long ones come in several packets.
struct UCIPackets {
  /// Content of the packets of an incomplete notification.
  private var pending: [UInt8] = []

  /// Bytes of the header of a packet.
  static let headerCount = 4
  /// More than a notification of all peers of a session.
  private static let longest = 1 << 14

  /// Whether `bytes` from `place` on begin a packet of a notification of ranges, of which more packets may
  /// follow: type 3, group 2, operation 0.
  static func isRanges(_ bytes: some RandomAccessCollection<UInt8>, at place: Int) -> Bool {
    let start = bytes.index(bytes.startIndex, offsetBy: place)
    let header = bytes[start...].prefix(3)
    return header.count == 3 && header.elementsEqual([0x62, 0, 0])
      || header.elementsEqual([0x72, 0, 0])
  }

  /// Adds the content of a packet of a notification, the bytes behind the header.
  ///
  /// Returns the content of the notification when no more packets continue it.
  mutating func add(_ content: ArraySlice<UInt8>, continues: Bool) -> [UInt8]? {
    pending += content
    if continues, pending.count <= Self.longest { return nil }
    defer { pending = [] }
    return pending
  }
}
