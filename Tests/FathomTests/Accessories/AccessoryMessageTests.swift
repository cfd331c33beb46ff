import Testing

@testable import Fathom

@Suite struct AccessoryMessageTests {
  @Test(
    arguments: [
      (0x01, AccessoryMessage.configurationData, AccessoryMessage.Sender.accessory, nil),
      (0x02, .rangingDidStart, .accessory, .started), (0x03, .rangingDidStop, .accessory, .stopped),
      (0x0A, .initialize, .phone, nil), (0x0B, .configureAndStart, .phone, nil),
      (0x0C, .stop, .phone, nil), (0x20, .reserved20, nil, nil), (0x21, .reserved21, nil, nil),
      (0x2F, .notify, nil, nil),
    ] as [(UInt8, AccessoryMessage, AccessoryMessage.Sender?, SessionEvent?)])
  func decodesDefinedCodes(
    _ code: UInt8, _ message: AccessoryMessage, _ sender: AccessoryMessage.Sender?,
    _ event: SessionEvent?
  ) {
    #expect(AccessoryMessage(rawValue: code) == message)
    #expect(message.sender == sender)
    #expect(message.event == event)
  }

  @Test func rejectsUndefinedCodes() {
    let known = (UInt8.min...UInt8.max).compactMap(AccessoryMessage.init(rawValue:))
    #expect(known == AccessoryMessage.allCases)
    #expect(known.count == 9)
  }
}
