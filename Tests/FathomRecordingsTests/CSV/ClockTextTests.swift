import Testing

@testable import FathomRecordings

@Suite struct ClockTextTests {
  private func parsed(_ text: String) -> ClockText? {
    let bytes = Array(text.utf8)
    let clock = ClockText(bytes, from: 0, upTo: bytes.count)
    return clock?.end == bytes.count ? clock : nil
  }

  private static let dates: [(String, Int64)] = [
    // 2000-02-29 is day 11 016 since 1970.
    ("2000-02-29T00:00:00Z", 951_782_400_000_000_000),
    ("1970-01-01 00:00:01.000000001", 1_000_000_001),
    ("2000-02-29T00:00:00.25-01:30", 951_787_800_250_000_000),
    ("2000/02/29 00:00", 951_782_400_000_000_000),
    ("29.02.2000 00:00:01,5", 951_782_401_500_000_000),
    ("29-Feb-2000 00:00:01.5", 951_782_401_500_000_000),
    ("2/29/2000 12:00:01 AM", 951_782_401_000_000_000),
    ("02/29/2000, 1:00:01 pm", 951_829_201_000_000_000),
    ("29/2/2000 12:00:01 PM", 951_825_601_000_000_000),
    ("Feb 29 00:00:01", 59 * 86_400_000_000_000 + 1_000_000_000),
    ("Feb  1 00:00:01", 31 * 86_400_000_000_000 + 1_000_000_000),
    // Days since 1972-01-01, a leap year: 59 before 1 March.
    ("02-29 00:00:01.5", 59 * 86_400_000_000_000 + 1_500_000_000),
  ]

  @Test(arguments: dates) func readsDates(_ text: String, _ nanoseconds: Int64) throws {
    let clock = try #require(parsed(text))
    #expect(clock.nanoseconds == nanoseconds && !clock.isTimeOfDay)
  }

  @Test func readsTimesOfDay() throws {
    let clock = try #require(parsed("23:59:60,5"))
    #expect(clock.isTimeOfDay && clock.nanoseconds == 86_400_500_000_000)
  }

  @Test(arguments: [
    "", "12:30", "24:00:00", "12:60:00", "2001-02-29T00:00:00", "2001-13-01T00:00:00", "12.5",
    "2001-02-28", "9999-12-31T00:00:00", "1:2:3", "2001-02-28T1",
    "29.02.2001 00:00:00", "31/31/2000 00:00:00", "1.2.20 00:00:00", "Fob 1 00:00:00", "1.2",
    "29-02.2000 00:00:00", "Feb 30 00:00:00",
  ])
  func rejectsOtherTexts(_ text: String) { #expect(parsed(text) == nil) }

  @Test func monthsAndDaysThatCouldBeExchanged() {
    func isOpen(_ text: String) -> Bool { ClockText.hasOpenOrder(Array(text.utf8)[...]) }
    #expect(
      isOpen("6/11/2026 10:00:00") && !isOpen("6/13/2026 10:00:00") && !isOpen("6/6/2026 1:00"))
    #expect(!isOpen("2026/06/11 10:00:00") && !isOpen("11.06.2026 10:00:00") && !isOpen("1234"))
  }

  @Test func countsMidnights() {
    var days = DayCounter()
    let hour: Int64 = 3_600_000_000_000
    #expect(days.unfold(23 * hour) == 23 * hour)
    #expect(days.unfold(1 * hour) == 25 * hour)
    // A late row from before midnight.
    #expect(days.unfold(22 * hour) == 22 * hour)
    #expect(days.unfold(2 * hour) == 26 * hour)
  }
}
