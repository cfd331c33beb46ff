import Testing

@testable import FathomLive

@Suite struct PageViewersTests {
  @Test func aBrowserThatJoinsLaterGetsWhatIsKept() async throws {
    let viewers = PageViewers()
    viewers.set(site: "S")
    viewers.keep(state: "T")
    viewers.keep(news: ["n"])
    let events = try #require(viewers.add())
    viewers.send("F")
    viewers.end(within: 0)
    var texts: [String] = []
    for await event in events { texts.append(event) }
    #expect(texts.count == 5)
    #expect(texts[1] == "event: site\ndata: S\n\n" && texts[2] == "event: state\ndata: T\n\n")
    #expect(texts[3].contains("[\"n\"]") && texts[4] == "event: frame\ndata: F\n\n")
    #expect(viewers.isEmpty)
  }

  @Test func afterTheEndTheStateIsAllThatComes() async throws {
    let viewers = PageViewers()
    viewers.keep(state: "T")
    viewers.end(within: 0)
    let events = try #require(viewers.add())
    var texts: [String] = []
    for await event in events { texts.append(event) }
    #expect(texts.contains("event: state\ndata: T\n\n"))
    #expect(viewers.isEmpty)
  }

  @Test func theSameSiteIsSentOnce() async throws {
    let viewers = PageViewers()
    let events = try #require(viewers.add())
    for _ in 0..<3 { viewers.set(site: "S") }
    viewers.end(within: 0)
    var count = 0
    for await event in events where event.hasPrefix("event: site") { count += 1 }
    #expect(count == 1)
  }

  @Test func theEndWaitsForConnectionsThatStillSend() async throws {
    let viewers = PageViewers()
    _ = try #require(viewers.add())
    let start = ContinuousClock.now
    viewers.end(within: 0.2)
    #expect(ContinuousClock.now - start >= .milliseconds(200))
    viewers.finishSending()
    viewers.end(within: 3600)
  }

  @Test func moreThanTheMostAreRefused() throws {
    let viewers = PageViewers()
    var streams: [AsyncStream<String>] = []
    for _ in 0..<PageViewers.most { streams.append(try #require(viewers.add())) }
    #expect(viewers.add() == nil)
  }
}
