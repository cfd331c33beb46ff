import Testing

@testable import FathomRecordings

/// The log of DecaRangeRTLS, and prints of sketches with punctuation.
@Suite struct TREKProgramReaderTests {
  private let text = """
    T:235959900:DecaRangeRTLS:LogFile:Ver. 2.10 TREK Conf:Tag0:1:Chan2
    T:235959901:AP:0:0:0:2.5
    T:235959901:AP:1:5:0:2.5
    T:235959950:RR:3:0:770:760:229:3301
    T:235959950:RR:3:1:4560:4550:229:3301
    T:235959951:LE:3:1:228:[1,2,0.5]:760:4550:0:0
    T:000000150:RR:3:0:771:761:230:3302
    T:000000150:RR:3:1:4561
    T:000000150:RA:0:1:5000:0:230:3302

    """

  @Test func readsCorrectedRanges() throws {
    let log = LogText(text)
    #expect(log.format == .trekPC)
    let file = try log.read()
    #expect(file.ranges.distance == [0.76, 4.55, 0.761] && file.anchors == ["0", "1", "0"])
    #expect(file.tags == ["3", "3", "3"])
    // Times of day pass midnight.
    #expect(file.seconds == [86_399.95, 86_399.95, 86_400.15])
    #expect(file.rejected.map(\.line) == [8])
  }

  @Test func readsAnchors() throws {
    let input = StoredInput(path: "log.txt", bytes: Array(text.utf8))
    let anchors = try LogAnchors(input, .trekPC, options: RecordingOptions()).declared
    #expect(anchors.names == ["0", "1"])
    #expect(anchors.anchors.map { $0.position.array } == [[0, 0, 2.5], [5, 0, 2.5]])
  }

  @Test func sketchesPutCommasBehindNames() throws {
    let log = LogText("from: 1A, Range: 1.70m\t RX power: -64.92 dBm\nfrom: 3C; Range: 2.12 m\n")
    #expect(log.format == .dw1000)
    #expect(try log.read().anchors == ["1A", "3C"])
  }
}
