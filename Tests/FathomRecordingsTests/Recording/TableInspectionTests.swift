import Foundation
import TestSupport
import Testing

@testable import FathomRecordings

@Suite struct TableInspectionTests {
  private func inspect(_ name: String, _ text: String) throws -> TableInspection? {
    var found: TableInspection?
    try withTemporaryFolder { folder in
      let path = "\(folder)/\(name)"
      try Data(text.utf8).write(to: URL(filePath: path))
      found = try TableInspection(path: path)
    }
    return found
  }

  @Test func readsAnchorsOfAnyName() throws {
    let found = try #require(
      try inspect("site.csv", "id;x_cm;y_cm;z_cm\nA;0;0;250\nB;300;400;250\n"))
    #expect(found.kind == .anchors && found.anchors == ["A", "B"] && found.rowsRead == 2)
    // 3, 4 and 0 m along the axes.
    #expect(found.anchorDistances == [5, 5])
    #expect(
      found.columns == [
        .init(name: "id", meaning: "id"),
        .init(name: "x_cm", meaning: "x", unit: "cm", least: 0, greatest: 300),
        .init(name: "y_cm", meaning: "y", unit: "cm", least: 0, greatest: 400),
        .init(name: "z_cm", meaning: "z", unit: "cm", least: 250, greatest: 250),
      ])
    let bare = try #require(try inspect("list.txt", "A,0,0,2\nB,3,0,2\n"))
    #expect(bare.kind == .anchors && bare.columns.map(\.greatest) == [nil, 3, 0, 2])
    let open = try #require(try inspect("anchors.csv", "id,x,y\nA,0,0\nB,,\n"))
    #expect(
      open.anchorDistances == nil && open.notes.contains { $0.contains("calibrate --survey") })
  }

  @Test func distinguishesTruthFromEstimates() throws {
    let truth = try #require(try inspect("gt.csv", "ts,x,y,tag\n1,0,2,T\n3,5,2,T\n4,x,2,T\n"))
    #expect(truth.kind == .truth && truth.tags == ["T"] && truth.rejected.map(\.rows) == [1])
    #expect(truth.firstTime == 1 && truth.lastTime == 3)
    let estimate = try #require(
      try inspect(
        "a.positions.csv",
        "time_s,tag,x_m,y_m,z_m,sxx,sxy,sxz,syy,syz,szz,status\n1,T,0,1,2,,,,,,,fix\n"))
    #expect(estimate.kind == .positions)
    let tum = try #require(try inspect("walk.txt", "1 0 1 2 0 0 0 1\n2 3 1 2 0 0 0 1\n"))
    #expect(tum.kind == .truth && tum.format == "tum")
    #expect(tum.columns.map(\.greatest) == [3, 1, 2])
  }

  @Test func readsSensors() throws {
    let heights = try #require(try inspect("h.csv", "time_s,tag,height_m\n0,T,1.5\n2,T,2.5\n"))
    #expect(heights.kind == .heights && heights.columns.last?.least == 1.5)
    #expect(heights.firstTime == 0 && heights.lastTime == 2 && heights.tags == ["T"])
  }

  @Test func leavesOtherFiles() throws {
    #expect(try inspect("r.csv", "time_s,tag,anchor,distance_m\n0,T,A,1\n") == nil)
    #expect(try inspect("notes.txt", "once upon a time\n") == nil)
    #expect(try inspect("empty.csv", "") == nil)
    #expect(throws: RecordingError.self) { try inspect("anchors.csv", "id,x\nA,0\n") }
  }
}
