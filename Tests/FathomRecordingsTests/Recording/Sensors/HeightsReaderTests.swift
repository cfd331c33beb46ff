import Fathom
import TestSupport
import Testing

@testable import FathomRecordings

@Suite struct HeightsReaderTests {
  private func read(_ text: String) throws -> [String: [HeightMeasurement]] {
    try HeightsReader.read(ByteSource(path: "walk/heights.csv", stored: Array(text.utf8))).rows
  }

  @Test func readsHeightsInOrderOfTime() throws {
    let rows = try read(
      """
      time_s,tag,height_cm,sigma_m
      2,a,150,0.5
      1,a,140,
      3,b,10,0.2
      4,b,,0.2

      """)
    #expect(
      rows["a"] == [
        HeightMeasurement(time: Timestamp(nanoseconds: 1_000_000_000), height: 1.4),
        HeightMeasurement(time: Timestamp(nanoseconds: 2_000_000_000), height: 1.5, sigma: 0.5),
      ])
    #expect(rows["b"]?.count == 1)
  }

  @Test func rejectsRows() throws {
    let found = try HeightsReader.read(
      ByteSource(
        path: "walk/heights.csv",
        stored: Array("time_s,height_m,sigma_m\n0,1,0\n1,up,1\n2,3,0.1\n".utf8)))
    #expect(found.rows[""]?.count == 1)
    #expect(
      found.note
        == "heights.csv: 1 heights; 2 rows rejected, line 2: the standard deviation is 0.0 m; it must"
        + " be above 0")
    #expect(throws: RecordingError.self) { try read("time_s,up_m\n0,1\n") }
    #expect(throws: RecordingError.self) { try read("time_s,height_m\nx,1\n") }
  }
}
