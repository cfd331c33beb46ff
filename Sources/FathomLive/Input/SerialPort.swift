import FathomRecordings
import Foundation

/// A serial port, set up for raw bytes.
enum SerialPort {
  /// The usual speeds that the system names, in bits per second.
  static let speeds: [Int: speed_t] = {
    var speeds: [Int: speed_t] = [
      1200: speed_t(B1200), 2400: speed_t(B2400), 4800: speed_t(B4800), 9600: speed_t(B9600),
      19200: speed_t(B19200), 38400: speed_t(B38400), 57600: speed_t(B57600),
      115200: speed_t(B115200), 230400: speed_t(B230400),
    ]
    #if os(Linux)
      for (speed, name) in [
        (460_800, B460800), (500_000, B500000), (576_000, B576000), (921_600, B921600),
        (1_000_000, B1000000), (1_152_000, B1152000), (1_500_000, B1500000),
        (2_000_000, B2000000), (2_500_000, B2500000), (3_000_000, B3000000),
        (3_500_000, B3500000), (4_000_000, B4000000),
      ] { speeds[speed] = speed_t(name) }
    #endif
    return speeds
  }()

  /// Opens the port at `path`, and returns its descriptor: eight bits, no parity, one stop bit, no
  /// flow control, nothing translated and nothing echoed.
  ///
  /// `baud` is the speed in bits per second, one of ``speeds``.
  static func open(_ path: String, baud: Int) throws(RecordingError) -> Int32 {
    guard let speed = speeds[baud] else {
      throw .noInput(
        path: path,
        reason: "there is no speed of \(baud) Bd;"
          + " one of \(speeds.keys.sorted().map(String.init).joined(separator: ", "))")
    }
    // Without O_NONBLOCK the call waits for a carrier that such ports do not have.
    let descriptor = Foundation.open(path, O_RDONLY | O_NOCTTY | O_NONBLOCK | O_CLOEXEC)
    guard descriptor >= 0 else {
      throw .noInput(path: path, reason: String(cString: strerror(errno)))
    }
    var settings = termios()
    guard tcgetattr(descriptor, &settings) == 0 else {
      let reason = String(cString: strerror(errno))
      close(descriptor)
      throw .noInput(path: path, reason: "is no serial port: \(reason)")
    }
    cfmakeraw(&settings)
    settings.c_cflag |= tcflag_t(CLOCAL | CREAD | CS8)
    settings.c_cflag &= ~tcflag_t(CSTOPB | PARENB | HUPCL)
    cfsetispeed(&settings, speed)
    cfsetospeed(&settings, speed)
    guard tcsetattr(descriptor, TCSANOW, &settings) == 0 else {
      let reason = String(cString: strerror(errno))
      close(descriptor)
      throw .noInput(path: path, reason: "cannot be set up: \(reason)")
    }
    return descriptor
  }
}
