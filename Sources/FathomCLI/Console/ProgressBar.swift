import FathomRecordings
import Foundation

/// A progress line on standard error, if that is a terminal.
///
/// It appears after a second, so that short runs print nothing, and then shows the time even while no work item
/// is completed.
final class ProgressBar: @unchecked Sendable {
  private let start = ContinuousClock.now
  private let lock = NSLock()
  private var line: ProgressLine
  /// The time of the last drawing, in seconds since the start.
  private var drawn = -Double.infinity
  private var isVisible = false
  private let timer: any DispatchSourceTimer

  /// Time before the line appears, in seconds: runs of two seconds and more have it.
  private static let delay = 1.0
  /// Time between two drawings without progress, in seconds.
  private static let interval = 0.5

  /// Creates a bar for `total` work items with `bytes` of input; nil for work that bytes do not
  /// measure.
  ///
  /// Returns nil if standard error is not a terminal.
  init?(total: Int, bytes: Int? = nil) {
    guard Console.isInteractive else { return nil }
    line = ProgressLine(total: total, bytes: bytes)
    timer = DispatchSource.makeTimerSource(queue: .global(qos: .utility))
    timer.schedule(deadline: .now() + Self.delay, repeating: Self.interval)
    timer.setEventHandler { [weak self] in self?.tick() }
    timer.activate()
  }

  deinit { timer.cancel() }

  /// Counts a work item of `rows` rows as done.
  func advance(rows: Int) {
    var progress = BatchProgress()
    progress.recordings = 1
    progress.rows = rows
    advance(by: progress)
  }

  /// Adds the work done since the last call and redraws the line, at most every 0.1 s.
  func advance(by progress: BatchProgress) {
    lock.withLock {
      line.advance(by: progress)
      // Faster updates are unreadable, and slow on a remote terminal.
      draw(after: 0.1)
    }
  }

  /// Sets the share of the current work that is done, from 0 to 1, and redraws the line.
  func advance(to share: Double) {
    lock.withLock {
      line.share = share
      draw(after: 0.1)
    }
  }

  private func tick() {
    lock.withLock { if !timer.isCancelled { draw(after: Self.interval) } }
  }

  /// Draws the line if the last drawing is `pause` seconds ago; call with the lock.
  private func draw(after pause: Double) {
    let elapsed = start.duration(to: .now) / .seconds(1)
    guard elapsed >= Self.delay, elapsed - drawn > pause else { return }
    drawn = elapsed
    isVisible = true
    Console.write("\r\(line.text(after: elapsed))\u{1B}[K", to: .standardError)
  }

  /// Erases the line, for a message; it appears again with the next progress.
  func clear() { lock.withLock { erase() } }

  /// Erases the line for good.
  func end() {
    lock.withLock {
      timer.cancel()
      erase()
    }
  }

  private func erase() {
    guard isVisible else { return }
    isVisible = false
    Console.write("\r\u{1B}[K", to: .standardError)
  }
}

/// Runs `work` with a progress line that it moves by the share of the work that is done.
func showingProgress<Result, Failure: Error>(
  _ work: ((Double) -> Void) throws(Failure) -> Result
) throws(Failure) -> Result {
  let bar = ProgressBar(total: 1)
  defer { bar?.end() }
  return try work { bar?.advance(to: $0) }
}

/// The text of a ``ProgressBar``.
struct ProgressLine: Sendable {
  private let total: Int
  private let totalBytes: Int?
  private var done = BatchProgress()
  /// The share of the work that is done, for work without items; nil if the items give it.
  var share: Double?

  /// Creates the line for `total` work items with `bytes` of input, none of them done.
  init(total: Int, bytes: Int?) {
    self.total = total
    totalBytes = bytes
  }

  /// Adds the work done since the last call.
  mutating func advance(by progress: BatchProgress) {
    done.recordings += progress.recordings
    done.bytes += progress.bytes
    done.skippedBytes += progress.skippedBytes
    done.rows += progress.rows
  }

  /// Returns the line `elapsed` seconds after the start.
  ///
  /// The completed share is that of the bytes if they are known, otherwise that of the items.
  /// Skipped bytes are left out: they take no time, and the estimate of the remaining time would be
  /// too low. While the share is unknown, the time so far takes the place of the time left.
  func text(after elapsed: Double) -> String {
    var share = self.share ?? Double(done.recordings) / Double(max(total, 1))
    // A single item without bytes has no count worth showing.
    var parts = total > 1 || totalBytes != nil ? ["\(done.recordings)/\(total)"] : []
    if let totalBytes, totalBytes > 0 {
      let work = max(totalBytes - done.skippedBytes, done.bytes)
      share = work == 0 ? share : Double(done.bytes) / Double(work)
      parts.append("\(Self.megabytes(done.bytes)) of \(Self.megabytes(work)) MB")
    }
    // Rows are counted when their recording ends; before, their rate is unknown, not zero.
    let rate = Int(min(Double(done.rows) / max(elapsed, 1e-9), 1e15))
    if rate > 0 { parts.append("\(rate) rows/s") }
    if share > 0 {
      parts.append(Self.duration(elapsed / share * (1 - min(share, 1))) + " left")
    } else if elapsed >= 2 {
      parts.append(Self.duration(elapsed) + " so far")
    }
    let filled = Int(20 * min(share, 1))
    let bar = String(repeating: "#", count: filled) + String(repeating: ".", count: 20 - filled)
    return "[\(bar)] \(parts.joined(separator: ", "))"
  }

  private static func megabytes(_ bytes: Int) -> String {
    (Double(bytes) / 1e6).text(decimals: bytes < 100_000_000 ? 1 : 0)
  }

  /// Formats `seconds`, rounded up, in seconds, minutes, or hours and minutes.
  private static func duration(_ seconds: Double) -> String {
    let whole = Int(min(seconds, 1e9).rounded(.up))
    if whole < 120 { return "\(whole) s" }
    let minutes = (whole + 59) / 60
    return minutes < 120 ? "\(minutes) min" : "\(minutes / 60) h \(minutes % 60) min"
  }
}
