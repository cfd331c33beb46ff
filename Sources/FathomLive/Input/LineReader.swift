import FathomRecordings
import Foundation

/// Reads the lines of a source on a thread of its own, and connects again when it fails.
package final class LineReader: Sendable {
  private let source: LiveSource
  private let baud: Int
  private let queue: LineQueue

  /// The longest wait for input before a stop is noticed, in milliseconds.
  private static let pollTimeout: Int32 = 200
  /// Bytes read at a time.
  private static let blockSize = 1 << 16

  /// Creates a reader of `source`, which is not a replay, into `queue`.
  package init(_ source: LiveSource, baud: Int, into queue: LineQueue) {
    self.source = source
    self.baud = baud
    self.queue = queue
  }

  /// Opens the source and starts reading.
  ///
  /// - Throws: ``RecordingError/noInput(path:reason:)`` if a file, a port or a socket of this machine
  ///   cannot be opened; a peer on the network is waited for instead.
  package func start() throws(RecordingError) {
    var descriptor: Int32?
    switch source {
    case .standardInput: descriptor = STDIN_FILENO
    case .file(let path): descriptor = try Self.open(path)
    case .serialPort(let path): descriptor = try SerialPort.open(path, baud: baud)
    case .udp(let host, let port): descriptor = try Sockets.receive(host: host, port: port)
    case .pipe, .tcp, .replay: break
    }
    let thread = Thread { [self, descriptor] in
      run(descriptor)
      queue.end()
    }
    thread.name = "input"
    thread.stackSize = 1 << 20
    thread.start()
  }

  private static func open(_ path: String) throws(RecordingError) -> Int32 {
    let descriptor = Foundation.open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else {
      throw .noInput(path: path, reason: String(cString: strerror(errno)))
    }
    return descriptor
  }

  private func run(_ descriptor: Int32?) {
    switch source {
    case .standardInput: readToEnd(descriptor ?? STDIN_FILENO)
    case .pipe(let path):
      do throws(RecordingError) {
        readToEnd(try Self.open(path))
      } catch {
        queue.push(.message(error.reason))
      }
    case .file(let path): follow(path, descriptor)
    case .serialPort(let path):
      keepReading(descriptor) { [baud] () throws(RecordingError) in
        try SerialPort.open(path, baud: baud)
      }
    case .tcp(let host, let port):
      keepReading(descriptor) { () throws(RecordingError) in
        try Sockets.connect(host: host, port: port)
      }
    case .udp: receive(descriptor ?? -1)
    case .replay: break
    }
  }

  /// Reads a stream that ends.
  private func readToEnd(_ descriptor: Int32) {
    var assembler = LineAssembler()
    _ = read(descriptor, &assembler)
    queue.push(.lines(assembler.finish()))
  }

  /// Reads a stream that may fail, and opens it again when it does.
  private func keepReading(_ first: Int32?, open: () throws(RecordingError) -> Int32) {
    var descriptor = first
    var pause = 0.1
    var isReported = false
    while !queue.isStopped {
      do throws(RecordingError) {
        let opened: Int32
        if let first = descriptor { opened = first } else { opened = try open() }
        descriptor = nil
        if isReported { queue.push(.message("connected")) }
        isReported = false
        var assembler = LineAssembler()
        let hasRead = read(opened, &assembler)
        close(opened)
        if hasRead { pause = 0.1 }
        queue.push(.cut(losesLine: assembler.cut()))
        if queue.isStopped { return }
        queue.push(.message("the connection ended; connecting again"))
        isReported = true
      } catch {
        if !isReported { queue.push(.message("\(error.reason); trying again")) }
        isReported = true
      }
      sleep(pause)
      // A second at most: a device that comes back is read soon.
      pause = min(2 * pause, 1)
    }
  }

  /// Reads until the stream ends or fails, or a stop; returns whether there were bytes.
  private func read(_ descriptor: Int32, _ assembler: inout LineAssembler) -> Bool {
    var hasRead = false
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: Self.blockSize, alignment: 8)
    defer { buffer.deallocate() }
    while !queue.isStopped {
      var waiting = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
      let ready = poll(&waiting, 1, Self.pollTimeout)
      if ready == 0 || (ready < 0 && errno == EINTR) { continue }
      if ready < 0 { return hasRead }
      let count = Foundation.read(descriptor, buffer.baseAddress, buffer.count)
      if count < 0, errno == EINTR || errno == EAGAIN { continue }
      if count <= 0 { return hasRead }
      hasRead = true
      queue.push(.lines(assembler.add(UnsafeRawBufferPointer(rebasing: buffer[..<count]))))
    }
    return hasRead
  }

  /// Reads a file, and what is appended to it later.
  private func follow(_ path: String, _ first: Int32?) {
    guard var descriptor = first else { return }
    defer { close(descriptor) }
    var assembler = LineAssembler()
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: Self.blockSize, alignment: 8)
    defer { buffer.deallocate() }
    var offset: off_t = 0
    var silence = 0.0
    var checked = ContinuousClock.now
    while !queue.isStopped {
      let count = Foundation.read(descriptor, buffer.baseAddress, buffer.count)
      if count > 0 {
        offset += off_t(count)
        silence = 0
        queue.push(.lines(assembler.add(UnsafeRawBufferPointer(rebasing: buffer[..<count]))))
        continue
      }
      // A file that grows is asked every 2 ms, an idle one every 50 ms.
      let pause = silence < 2 ? 0.002 : 0.05
      silence += pause
      sleep(pause)
      guard ContinuousClock.now - checked > .milliseconds(200) else { continue }
      checked = .now
      var (own, named) = (stat(), stat())
      guard fstat(descriptor, &own) == 0 else { continue }
      let isReplaced =
        stat(path, &named) == 0 && (named.st_ino != own.st_ino || named.st_dev != own.st_dev)
      guard isReplaced || own.st_size < offset else { continue }
      if isReplaced {
        guard let next = try? Self.open(path) else { continue }
        close(descriptor)
        descriptor = next
      } else {
        lseek(descriptor, 0, SEEK_SET)
      }
      offset = 0
      queue.push(.cut(losesLine: assembler.cut()))
      let change = isReplaced ? "replaced" : "cut"
      queue.push(.message("the file was \(change); reading it from its beginning"))
    }
  }

  /// Receives datagrams, each of which has whole lines or a part of binary frames.
  private func receive(_ descriptor: Int32) {
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: Self.blockSize, alignment: 8)
    defer {
      buffer.deallocate()
      close(descriptor)
    }
    var joiner = DatagramJoiner()
    while !queue.isStopped {
      var waiting = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
      if poll(&waiting, 1, Self.pollTimeout) <= 0 { continue }
      var lines: [UInt8] = []
      while lines.count < Self.blockSize {
        let count = recv(descriptor, buffer.baseAddress, buffer.count, Int32(MSG_DONTWAIT))
        if count < 0 { break }
        joiner.append(UnsafeRawBufferPointer(rebasing: buffer[..<count]), to: &lines)
      }
      queue.push(.lines(lines))
    }
  }

  /// Waits, but not longer than until a stop.
  private func sleep(_ seconds: Double) {
    let end = ContinuousClock.now + .seconds(seconds)
    while !queue.isStopped, ContinuousClock.now < end {
      Thread.sleep(forTimeInterval: min(seconds, 0.05))
    }
  }
}

extension RecordingError {
  /// The reason alone: messages of a stream begin with the name of its source.
  fileprivate var reason: String {
    switch self {
    case .noInput(_, let reason), .badData(_, _, let reason), .cannotWrite(_, let reason),
      .writingFailed(_, let reason):
      reason
    }
  }
}
