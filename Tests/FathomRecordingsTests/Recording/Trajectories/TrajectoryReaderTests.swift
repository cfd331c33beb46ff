import Fathom
import FathomEvaluation
import TestSupport
import Testing

@testable import FathomRecordings

@Suite struct TrajectoryReaderTests {
  private static let tum = """
    # ground truth trajectory
    # timestamp tx ty tz qx qy qz qw
    1305031098.6659 1.3563 0.6305 1.6380 0.6132 0.5962 -0.3311 -0.3986
    1305031098.6758 1.3543\t0.6306  1.6360 0.6129 0.5966 -0.3316 -0.3980

    """
  private static let euroc = """
    #timestamp [ns], p_RS_R_x [m], p_RS_R_y [m], p_RS_R_z [m], q_RS_w [], q_RS_x []\r
    1403636580838555648,4.688319,-1.786938,0.783338,0.534108,-0.153029\r
    1403636580843555648, 4.688177, -1.786770, 0.787350, 0.534640, -0.152990\r

    """
  private static let positions = """
    time_s,tag,x_m,y_m,z_m,sxx,sxy,sxz,syy,syz,szz,ranges_used,ranges_rejected,status
    0.0,T,,,,,,,,,,1,0,starting
    0.5,T,1,2,3,0.1,0.01,0.02,0.2,0.03,0.3,4,0,tracking
    0.5,U,4,5,,0.1,0.01,,0.2,,,3,0,ambiguous

    """

  private func read(_ text: String, format: TrajectoryFormat? = nil) throws -> RecordedTrajectory {
    try TrajectoryReader.read(
      ByteSource(path: "file", stored: Array(text.utf8)), format: format)
  }

  @Test func readsTUM() throws {
    let file = try read(Self.tum)
    #expect(file.format == .tum && file.rowsRead == 2 && file.rejected.isEmpty)
    let track = try #require(file.tracks[""])
    // To the nanosecond, which a Double cannot represent for seconds since 1970.
    #expect(
      track.times.map(\.nanoseconds) == [1_305_031_098_665_900_000, 1_305_031_098_675_800_000])
    #expect(track.positions[1].array == [1.3543, 0.6306, 1.6360])
    #expect(track.covariances == nil)
  }

  @Test func readsEuRoC() throws {
    let file = try read(Self.euroc)
    #expect(file.format == .euroc && file.rowsRead == 2 && file.rejected.isEmpty)
    let track = try #require(file.tracks[""])
    #expect(
      track.times.map(\.nanoseconds) == [1_403_636_580_838_555_648, 1_403_636_580_843_555_648])
    #expect(track.positions[1].array == [4.688177, -1.786770, 0.787350])
  }

  @Test func readsPositions() throws {
    let file = try read(Self.positions)
    #expect(file.format == .csv && file.rowsRead == 3 && file.rejected.isEmpty)
    let track = try #require(file.tracks["T"])
    #expect(track.count == 2 && !track.positions[0].isFinite)
    #expect(track.positions[1].array == [1, 2, 3])
    let covariance = try #require(track.covariances?[1])
    #expect(covariance.array == [[0.1, 0.01, 0.02], [0.01, 0.2, 0.03], [0.02, 0.03, 0.3]])
    // An unknown height leaves the other coordinates.
    let other = try #require(file.tracks["U"])
    #expect(other.positions[0][0] == 4 && other.positions[0][2].isNaN)
    #expect(other.covariances?[0][1, 1] == 0.2 && other.covariances?[0][0, 2].isNaN == true)
    // Truth contains only determined positions.
    #expect(file.truth.tracks.mapValues(\.count) == ["T": 1])
  }

  @Test func readsTruthAndOtherNames() throws {
    let file = try read("t,x_cm,y_cm,heading\n1,100,200,0\n")
    let track = try #require(file.tracks[""])
    #expect(track.positions[0][0] == 1 && track.positions[0][1] == 2)
    #expect(track.positions[0][2].isNaN && track.covariances == nil)
  }

  @Test(arguments: [
    (tum, TrajectoryFormat.tum), (euroc, .euroc), (positions, .csv), ("1 2 3 4\n", .tum),
    ("1,2,3,4\n", .euroc), ("1.5,2,3,4\n", .csv), ("time;x;y;z\n", .csv), ("", .csv),
    ("\n {\"time_s\":1}\n", .jsonl), ("# only a comment\n", .csv), ("a b c d e f g h\n", .csv),
  ])
  func detectsFormats(_ text: String, _ format: TrajectoryFormat) {
    #expect(TrajectoryReader.format(of: Array(text.utf8)) == format)
  }

  @Test func rejectsInvalidRows() throws {
    let file = try read(
      "1 2 3 4 0 0 0 1\n2 nan 3 4 0 0 0 1\n3 2 3\n1e30 1 1 1\n4 1 1 1e999\n5 1 1 1")
    #expect(file.tracks[""]?.count == 2 && file.rowsRead == 6)
    #expect(file.rejected.map(\.line) == [2, 3, 4, 5])
    #expect(
      file.rejected.map(\.reason) == [
        "x is not a number: \"nan\"",
        "row has 3 fields instead of timestamp tx ty tz qx qy qz qw",
        "timestamp exceeds 292 years: \"1e30\"", "z is not a finite number: \"1e999\"",
      ])
    let rows = try read("time_s,x_m,y_m\n0,1,2\nlater,1,2\n1,1\n")
    #expect(rows.rejected.map(\.line) == [3, 4])
  }

  @Test func fileWithoutUsableRowThrows() {
    func reason(_ text: String, _ format: TrajectoryFormat? = nil) -> String? {
      do throws(RecordingError) {
        _ = try TrajectoryReader.read(
          try ByteSource(path: "file", stored: Array(text.utf8)), format: format)
        return nil
      } catch {
        return "\(error) (\(error.exitCode))"
      }
    }
    #expect(reason("") == "file: the file is empty (65)")
    #expect(reason("time_s,x,y\n") == "file: the file has no rows (65)")
    #expect(
      reason(Self.positions, .tum)
        == "file:1: no row is usable as tum; first reason: row has 1 fields instead of"
        + " timestamp tx ty tz qx qy qz qw (65)")
    #expect(reason("1.5,2,3,4\n")?.hasPrefix("file:1: the first row is not a header") == true)
    // Without a comment that names the columns the first row is no header.
    #expect(reason(Self.tum, .csv) == nil)
    let unnamed = Self.tum.replacing("# timestamp tx ty tz qx qy qz qw\n", with: "")
    #expect(reason(unnamed, .csv)?.hasPrefix("file:2: ") == true)
  }

  /// Every row of arbitrary bytes is counted once.
  @Test func countsEveryRowOfArbitraryBytes() {
    var generator = SeededGenerator(seed: 71)
    let letters = Array("0123456789.,; \t\n\r#e-+\"abc".utf8)
    for _ in 0..<500 {
      let bytes = (0..<Int.random(in: 0...200, using: &generator)).map { _ in
        letters.randomElement(using: &generator) ?? 0
      }
      for format in TrajectoryFormat.allCases {
        guard let source = try? ByteSource(path: "file", stored: bytes),
          let file = try? TrajectoryReader.read(source, format: format)
        else { continue }
        let rows = file.tracks.values.reduce(0) { $0 + $1.count }
        #expect(rows + file.rejected.count == file.rowsRead, "\(bytes)")
      }
    }
  }
}
