import Fathom
import RealModule
import Testing

@testable import FathomRecordings

@Suite struct OdometryReaderTests {
  private func read(_ text: String) throws -> OdometryReader.Table {
    try OdometryReader.read(ByteSource(path: "drive/odometry.csv", stored: Array(text.utf8)))
  }

  @Test func readsIncrements() throws {
    let table = try read(
      """
      time_s,delta_distance_m,delta_heading_rad
      0.1,0.5,0.1
      0.2,0.01,-0.02
      0.4,-0.03,0.5

      """)
    let rows = try #require(table.rows[""])
    // The first row has no beginning.
    #expect(rows.count == 2)
    #expect(
      rows[0].begin == Timestamp(nanoseconds: 100000000)
        && rows[0].end == Timestamp(nanoseconds: 200000000))
    #expect(rows[0].forward == 0.01 && rows[0].turn.radians == -0.02 && rows[0].left == 0)
    #expect(rows[1].forward == -0.03 && rows[1].begin == Timestamp(nanoseconds: 200000000))
    #expect(table.turnFactors == [1, -1])
    #expect(table.note == "odometry.csv: 3 rows of odometry")
  }

  @Test func convertsUnitsAndTags() throws {
    let table = try read(
      """
      time_ms,tag,forward_cm,left_mm,turn_deg
      1000,a,1,10,90
      1100,b,2,20,180
      1200,a,3,30,-90

      """)
    #expect(Set(table.rows.keys) == ["a", "b"])
    let row = try #require(table.rows["a"]?.first)
    #expect(
      row.begin == Timestamp(nanoseconds: 1000000000) && row.forward == 0.03 && row.left == 0.03)
    #expect((row.turn.radians + .pi / 2).magnitude < 1e-12)
    #expect(table.rows["b"]?.isEmpty == true)
  }

  /// The trapezoid between two rows: mean speed times time.
  @Test func integratesVelocities() throws {
    let table = try read(
      """
      time_s,v_forward_mps,v_y_mps,turn_rate_radps
      0,1,0,0.2
      0.5,2,0.4,0.4
      2,1,0,0

      """)
    let rows = try #require(table.rows[""])
    // 1.5 s are too long.
    #expect(rows.count == 1)
    #expect(rows[0].forward == 0.75 && rows[0].left == 0.1)
    #expect((rows[0].turn.radians - 0.15).magnitude < 1e-12)
  }

  @Test func readsWheels() throws {
    let table = try read(
      """
      time_s,v_right_mps,v_left_mps,v_y_mps,wheel_distance_m
      0,1,0.5,0,0.5
      1,1,0.5,0,0.5

      """)
    let row = try #require(table.rows[""]?.first)
    #expect(row.forward == 0.75 && row.turn.radians == 1)
    #expect(table.turnFactors == [1, -1, 0.5, -0.5])
  }

  @Test func rejectsRows() throws {
    let table = try read(
      """
      time_s,forward_m,turn_rad
      0,0.1,0
      1,,0
      2,x,0
      3,0.1
      4,1e30,0
      5,0.2,0.1
      6,0.3,0.1

      """)
    // The row at 5 s is the motion since a row that was rejected.
    #expect(table.rows[""]?.map(\.forward) == [0.3])
    #expect(table.note.hasPrefix("odometry.csv: 3 rows of odometry; 4 rows rejected, line 3:"))
  }

  @Test func fileWithoutLayoutThrows() {
    #expect {
      try read("time_s,speed_mps\n0,1\n")
    } throws: { error in
      "\(error)".contains("forward_m and turn_rad")
    }
    #expect(throws: RecordingError.self) { try read("time_s,forward_m,turn_rad\nx,y,z\n") }
    #expect(throws: RecordingError.self) { try read("") }
  }
}
