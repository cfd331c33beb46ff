import Fathom
import Testing

@testable import FathomRecordings

@Suite struct PosesReaderTests {
  private func source(_ text: String) throws -> ByteSource {
    try ByteSource(path: "walk/poses.csv", stored: Array(text.utf8))
  }

  private func read(_ text: String) throws -> RecordedAttitudes {
    try PosesReader.read(source(text))
  }

  /// Positions may be empty; columns are found by name, in any order.
  @Test func readsAttitudesAndIgnoresPositions() throws {
    let poses = try read(
      """
      time_s,x,y,z,qz,qy,qx,qw
      0.5,,,,0.6,0,0,0.8
      0.25,1,far,0,0,0,0,1

      """)
    #expect(poses.rejected.isEmpty)
    #expect(poses.track.times == [Timestamp(seconds: 0.25), Timestamp(seconds: 0.5)])
    let last = try #require(poses.track.attitude(at: poses.track.times[1]))
    #expect(last.w == 0.8 && last.x == 0 && last.y == 0 && last.z == 0.6)
  }

  /// Poses are in order of time; a position counts if it is three numbers within limits.
  @Test func readsPositions() throws {
    let text = """
      time_s,x,y,z,qw,qx,qy,qz
      1,1,2,3,1,0,0,0
      0.5,4,5,6,1,0,0,0
      1.5,1,,3,1,0,0,0
      2,nan,2,3,1,0,0,0
      2.5,1e300,2,3,1,0,0,0
      3,inf,2,3,1,0,0,0
      3.5,7,8,9,5,0,0,0

      """
    let found = try read(text)
    #expect(found.poses.map(\.time.seconds) == [0.5, 1])
    #expect(found.poses.map(\.position) == [Vector([4, 5, 6]), Vector([1, 2, 3])])
    #expect(found.track.times.count == 6)
    #expect(found.rejected.map(\.line) == [8])
    let centimetres = try read("time_s,x_cm,y_cm,z_cm,qw,qx,qy,qz\n0,100,200,50,1,0,0,0\n")
    #expect(centimetres.poses.first?.position == Vector([1, 2, 0.5]))
    var recording = Recording(name: "walk")
    recording.readPoses(try source(text))
    #expect(recording.poses == found.poses)
    #expect(recording.notes.first == "poses.csv: 2 poses with a position, a path of 5 m")
  }

  @Test func rejectsRowsWithoutRotation() throws {
    let poses = try read(
      """
      time_s,qw,qx,qy,qz
      0,1,0,0,0
      1,0,0,0,0
      2,1,1,1,1
      3,1,,0,0
      4,1,0,0,nan
      x,1,0,0,0
      6,1,0,0
      7,0.99,0,0,0

      """)
    #expect(poses.track.times.count == 2)
    #expect(poses.rejected.map(\.line) == [3, 4, 5, 6, 7, 8])
    #expect(
      poses.rejected.map(\.reason).prefix(3) == [
        "the quaternion does not have length 1", "the quaternion does not have length 1",
        "the quaternion is incomplete",
      ])
  }

  @Test func fileWithoutAttitudesThrows() {
    #expect(throws: RecordingError.self) { try read("time_s,x,y,z\n0,1,2,3\n") }
    #expect(throws: RecordingError.self) { try read("") }
    #expect(throws: RecordingError.self) { try read("0 1 2 3 0 0 0 1\n") }
  }

  /// An invalid poses file costs the directions, not the recording.
  @Test func notesUnusableFileAndRejectedRows() throws {
    var recording = Recording(name: "walk")
    recording.readPoses(try source("time_s,x\n0,1\n"))
    #expect(recording.attitudes == nil)
    #expect(recording.notes.first?.hasPrefix("poses.csv is not used: the header lacks qw") == true)
    recording.notes = []
    recording.readPoses(
      try source("time_s,qw,qx,qy,qz\n0,1,0,0,0\n1,0,0,0,0\n2,0,0,0,0\n"))
    #expect(recording.attitudes?.times.count == 1)
    #expect(
      recording.notes == [
        "poses.csv: 2 rows rejected; line 3: the quaternion does not have length 1"
      ])
  }
}
