import Foundation
import FathomRecordings

/// A progress line on standard error, if that is a terminal.
final class ProgressBar: @unchecked Sendable {
  private let start = ContinuousClock.now
  private let lock = NSLock()
  private var line: ProgressLine
  /// The time of the last drawing, in seconds since the start.
  private var drawn = -Double.infinity

  /// Creates a bar for `total` work items with `bytes` of input; nil for work that bytes do not
  /// measure.
  ///
  /// Returns nil if standard error is not a terminal, and for a single item without bytes.
  init?(total: Int, bytes: Int? = nil) {
    guard Console.isInteractive, total > 1 || bytes != nil else { return nil }
    line = ProgressLine(total: total, bytes: bytes)
  }

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
      let elapsed = start.duration(to: .now) / .seconds(1)
      // Faster updates are unreadable, and slow on a remote terminal.
      guard elapsed - drawn > 0.1 else { return }
      drawn = elapsed
      Console.write("\r\(line.text(after: elapsed))\u{1B}[K", to: .standardError)
    }
  }

  /// Erases the line.
  func clear() {
    lock.withLock { Console.write("\r\u{1B}[K", to: .standardError) }
  }
}

/// The text of a ``ProgressBar``.
struct ProgressLine: Sendable {
  private let total: Int
  private let totalBytes: Int?
  private var done = BatchProgress()

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
  /// too low.
  func text(after elapsed: Double) -> String {
    var share = Double(done.recordings) / Double(max(total, 1))
    var parts = ["\(done.recordings)/\(total)"]
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
