import FathomRecordings
import Foundation
import Testing

@testable import FathomLive

#if os(Linux)
  @Suite struct SerialPortTests {
    /// A pseudo-terminal: a serial port with this test at its other end.
    private func withTerminal(_ body: (_ master: Int32, _ path: String) throws -> Void) throws {
      let master = open("/dev/ptmx", O_RDWR | O_NOCTTY)
      try #require(master >= 0)
      defer { close(master) }
      // TIOCSPTLCK unlocks the other end, TIOCGPTN returns its number.
      var (lock, number): (Int32, Int32) = (0, 0)
      try #require(ioctl(master, 0x4004_5431, &lock) == 0)
      try #require(ioctl(master, 0x8004_5430, &number) == 0)
      let path = "/dev/pts/\(number)"
      try body(master, path)
    }

    /// Carriage returns, the characters of flow control and that of an interrupt pass; nothing is echoed.
    @Test func bytesPassUnchanged() throws {
      try withTerminal { master, path in
        let port = try SerialPort.open(path, baud: 115_200)
        defer { close(port) }
        let bytes: [UInt8] = [0x61, 0x0D, 0x0A, 0x11, 0x13, 0x03, 0x04, 0xFF, 0x00, 0x0A]
        #expect(write(master, bytes, bytes.count) == bytes.count)
        var found: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 100)
        let limit = ContinuousClock.now + .seconds(10)
        while found.count < bytes.count, ContinuousClock.now < limit {
          let count = read(port, &buffer, buffer.count)
          if count > 0 { found += buffer[..<count] } else { usleep(1000) }
        }
        #expect(found == bytes)
        var waiting = pollfd(fd: master, events: Int16(POLLIN), revents: 0)
        #expect(poll(&waiting, 1, 50) == 0, "an echo")
      }
    }

    @Test(arguments: [9600, 115_200, 230_400])
    func theSpeedIsSet(_ baud: Int) throws {
      try withTerminal { _, path in
        let port = try SerialPort.open(path, baud: baud)
        defer { close(port) }
        var settings = termios()
        #expect(tcgetattr(port, &settings) == 0)
        #expect(cfgetispeed(&settings) == SerialPort.speeds[baud])
        #expect(cfgetospeed(&settings) == SerialPort.speeds[baud])
      }
    }

    @Test func anUnknownSpeedIsAnErrorThatNamesTheOthers() throws {
      try withTerminal { _, path in
        let error = #expect(throws: RecordingError.self) {
          _ = try SerialPort.open(path, baud: 115_201)
        }
        #expect("\(error, default: "")".contains("no speed of 115201 Bd; one of 1200, 2400, 4800"))
      }
    }
  }
#endif
