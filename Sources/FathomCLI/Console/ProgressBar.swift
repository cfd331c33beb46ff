import Foundation
import FathomRecordings

/// A line on the terminal that tells how far a batch has come; nothing where there is no terminal.
final class ProgressBar: @unchecked Sendable {
  private let start = ContinuousClock.now
  private let lock = NSLock()
  private var line: ProgressLine
  /// When the line was last drawn, seconds since the start.
  private var drawn = -Double.infinity

  /// A bar for `total` pieces of work with so many `bytes` of input (nil where bytes say nothing), or nil
  /// where nobody would see it.
  init?(total: Int, bytes: Int? = nil) {
    guard Console.isInteractive, total > 1 || bytes != nil else { return nil }
    line = ProgressLine(total: total, bytes: bytes)
  }

  /// Counts a piece of work of `rows` rows as done.
  func advance(rows: Int) {
    var progress = BatchProgress()
    progress.recordings = 1
    progress.rows = rows
    advance(by: progress)
  }

  /// Counts what was done since.
  func advance(by progress: BatchProgress) {
    lock.withLock {
      line.advance(by: progress)
      let elapsed = start.duration(to: .now) / .seconds(1)
      // More often than that nobody can read it, and a terminal far away is slow.
      guard elapsed - drawn > 0.1 else { return }
      drawn = elapsed
      Console.write("\r\(line.text(after: elapsed))\u{1B}[K", to: .standardError)
    }
  }

  /// Takes the line away.
  func clear() {
    lock.withLock { Console.write("\r\u{1B}[K", to: .standardError) }
  }
}

/// What a ``ProgressBar`` says.
struct ProgressLine: Sendable {
  private let total: Int
  private let totalBytes: Int?
  private var done = BatchProgress()

  /// The line before any of `total` pieces of work with so many `bytes` of input is done.
  init(total: Int, bytes: Int?) {
    self.total = total
    totalBytes = bytes
  }

  /// Counts what was done since.
  mutating func advance(by progress: BatchProgress) {
    done.recordings += progress.recordings
    done.bytes += progress.bytes
    done.skippedBytes += progress.skippedBytes
    done.rows += progress.rows
  }

  /// The line `elapsed` seconds after the start.
  ///
  /// The share of the work that is done is that of the bytes, if there are any; those that needed no work
  /// are left out, since they would promise too much.
  func text(after elapsed: Double) -> String {
    var share = Double(done.recordings) / Double(max(total, 1))
    var parts = ["\(done.recordings)/\(total)"]
    if let totalBytes, totalBytes > 0 {
      let work = max(totalBytes - done.skippedBytes, done.bytes)
      share = work == 0 ? share : Double(done.bytes) / Double(work)
      parts.append("\(Self.megabytes(done.bytes)) of \(Self.megabytes(work)) MB")
    }
    parts.append("\(Int(Double(done.rows) / max(elapsed, 1e-9))) rows/s")
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

  /// `seconds` as people say it, rounded up.
  private static func duration(_ seconds: Double) -> String {
    let whole = Int(min(seconds, 1e9).rounded(.up))
    if whole < 120 { return "\(whole) s" }
    let minutes = (whole + 59) / 60
    return minutes < 120 ? "\(minutes) min" : "\(minutes / 60) h \(minutes % 60) min"
  }
}
