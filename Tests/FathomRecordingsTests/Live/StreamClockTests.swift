import Fathom
import Testing

@testable import FathomRecordings

@Suite struct StreamClockTests {
  private func time(_ seconds: Int64) -> Timestamp {
    Timestamp(nanoseconds: seconds * 1_000_000_000)
  }

  @Test func aTagOfAnotherClockDoesNotMoveTheStreamOn() {
    var clock = StreamClock()
    for step in Int64(0)..<10 { clock.advance(to: time(step), of: 0) }
    clock.advance(to: time(7_258_118_410), of: 1)
    #expect(clock.newest == time(9))
    clock.advance(to: time(7_258_118_412), of: 1)
    // The other clock goes on from there.
    #expect(clock.newest == time(11))
    #expect(clock.newest(of: 1) == time(7_258_118_412))
    clock.advance(to: time(12), of: 0)
    #expect(clock.newest == time(12))
  }

  @Test func aFirstTagOfAnotherClockHoldsNoneBack() {
    var clock = StreamClock()
    clock.advance(to: time(7_258_118_410), of: 0)
    clock.advance(to: time(10), of: 1)
    clock.advance(to: time(13), of: 1)
    #expect(clock.newest(of: 1) == time(13))
    #expect(clock.newest == time(7_258_118_413))
  }

  @Test func aStepOfTheClockIsNoTimeOfTheStream() {
    var clock = StreamClock()
    clock.advance(to: time(10), of: 0)
    clock.advance(to: time(10), of: 1)
    clock.advance(to: time(10_000), of: 0)
    #expect(clock.newest == time(10))
    clock.advance(to: time(10_001), of: 0)
    #expect(clock.newest == time(11))
    // Back again.
    clock.align(0, at: time(11))
    clock.advance(to: time(12), of: 0)
    #expect(clock.newest == time(12))
    #expect(clock.newest(of: 0) == time(12))
  }

  @Test func aGapIsTimeOfTheStream() {
    var clock = StreamClock()
    clock.advance(to: time(10), of: 0)
    clock.advance(to: time(100), of: 1)
    // All tags were silent: the new one is taken for one with another clock, until another tells.
    #expect(clock.newest == time(10))
    clock.advance(to: time(100), of: 0)
    clock.advance(to: time(101), of: 1)
    #expect(clock.newest == time(101))
    #expect(clock.newest(of: 1) == time(101))
  }

  @Test func readingsFarAheadAreOfAnotherClock() {
    var clock = StreamClock()
    clock.advance(toReadingAt: time(1), of: 0)
    #expect(clock.newest == nil)
    clock.advance(to: time(1), of: 0)
    clock.advance(toReadingAt: time(3), of: 0)
    #expect(clock.newest == time(3))
    clock.advance(toReadingAt: time(30_000), of: 0)
    #expect(clock.newest == time(3))
  }
}
