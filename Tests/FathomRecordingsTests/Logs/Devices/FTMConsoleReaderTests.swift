import Fathom
import Testing

@testable import FathomRecordings

/// The console of ESP32 boards, from the file to the positions.
@Suite struct FTMConsoleReaderTests {
  private let walk: SimulatedWalk = {
    var walk = SimulatedWalk()
    walk.names = [
      "7c:df:a1:e8:05:ed", "7c:df:a1:40:cd:a5", "1e:cf:24:b2:82:e0", "24:0a:c4:00:00:04",
    ]
    return walk
  }()

  private func metres(_ range: SimulatedWalk.Range) -> String {
    let (whole, rest) = (range.centimetres / 100, range.centimetres % 100)
    return "\(whole).\(String(100 + rest).dropFirst())"
  }

  /// A session as ESP-IDF 5 prints it.
  private func session(_ range: SimulatedWalk.Range, _ name: String) -> String {
    let time = 1500 + range.milliseconds
    return """
      ftm> ftm -I -s site
      I (\(time)) ftm_station: Requesting FTM session with Frm Count - 32, Burst Period - 200mSec (0: No Preference)
      W (\(time)) wifi:Starting FTM session with \(name) in 0.084 Sec
      W (\(time)) wifi:FTM session ends with 25 valid readings out of 31, Avg raw RTT: 27.750 nSec, Avg RSSI: -31
      I (\(time)) ftm_station: FTM Report:
      I (\(time)) ftm_station: | Diag |   RTT   |       T1       |       T2       |  RSSI  |
      I (\(time)) ftm_station: |    28|  24725  |   -18  |19001274242600  | 2664785609375  |
      \u{1B}[0;32mI (\(time)) ftm_station: Estimated RTT - 14 nSec, Estimated Distance - \(metres(range)) meters\u{1B}[0m
      """
  }

  @Test func findsPositions() throws {
    let names = walk.names
    let text = walk.lines { session($0, names[$0.anchor]) }
    let recording = try #require(
      try walk.expectPositions(
        text + """
          W (99000) ftm_station: Estimated RTT - 14 nSec, Estimated Distance - 2.1
          I (99500) ftm_station: FTM procedure with Peer(7c:df:a1:e8:05:ed) failed! (Status - 4)

          """, .ftmConsole, rejected: 2))
    #expect(recording.ranges.time.first?.seconds == 1.5)
    #expect(recording.ranges[.rssi]?.allSatisfy { $0 == -31 } == true)
    #expect(
      recording.rejected.map(\.reason) == [
        "the line is damaged", "the measurement failed, status 4",
      ])
  }

  /// Other forms: the time of Arduino's log, the name of a command without an address.
  @Test func findsPositionsOfOtherForms() throws {
    let names = walk.names
    try walk.expectPositions(
      walk.lines {
        "[\(String(repeating: " ", count: 2))\(500 + $0.milliseconds)][I][ftm.ino:219] get(): Starting FTM session"
          + " with \(names[$0.anchor])\n[  \(500 + $0.milliseconds)][I][ftm.ino:235] get(): Estimated RTT - 14"
          + " nSec, Estimated Distance - \(metres($0)) meters"
      }, .ftmConsole)
    var walk = walk
    walk.names = ["AP1", "AP2", "AP3", "AP4"]
    try walk.expectPositions(
      walk.lines {
        "ftm -I -s \(["AP1", "AP2", "AP3", "AP4"][$0.anchor])\nI (\(500 + $0.milliseconds)) cmd_ftm: Estimated"
          + " RTT - 14 nSec, Estimated Distance - \(metres($0)) meters"
      }, .ftmConsole)
  }

  /// A distance whose session has lost its first line is not that of the responder before.
  @Test func doesNotMixResponders() throws {
    let file = try LogText(
      """
      I (1000) ftm_station: Requesting FTM session with Frm Count - 32, Burst Period - 200mSec
      W (1000) wifi:Starting FTM session with 7c:df:a1:e8:05:ed in 0.084 Sec
      I (1100) ftm_station: Estimated RTT - 14 nSec, Estimated Distance - 2.10 meters
      I (1200) ftm_station: Requesting FTM session with Frm Count - 32, Burst Period - 200mSec
      I (1300) ftm_station: Estimated RTT - 14 nSec, Estimated Distance - 3.10 meters
      FTM Estimate: Distance: 4.25 m, Return Time: 28 ns

      """
    ).read()
    #expect(file.ranges.count == 2 && file.rejected.total == 1)
    #expect(file.anchors.first == "7c:df:a1:e8:05:ed" && file.anchors.last != file.anchors.first)
  }

  @Test func accountsForDamage() throws {
    let names = walk.names
    let lines = walk.ranges.prefix(12).map { session($0, names[$0.anchor]) + "\n" }
    try expectDamageIsAccountedFor(Array(lines.joined().utf8), .ftmConsole)
  }
}
