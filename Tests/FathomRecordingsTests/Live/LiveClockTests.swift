import Fathom
import Testing

@testable import FathomRecordings

@Suite struct LiveClockTests {
  private func time(_ seconds: Double) -> Timestamp {
    Timestamp(nanoseconds: Int64(seconds * 1e9))
  }

  @Test func followsTheTagThatIsAhead() {
    var clock = LiveClock()
    #expect(clock.now == nil)
    clock.advance(to: time(1), of: 0)
    clock.advance(to: time(1.5), of: 0)
    clock.advance(to: time(1.25), of: 1)
    #expect(clock.now == time(1.5))
    clock.advance(to: time(2), of: 1)
    #expect(clock.now == time(2))
    #expect(clock.shown == time(2))
  }

  /// A row of the far future, or of the near one, of another tag does not move the time.
  @Test(arguments: [7_258_118_400, 86_400, 9.0, -86_400])
  func aForeignTimeDoesNotMoveIt(_ offset: Double) {
    var clock = LiveClock()
    for step in 0..<100 {
      clock.advance(to: time(Double(step)), of: 0)
      if step % 20 == 10 { clock.advance(to: time(Double(step) + offset), of: 1) }
    }
    #expect(clock.now == time(99))
    #expect(clock.shown == time(99))
  }

  @Test func aStepOfTheClockDoesNotMoveIt() {
    var clock = LiveClock()
    clock.advance(to: time(5), of: 0)
    clock.advance(to: time(1000), of: 0)
    #expect(clock.now == time(5))
    #expect(clock.shown == time(1000))
    clock.advance(to: time(1001), of: 0)
    #expect(clock.now == time(6))
    clock.restart(0, at: time(2))
    clock.advance(to: time(3), of: 0)
    #expect(clock.now == time(7))
    #expect(clock.shown == time(3))
  }

  @Test func otherMeasurementsMoveItByLittle() {
    var clock = LiveClock()
    clock.follow(time(1), of: 0)
    #expect(clock.now == nil)
    clock.advance(to: time(1), of: 0)
    clock.follow(time(1.5), of: 0)
    #expect(clock.now == time(1.5))
    clock.follow(time(100), of: 0)
    #expect(clock.now == time(1.5))
  }
}
