import Fathom
import RealModule
import Testing

@testable import FathomRecordings

@Suite struct InertialReaderTests {
  private func read(_ text: String) throws -> InertialReader.Table {
    try InertialReader.read(ByteSource(path: "flight/imu.csv", stored: Array(text.utf8)))
  }

  @Test func convertsNamedUnits() throws {
    let table = try read(
      """
      time_s,tag,acc_x_g,acc_y_g,acc_z_g,gyro_x_dps,gyro_y_dps,gyro_z_dps
      0.2,a,0,0,1,0,0,180
      0.1,a,1,0,0,90,0,0
      0.1,b,0,1,0,0,90,0

      """)
    let rows = try #require(table.rows["a"])
    #expect(Set(table.rows.keys) == ["a", "b"] && rows.count == 2)
    #expect(rows[0].time == Timestamp(nanoseconds: 100_000_000))
    #expect(rows[0].acceleration == Vector([9.80665, 0, 0]))
    #expect((rows[1].rotation[2] - .pi).magnitude < 1e-12)
    #expect(table.note == "imu.csv: 3 inertial readings")
  }

  /// Other spellings, and units in brackets.
  @Test func readsOtherNames() throws {
    let table = try read(
      """
      timestamp,AccX [m/s^2],AccY [m/s^2],AccZ [m/s^2],GyroX [deg/s],GyroY [deg/s],GyroZ [deg/s]
      0,0,0,9.8,0,0,90

      """)
    let row = try #require(table.rows[""]?.first)
    #expect(row.acceleration[2] == 9.8 && (row.rotation[2] - .pi / 2).magnitude < 1e-12)
  }

  /// Gravity tells the unit of the acceleration, and fast turns that of the rotation.
  @Test func findsUnitsThatAreNotNamed() throws {
    let header = "time_s,acc_x,acc_y,acc_z,gyro_x,gyro_y,gyro_z\n"
    let g = try read(header + "0,0,0,1.01,0,0,0.1\n0.1,0,0,0.99,0,0,0.2\n")
    #expect(g.rows[""]?[0].acceleration[2] == 1.01 * 9.80665)
    #expect(g.rows[""]?[0].rotation[2] == 0.1)
    #expect(
      g.note == "imu.csv: 2 inertial readings; accelerations are in g: gravity has that length;"
        + " rotation rates are taken to be in rad/s; name the columns gyro_x_dps or gyro_x_radps")
    let metres = try read(header + "0,0,0,9.7,0,0,100\n0.1,0,0,9.9,0,0,90\n")
    #expect(metres.rows[""]?[0].acceleration[2] == 9.7)
    let rate = try #require(metres.rows[""]?[1].rotation[2])
    #expect((rate - .pi / 2).magnitude < 1e-12)
    let milli = try read(header + "0,0,0,1000,0,0,0\n")
    #expect(milli.rows[""]?[0].acceleration[2] == 9.80665)
  }

  @Test func explainsWhatItCannotRead() {
    let header = "time_s,acc_x,acc_y,acc_z,gyro_x,gyro_y,gyro_z\n"
    #expect(throws: RecordingError.self) { try read(header + "0,0.1,0,0,0,0,0\n") }
    #expect(throws: RecordingError.self) { try read("time_s,acc_x,acc_y\n0,1,2\n") }
    #expect(throws: RecordingError.self) {
      try read("time_s,acc_x_g,acc_y_g,acc_z_g,gyro_x_dps,gyro_y_dps,gyro_z_dps\n0,0,0,200,0,0,0\n")
    }
  }

  @Test func rejectsRows() throws {
    let table = try read(
      """
      time_s,acc_x_g,acc_y_g,acc_z_g,gyro_x_dps,gyro_y_dps,gyro_z_dps
      0,0,0,1,0,0,0
      0.1,0,0,,0,0,0
      0.2,0,0,1,0,0,nan
      0.3,0,0,1,0,0,1e9
      0.4,0,0,1,0,0,0

      """)
    #expect(table.rows[""]?.count == 2)
    #expect(table.note.hasPrefix("imu.csv: 2 inertial readings; 3 rows rejected, line 3: "))
  }
}
