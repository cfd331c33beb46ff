import Fathom
import FathomRecordings
import Foundation

/// Runs a live stream: takes lines from its source, and passes results on as soon as they are known.
package final class LiveStream: @unchecked Sendable {
  /// Receives the text of results; returns false if nobody reads it any more.
  package typealias Output = (LiveText) -> Bool
  /// Receives a message for the user.
  package typealias Messages = (String) -> Void

  private let source: LiveSource
  private var pipeline: LivePipeline
  private let queue: LineQueue
  private var replay: LiveReplay?
  private let page: LivePage?
  private let output: Output
  private let message: Messages
  private let isFinished = DispatchSemaphore(value: 0)
  private var isOutputGone = false
  private var hasHeaders = false
  private var rejections = RejectionWatch()
  /// The counts of the whole stream; nil before its end.
  package private(set) var summary: LiveSummary?
  private let start = ContinuousClock.now

  /// Time without input after which an instant with fewer ranges than usual is complete, in seconds:
  /// longer than a line takes at 115 200 Bd, shorter than the interval of common devices.
  private static let quiet = 0.02
  /// Time without input after which fewer lines decide the format, in seconds.
  private static let pause = 1.0
  /// The longest wait, in seconds.
  private static let idleTimeout = 0.5

  /// Creates a stream; throws if `source` cannot be opened.
  ///
  /// `baud` is the speed of a serial port in bits per second. `replay` is nil unless a recording is
  /// replayed. `output` receives the text of results, `message` receives messages.
  package init(
    _ source: LiveSource, baud: Int, replay: LiveReplay?, through pipeline: LivePipeline,
    page: LivePage?, output: @escaping Output, message: @escaping Messages
  ) throws(RecordingError) {
    self.source = source
    self.replay = replay
    self.pipeline = pipeline
    self.page = page
    self.output = output
    self.message = message
    queue = LineQueue(dropsOldest: source.isUnstoppable)
    if replay == nil { try LineReader(source, baud: baud, into: queue).start() }
  }

  /// Runs the stream to its end, or until ``stop()``.
  ///
  /// - Throws: ``RecordingError`` if the stream has no distances, or a recording cannot be read.
  package func run() throws(RecordingError) {
    defer { isFinished.signal() }
    page?.begin(pipeline)
    if replay != nil { try runReplay() } else { try runLines() }
    emit(pipeline.finish())
    page?.end(&pipeline)
    summary = pipeline.counted
    summary?.dropped = queue.dropped
    for line in pipeline.summary { message(line) }
    if queue.dropped > 0 {
      message("warning: \(queue.dropped) lines dropped: they came faster than they were processed")
    }
  }

  /// Ends the stream, and waits up to `seconds` for the last results and the summary; call on
  /// another thread.
  package func stop(within seconds: Double) {
    queue.close()
    _ = isFinished.wait(timeout: .now() + seconds)
  }

  private func runLines() throws(RecordingError) {
    var silence = 0.0
    while !isOutputGone {
      let timeout = pipeline.isOpen ? Self.quiet : Self.idleTimeout
      switch queue.pop(timeout: timeout) {
      case .item(let item, let isDrained):
        silence = 0
        switch item {
        case .lines(let bytes): try process(bytes)
        case .cut(let losesLine): pipeline.cut(losesLine: losesLine)
        case .message(let text):
          message(text)
          page?.note(text)
        }
        if isDrained, pipeline.isOpen { emit(pipeline.settle(isQuiet: false)) }
        watchRejections()
      case .timeout:
        silence += timeout
        if pipeline.isOpen { emit(pipeline.settle(isQuiet: true)) }
        if pipeline.isWaiting, silence >= Self.pause {
          try process([], isPause: true)
        }
        watchRejections()
        page?.tick(&pipeline)
      case .end:
        if !queue.isStopped { try process([], isLast: true) }
        return
      }
    }
    queue.close()
  }

  /// Processes bytes of the source, and all rows in them whatever their layout.
  private func process(
    _ bytes: [UInt8], isLast: Bool = false, isPause: Bool = false
  ) throws(RecordingError) {
    pipeline.arrivalTime = (ContinuousClock.now - start) / .seconds(1)
    page?.read(bytes)
    var results = try pipeline.process(bytes, isLast: isLast, isPause: isPause)
    while true {
      rejections.add(used: results.usedCount, rejected: results.rejections, at: .now)
      emit(results)
      guard pipeline.hasMore else { return }
      results = try pipeline.process([], isLast: isLast, isPause: isPause)
    }
  }

  /// Tells that all lines are rejected, once they have been for some time.
  private func watchRejections() {
    rejections.add(used: 0, rejected: [pipeline.unrecognised].compactMap { $0 }, at: .now)
    if let text = rejections.message(at: .now) { message(text) }
  }

  /// Replays a recording in steps of its instants.
  private func runReplay() throws(RecordingError) {
    guard var replay, case .replay(_, let speed) = source else { return }
    self.replay = nil
    replay.prepare(&pipeline)
    guard let first = try replay.nextTime() else { return }
    let start = ContinuousClock.now
    while !isOutputGone, !queue.isStopped, let next = try replay.nextTime() {
      var limit: Timestamp?
      if speed.isFinite {
        let due = start + .seconds(next.seconds(since: first) / speed)
        wait(until: due)
        if queue.isStopped { return }
        // All that is due by now, and at least the next instant.
        let passed = (ContinuousClock.now - start) / .seconds(1) * speed
        let now = first.advanced(bySeconds: passed)
        limit = Timestamp(nanoseconds: max(now, next).nanoseconds &+ 1)
      }
      guard let batch = try replay.next(before: limit) else { return }
      emit(pipeline.process(batch))
      if speed.isFinite { emit(pipeline.settle(isQuiet: true)) }
    }
  }

  private func wait(until due: ContinuousClock.Instant) {
    while !queue.isStopped {
      let left = (due - .now) / .seconds(1)
      if left <= 0 { return }
      Thread.sleep(forTimeInterval: min(left, 0.1))
      page?.tick(&pipeline)
    }
  }

  /// Passes results on.
  private func emit(_ results: LiveResults) {
    for text in results.messages { message(text) }
    var text = results.text
    if !hasHeaders, results.rangeCount > 0 || !text.positions.isEmpty {
      hasHeaders = true
      let headers = pipeline.headers
      text.positions = headers.positions + text.positions
      text.distances = headers.distances + text.distances
      text.events = headers.events + text.events
    }
    if !text.isEmpty, !output(text) { isOutputGone = true }
    page?.publish(results, &pipeline)
  }
}
