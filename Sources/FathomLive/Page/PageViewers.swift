import FathomRecordings
import Foundation

/// The browsers that watch a page, each with the few frames that it has not read yet.
final class PageViewers: Sendable {
  private struct State {
    var streams: [Int: AsyncStream<String>.Continuation] = [:]
    var next = 0
    var site = ""
    var state = ""
    var news: [String] = []
    var isEnded = false
    /// Connections that have not sent all events of their browser.
    var sending = 0
  }

  private let state = Locked(State())

  /// Browsers at a time; more are refused.
  static let most = 64
  /// Frames that wait for a slow browser; older ones are dropped.
  private static let waiting = 8
  /// News that a browser gets that joins later.
  private static let keptNews = 50

  /// Whether nobody watches.
  var isEmpty: Bool { state.withLock { $0.streams.isEmpty } }

  /// Sets what seldom changes: anchors, zones and the floor plan.
  func set(site: String) {
    state.withLock {
      if $0.site == site { return }
      $0.site = site
      for stream in $0.streams.values { stream.yield(Self.event("site", site)) }
    }
  }

  /// Keeps what browsers that join later get first.
  func keep(state text: String) { state.withLock { $0.state = text } }

  /// Keeps the news for browsers that join later.
  func keep(news: [String]) {
    state.withLock { $0.news = ($0.news + news).suffix(Self.keptNews) }
  }

  /// Sends a frame to all browsers.
  func send(_ frame: String) {
    let text = Self.event("frame", frame)
    state.withLock { for stream in $0.streams.values { stream.yield(text) } }
  }

  /// Ends the events of all browsers, and of those that join later once they have what is kept.
  ///
  /// - Parameter seconds: how long to wait until the browsers have all events.
  func end(within seconds: Double) {
    // Outside of the lock: the end of a stream is noted below it.
    let streams = state.withLock {
      $0.isEnded = true
      return Array($0.streams.values)
    }
    for stream in streams { stream.finish() }
    let limit = ContinuousClock.now + .seconds(seconds)
    while ContinuousClock.now < limit, state.withLock({ $0.sending > 0 }) {
      Thread.sleep(forTimeInterval: 0.01)
    }
  }

  /// Notes that a connection has sent all events of its browser, or has failed.
  func finishSending() { state.withLock { $0.sending -= 1 } }

  /// Adds a browser, whose connection calls ``finishSending()`` at its end; returns nil if there are too many.
  func add() -> AsyncStream<String>? {
    let (stream, continuation) = AsyncStream.makeStream(
      of: String.self, bufferingPolicy: .bufferingNewest(Self.waiting))
    let number: Int? = state.withLock {
      guard $0.streams.count < Self.most else { return nil }
      $0.next += 1
      // A browser connects again two seconds after a failure.
      continuation.yield("retry: 2000\n\n")
      if !$0.site.isEmpty { continuation.yield(Self.event("site", $0.site)) }
      if !$0.state.isEmpty { continuation.yield(Self.event("state", $0.state)) }
      let news = $0.news.map(JSONText.string).joined(separator: ",")
      continuation.yield(Self.event("frame", "{\"tags\":[],\"news\":[\(news)],\"old\":1}"))
      $0.sending += 1
      $0.streams[$0.next] = continuation
      return $0.next
    }
    guard let number else { return nil }
    let state = state
    continuation.onTermination = { _ in state.withLock { $0.streams[number] = nil } }
    if state.withLock({ $0.isEnded }) { continuation.finish() }
    return stream
  }

  private static func event(_ name: String, _ data: String) -> String {
    "event: \(name)\ndata: \(data)\n\n"
  }
}
