import FathomRecordings

/// The browsers that watch a page, each with the few frames that it has not read yet.
final class PageViewers: Sendable {
  private struct State {
    var streams: [Int: AsyncStream<String>.Continuation] = [:]
    var next = 0
    var site = ""
    var state = ""
    var news: [String] = []
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

  /// Sets what does not change: anchors and zones.
  func set(site: String) {
    state.withLock {
      $0.site = site
      for stream in $0.streams.values { stream.yield(Self.event("site", site)) }
    }
  }

  /// Keeps the trails for browsers that join later.
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

  /// Adds a browser; returns nil if there are too many.
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
      $0.streams[$0.next] = continuation
      return $0.next
    }
    guard let number else { return nil }
    let state = state
    continuation.onTermination = { _ in state.withLock { $0.streams[number] = nil } }
    return stream
  }

  private static func event(_ name: String, _ data: String) -> String {
    "event: \(name)\ndata: \(data)\n\n"
  }
}
