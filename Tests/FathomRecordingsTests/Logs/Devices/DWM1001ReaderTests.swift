import Fathom
import Testing

@testable import FathomRecordings

@Suite struct DWM1001ReaderTests {
  private static let lec = """
    DIST,4,AN0,022E,7.94,8.03,0.00,3.44,AN1,9280,7.95,0.00,0.00,5.68,AN2,DCAE,0.00,8.03,0.00,7.76,AN3,5431,0.00,0.00,0.00,8.73,POS,6.95,5.37,-1.97,52
    lec: DIST,2,AN0,2F2F,3.05,2.68,0.00,2.20,AN1,2ED0,3.02,0.00,0.00,2.23

    """

  @Test func readsDistancesOfLec() throws {
    let log = LogText(Self.lec)
    #expect(log.format == .dwm1001)
    let file = try log.read()
    #expect(file.anchors == ["022E", "9280", "DCAE", "5431", "2F2F", "2ED0"])
    #expect(file.ranges.distance == [3.44, 5.68, 7.76, 8.73, 2.2, 2.23])
    #expect(file.seconds == [0, 0, 0, 0, 0.1, 0.1])
    #expect(file.logNotes.contains { $0.contains("10.0 Hz, the usual rate of the device") })
  }

  @Test func readsDistancesOfLes() throws {
    let log = LogText(
      """
      les: 022E[7.94,8.03,0.00]=3.38 9280[7.95,0.00,0.00]=5.49 le_us=3082 est[6.97,5.17,-1.77,53]
      12:33:48.7 -> 022E[7.94,8.03,0.00]=3.40 9280[7.95,0.00,0.00]=5.50
      dwm> les
      """)
    #expect(log.format == .dwm1001)
    let file = try log.read()
    #expect(file.ranges.distance == [3.38, 5.49, 3.4, 5.5])
  }

  @Test func rejectsBrokenLinesWhole() throws {
    let broken = [
      "DIST,4,AN0,0090,0.00,0.00,0.00,3.25,AN1,15BA,0.00,0,AN3,15BA,0.00,0.00,0.00,0.00",
      "DIST,2,AN0,022E,7.94,8.03,0.00,3.4DIST,2,AN0,022E,7.94,8.03,0.00,3.44",
      "DIST,2,AN0,022E,7.94,8.03,0.00,3.44", "DIST,1,AN0,022E,7.94,8.03,0.00,3.44,POS,6.95",
      "022E[7.94,8.03,0.00]=3.38 9280[7.95,0.0",
    ]
    let file = try LogText(Self.lec + broken.joined(separator: "\n")).read()
    #expect(file.ranges.count == 6)
    #expect(file.rejected.map(\.line) == [3, 4, 5, 6, 7])
  }

  @Test func takesPositionsOfAnchorsFromTheLog() throws {
    let text =
      Self.lec + "DIST,1,AN0,022E,7.94,8.03,0.00,3.44\nDIST,1,AN0,022E,1.00,8.03,0.00,3.44\n"
    let input = StoredInput(path: "lec.txt", bytes: Array(text.utf8))
    let anchors = try LogAnchors(input, .dwm1001, options: RecordingOptions())
    #expect(anchors.declared.names == ["022E", "9280", "DCAE", "5431", "2F2F", "2ED0"])
    #expect(anchors.declared.anchors[0].position == Vector([7.94, 8.03, 0]))
    #expect(anchors.notes.contains { $0.contains("other positions in 1 of 3 lines") })
  }
}
