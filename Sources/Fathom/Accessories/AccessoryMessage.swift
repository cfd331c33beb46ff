/// The first byte of a message between a phone and an accessory, which says what it is
/// [Qorvo guide].
///
/// For logs that show bytes: `AccessoryMessage(rawValue: 0x02)`, nil for a code that means nothing.
public enum AccessoryMessage: UInt8, Sendable, Hashable, CaseIterable {
  /// The accessory's configuration data.
  case configurationData = 0x01
  /// The accessory started ranging.
  case rangingDidStart = 0x02
  /// The accessory stopped ranging.
  case rangingDidStop = 0x03
  /// The accessory shall initialise and send its configuration data.
  case initialize = 0x0A
  /// The accessory shall take the phone's configuration and start ranging.
  case configureAndStart = 0x0B
  /// The accessory shall stop ranging.
  case stop = 0x0C
  /// Reserved.
  case reserved20 = 0x20
  /// Reserved.
  case reserved21 = 0x21
  /// A notification.
  case notify = 0x2F

  /// Who sends such a message.
  public enum Sender: Sendable, Hashable {
    /// The accessory.
    case accessory
    /// The phone.
    case phone
  }

  /// Who sends it; nil for reserved codes and notifications, of which the source does not say.
  public var sender: Sender? {
    switch self {
    case .configurationData, .rangingDidStart, .rangingDidStop: .accessory
    case .initialize, .configureAndStart, .stop: .phone
    case .reserved20, .reserved21, .notify: nil
    }
  }

  /// What the message means for the ranging session; nil for those that change nothing yet.
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
