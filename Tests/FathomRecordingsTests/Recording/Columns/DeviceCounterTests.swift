import TestSupport
import Testing

@testable import FathomRecordings

/// Times that are counters of a device.
@Suite struct DeviceCounterTests {
  /// 2³² ms is 4 294 967.296 s.
  @Test func continuesMilliseconds() throws {
    let file = try LogText(
      "millis,anchor,distance\n4294967000,A,2\n4294967200,B,2\n4,A,2\n4294967290,B,2\n204,A,2\n"
    ).read()
    #expect(file.seconds == [0, 0.2, 0.3, 0.29, 0.5])
    #expect(
      file.logNotes == [
        "column millis is a counter of 32 bits in ms, which begins again once: continued"
      ])
  }

  @Test func continuesMicrosecondsOfEventsAndRanges() throws {
    let file = try LogText(
      "time_us,anchor,distance,event\n4294900000,A,2,\n4294967000,A,,suspended\n1704,A,2,\n"
    ).read()
    #expect(file.seconds == [0, 0.069])
    #expect(file.events.map(\.time.seconds) == [0.067])
  }

  /// 2⁴⁰ ticks are 17.207401 s; 63 897 600 000 ticks are one second.
  @Test func continuesTicks() throws {
    let text = "ticks,anchor,distance\n1022361600000,A,2\n1086259200000,A,2\n50645172224,A,2\n"
    let file = try LogText(text).read()
    #expect(file.seconds.map { ($0 * 1e6).rounded() / 1e6 } == [0, 1, 2])
    #expect(file.layout.notes.contains { $0.contains("ticks of 15.65 ps") })
    // Few ticks can be of any clock.
    let few = try LogText("ticks,anchor,distance\n1,A,2\n2,A,2\n").read()
    #expect(few.layout.notes.contains { $0.contains("--columns time=ticks --time-unit ms") })
    let stated = try LogText("ticks,anchor,distance\n1,A,2\n2,A,2\n") {
      $0.timeUnit = .milliseconds
    }.read()
    #expect(stated.seconds == [0.001, 0.002])
  }

  /// Rows sorted by anchor step back without a wrap.
  @Test func leavesOtherStepsBack() throws {
    let file = try LogText(
      "time_us,anchor,distance\n0,A,2\n2500000000,A,2\n0,B,2\n2500000000,B,2\n"
    ).read()
    #expect(file.seconds == [0, 2500, 0, 2500])
    #expect(file.logNotes == [])
  }

  @Test(arguments: [
    ("665331947,665332197,665332447", [665_331.947, 665_332.197, 665_332.447], true),
    ("0,100,200", [0, 0.1, 0.2], true), ("0,100000,200000", [0, 0.1, 0.2], true),
    ("0,1,2", [0, 1, 2], false),
    ("1700000000,1700000060,1700000120", [1.7e9, 1_700_000_060, 1_700_000_120], false),
    ("0.0,60.0,120.0", [0, 60, 120], false),
  ])
  func recognisesUnitOfCounters(_ times: String, _ seconds: [Double], _ isNoted: Bool) throws {
    let rows = times.split(separator: ",").map { "\($0),A,2\n" }.joined()
    let file = try LogText("ts,anchor,distance\n\(rows)").read()
    #expect(file.seconds == seconds)
    #expect(file.layout.notes.contains { $0.contains("by its magnitude") } == isNoted)
  }

  /// Names that people and programs give the column of times, none of which leads to made-up times.
  @Test(arguments: [
    "t", "ts", "stamp", "epoch", "unix", "Zeit", "Zeitstempel", "temps", "tiempo", "utc",
    "unixtime",
    "tstamp", "host_ts", "localTime", "sampleTime", "received_at", "@timestamp", "seconds", "sec",
    "date",
    "clock", "Time (s)", "elapsed [s]",
  ])
  func readsCommonNamesOfTimes(_ name: String) throws {
    let file = try LogText("\(name),anchor,distance\n0.5,A,2\n1.5,B,2\n2.25,A,2\n").read()
    #expect(file.seconds == [0.5, 1.5, 2.25])
    #expect(file.layout.warnings.isEmpty)
  }

  @Test(arguments: [("time_ms", 1e-3), ("t_us", 1e-6), ("ms", 1e-3), ("timestampMs", 1e-3)])
  func readsUnitsInNamesOfTimes(_ name: String, _ unit: Double) throws {
    let file = try LogText("\(name),anchor,distance\n500,A,2\n1500,B,2\n").read()
    for (found, value) in zip(file.seconds, [500.0, 1500]) {
      #expect(isClose(found, unit * value, within: 1e-9))
    }
  }

  @Test(arguments: [
    "stamp.secs,stamp.nsecs,anchor,distance\n7,500000000,A,2\n8,1,A,2\n",
    "{\"stamp\":{\"secs\":7,\"nsecs\":500000000},\"anchor\":\"A\",\"range\":2}\n"
      + "{\"stamp\":{\"secs\":8,\"nsecs\":1},\"anchor\":\"A\",\"range\":2}\n",
    "{\"header\":{\"stamp\":{\"sec\":7,\"nanosec\":500000000}},\"anchor\":\"A\",\"range\":2}\n"
      + "{\"header\":{\"stamp\":{\"sec\":8,\"nanosec\":1}},\"anchor\":\"A\",\"range\":2}\n",
  ])
  func joinsDividedTimes(_ text: String) throws {
    let file = try LogText(text).read()
    #expect(file.ranges.time.map(\.nanoseconds) == [7_500_000_000, 8_000_000_001])
    #expect(file.layout.notes.contains { $0.hasPrefix("times are the seconds in column ") })
    #expect(file.layout.warnings.isEmpty)
  }

  @Test func rejectsDamagedDividedTimes() throws {
    let file = try LogText("secs,nsecs,anchor,distance\n7,5,A,2\n8,,A,2\n9,6,A,2\nx,6,A,2\n")
      .read()
    #expect(file.ranges.line == [2, 4] && file.rejected.total == 2)
  }

  @Test func asksForIgnoredTimes() throws {
    let file = try LogText("clockwork,anchor,distance\n100,A,2\n200,B,2\n300,A,2\n400,B,2\n").read()
    #expect(
      file.layout.warnings.contains(
        "column clockwork rises and is ignored: if it is the time, try --columns time=clockwork, with"
          + " --time-unit if it is not in seconds"))
  }
}
