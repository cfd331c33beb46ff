import Foundation

/// A line on the terminal that tells how far a batch has come; nothing where there is no terminal.
final class ProgressBar: @unchecked Sendable {
  private let total: Int
  private let start = ContinuousClock.now
  private let lock = NSLock()
  private var done = 0
  private var rows = 0

  /// A bar for `total` recordings, or nil where nobody would see it.
  init?(total: Int) {
    guard Console.isInteractive, total > 1 else { return nil }
    self.total = total
  }

  /// Counts a recording of `rows` rows as done.
  func advance(rows: Int) {
    lock.withLock {
      done += 1
      self.rows += rows
      let elapsed = start.duration(to: .now) / .seconds(1)
      let left = elapsed / Double(done) * Double(total - done)
      let filled = 20 * done / total
      let bar = String(repeating: "#", count: filled) + String(repeating: ".", count: 20 - filled)
      let rate = Double(self.rows) / max(elapsed, 1e-9)
      Console.write(
        "\r[\(bar)] \(done)/\(total), \(Int(rate)) rows/s, \(Int(left.rounded(.up))) s left  ",
        to: .standardError)
    }
  }

  /// Takes the line away.
  func clear() {
    Console.write("\r\(String(repeating: " ", count: 70))\r", to: .standardError)
  }
}
