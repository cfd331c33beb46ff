import Testing

@testable import FathomRecordings

/// Layouts of ranges files other than one range per row below a header.
@Suite struct RangesLayoutTests {
  // MARK: One row per epoch

  @Test(arguments: [
    ("A0,A1", ["A0", "A1"]), ("r_AN0,r_AN1", ["AN0", "AN1"]), ("dist_0,dist_1", ["0", "1"]),
    ("range0 [m],range1 [m]", ["0", "1"]), ("d_west1,d_west2", ["west1", "west2"]),
  ])
  func readsColumnsOfAnchors(_ columns: String, _ anchors: [String]) throws {
    let file = try LogText("time,\(columns),mood\n0.5,2.1,3.2,x\n0.6,,3.3,y\n0.7,0,nan,y\n").read()
    #expect(file.anchors == [anchors[0], anchors[1], anchors[1]])
    #expect(file.ranges.distance == [2.1, 3.2, 3.3])
    #expect(file.seconds == [0.5, 0.5, 0.6])
    #expect(file.rejected.map(\.reason) == ["the row has no distance"])
  }

  @Test func namesColumnsAfterDeclaredAnchors() throws {
    var log = LogText("t,door,window,total\n0,2.5,3.5,6\n")
    log.declared = ["window", "door"]
    let file = try log.read()
    #expect(file.anchors == ["door", "window"])
    log = LogText("t,AN0 [cm],AN1 [cm]\n0,250,350\n")
    log.declared = ["0", "1"]
    #expect(try log.read().anchors == ["0", "1"])
    #expect(try log.read().ranges.distance == [2.5, 3.5])
    log = LogText("time,1,2\n0,2.5,3.5\n")
    log.declared = ["1", "2"]
    #expect(try log.read().anchors == ["1", "2"])
  }

  @Test func rejectsCellsThatAreNoDistance() throws {
    let file = try LogText("time,A0,A1\n0,2.1,x\n1,-3,-1\n").read()
    #expect(file.ranges.distance == [2.1])
    #expect(
      file.rejected.map(\.reason) == ["A1 is not a number: \"x\"", "A0 is negative: \"-3\""])
  }

  // MARK: Headers and separators

  @Test func namesColumnsByNumber() throws {
    let file = try LogText("0.5;A;2.5\n0.6;B;3.5\n") {
      $0.columns = ["1": "time", "2": "anchor", "3": "distance"]
    }.read()
    #expect(file.anchors == ["A", "B"] && file.ranges.distance == [2.5, 3.5])
    #expect(file.ranges.line == [1, 2])
    let wide = try LogText("0.5 2.5 3.5\n0.6 2.6 3.6\n") {
      $0.columns = ["1": "time", "2": "A0", "3": "A1"]
    }.read()
    #expect(wide.anchors == ["A0", "A1", "A0", "A1"])
  }

  @Test func separatesByBlanks() throws {
    let file = try LogText("time   anchor  distance \n 0.5  A   2.5\n0.6 B 3.5   \n0.7 B\n").read()
    #expect(file.anchors == ["A", "B"] && file.ranges.distance == [2.5, 3.5])
    #expect(file.rejected.map(\.line) == [4])
  }

  // MARK: Times

  @Test func readsRoundsWithoutTimes() throws {
    let text = "anchor,distance_m\nA,2\nB,3\nA,2.1\nB,3.1\nB,3.2\n"
    #expect(try LogText(text).read().seconds == [0, 0, 1, 1, 2])
    #expect(try LogText(text) { $0.epochRate = 10 }.read().seconds == [0, 0, 0.1, 0.1, 0.2])
    let wide = try LogText("A0,A1\n2,3\n2,3\n") { $0.epochRate = 4 }.read()
    #expect(wide.seconds == [0, 0, 0.25, 0.25])
  }

  @Test(arguments: [
    ("2026-06-11T11:33:48.686Z", 1_781_177_628.686),
    ("2026-06-11 13:33:48.686+02:00", 1_781_177_628.686),
    ("2026/06/11 11:33:48,5", 1_781_177_628.5), ("11:33:48.686", 41_628.686), ("1:02:03", 3723),
  ])
  func readsDatesAndTimesOfDay(_ text: String, _ seconds: Double) throws {
    let file = try LogText("time;anchor;distance\n\(text);A;2.5\n") { $0.delimiter = .semicolon }
      .read()
    #expect(file.seconds == [seconds])
  }

  @Test func timesOfDayPassMidnight() throws {
    let file = try LogText("time,anchor,distance\n23:59:59.5,A,2\n00:00:00.5,A,2\nx,A,2\n").read()
    #expect(file.seconds == [86_399.5, 86_400.5])
    #expect(file.rejected.map(\.reason) == ["time is not a date or time of day: \"x\""])
  }

  @Test func readsTimesAsDigits() throws {
    let file = try LogText("time,anchor,distance\n145206932,A,2\n145207038,A,2\n").read()
    #expect(file.seconds == [53_526.932, 53_527.038])
    #expect(file.layout.notes.contains { $0.contains("HHMMSSmmm") })
    let stated = try LogText("time,anchor,distance\n145206932,A,2\n145207038,A,2\n") {
      $0.timeUnit = .milliseconds
    }.read()
    #expect(stated.seconds == [145_206.932, 145_207.038])
  }

  @Test(arguments: [
    ("1781177628", 1_781_177_628.0, "s"), ("1781177628686", 1_781_177_628.686, "ms"),
    ("1781177628686000", 1_781_177_628.686, "us"), ("1781177628686000000", 1_781_177_628.686, "ns"),
  ])
  func recognisesUnitOfInstants(_ text: String, _ seconds: Double, _ unit: String) throws {
    let file = try LogText("timestamp,anchor,distance\n\(text),A,2\n").read()
    #expect(file.seconds == [seconds])
    #expect(file.layout.notes.contains { $0.contains("is read in \(unit), by") } == (unit != "s"))
  }

  // MARK: Numbers

  @Test func findsDecimalCommas() throws {
    let file = try LogText("time;anchor;distance\n0,5;A;2,31\n0,6;A;2,310\n").read()
    #expect(file.ranges.distance == [2.31, 2.31] && file.seconds == [0.5, 0.6])
    #expect(file.layout.notes.contains { $0.contains("decimal comma") })
    // Groups of thousands look the same.
    let grouped = try LogText("time;anchor;distance\n1;A;2,310\n2;A;2,312\n").read()
    #expect(grouped.ranges.count == 0)
    #expect(grouped.rejected.first?.reason.contains("decimal comma?") == true)
  }

  @Test func asksForTheUnitOfLargeAngles() throws {
    let text = "time_s,anchor,distance_m,azimuth,elevation\n0,A,2,30,0\n0.1,A,2,1.5,0\n"
    let file = try LogText(text).read()
    #expect(file.ranges[.azimuth] == [1.5])
    #expect(
      file.rejected.map(\.reason) == ["azimuth is beyond ±2π: 30 (degrees? try --angle-unit deg)"])
    let degrees = try LogText(text) { $0.angleUnit = .degrees }.read()
    #expect(degrees.ranges[.azimuth] == [radians(30), radians(1.5)])
    let named = try LogText(text.replacing("azimuth", with: "azimuth_deg")).read()
    #expect(named.ranges[.azimuth] == [radians(30), radians(1.5)])
  }

  @Test func readsPaintJet() throws {
    let file = try LogText("Tag:,tAnchor:,Observed:,Expected:\n2,3,7.42,7.53\n2,0,5.89,5.951\n")
      .read()
    #expect(file.tags == ["2", "2"] && file.anchors == ["3", "0"])
    #expect(file.ranges.distance == [7.42, 5.89] && file.ranges[.trueDistance] == [7.53, 5.951])
  }
}
