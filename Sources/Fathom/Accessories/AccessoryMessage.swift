/// The message type in the first byte of a message between a phone and an accessory
/// [Qorvo guide].
///
/// Use it to decode logs of bytes: `AccessoryMessage(rawValue: 0x02)`, nil for an undefined code.
public enum AccessoryMessage: UInt8, Sendable, Hashable, CaseIterable {
  /// The accessory's configuration data.
  case configurationData = 0x01
  /// The accessory started ranging.
  case rangingDidStart = 0x02
  /// The accessory stopped ranging.
  case rangingDidStop = 0x03
  /// Requests the accessory to initialise and send its configuration data.
  case initialize = 0x0A
  /// Requests the accessory to apply the phone's configuration and start ranging.
  case configureAndStart = 0x0B
  /// Requests the accessory to stop ranging.
  case stop = 0x0C
  /// Reserved.
  case reserved20 = 0x20
  /// Reserved.
  case reserved21 = 0x21
  /// A notification.
  case notify = 0x2F

  /// The device that sends a message.
  public enum Sender: Sendable, Hashable {
    /// The accessory.
    case accessory
    /// The phone.
    case phone
  }

  /// The sender; nil for reserved codes and notifications, for which the source names none.
  public var sender: Sender? {
    switch self {
    case .configurationData, .rangingDidStart, .rangingDidStop: .accessory
    case .initialize, .configureAndStart, .stop: .phone
    case .reserved20, .reserved21, .notify: nil
    }
  }

  /// The event of the ranging session that the message signals; nil if it signals none.
  public var event: SessionEvent? {
    switch self {
    case .rangingDidStart: .started
    case .rangingDidStop: .stopped
    case .configurationData, .initialize, .configureAndStart, .stop, .reserved20, .reserved21,
      .notify:
      nil
    }
  }
}
