import FathomRecordings
import TestSupport
import Testing

@testable import FathomLive

@Suite struct LiveSourceTests {
  @Test func addressesAndPaths() throws {
    #expect(try LiveSource("-", speed: nil) == .standardInput)
    #expect(try LiveSource("udp://:4810", speed: nil) == .udp(host: "", port: 4810))
    #expect(try LiveSource("TCP://[::1]:80/", speed: nil) == .tcp(host: "::1", port: 80))
    #expect(try LiveSource("/dev/null", speed: nil) == .serialPort(path: "/dev/null"))
    try withTemporaryFolder { folder in
      #expect(try LiveSource(folder, speed: nil) == .replay(path: folder, speed: 1))
      let file = folder + "/a.csv"
      try "x".write(toFile: file, atomically: true, encoding: .utf8)
      #expect(try LiveSource(file, speed: nil) == .file(path: file))
      #expect(try LiveSource(file, speed: 4) == .replay(path: file, speed: 4))
    }
    for text in ["udp://host", "udp://:0", "udp://:70000", "tcp://:80", "/no/such/file", "x.gz"] {
      #expect(throws: RecordingError.self, "\(text)") { try LiveSource(text, speed: nil) }
    }
  }

  @Test func aDeviceThatIsNoSerialPortIsAnError() {
    #expect(throws: RecordingError.self) { try SerialPort.open("/dev/null", baud: 9600) }
    #expect(throws: RecordingError.self) { try SerialPort.open("/dev/null", baud: 123) }
  }
}
