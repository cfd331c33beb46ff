import Testing

@testable import FathomRecordings

/// Units in the row below a header.
@Suite struct UnitsRowTests {
  @Test(arguments: [
    "[ms],[-],[cm]", "(ms),(-),(cm)", "ms,,cm", "[msec],[string],[centimeters]", "\"[ms]\",--,cm",
  ])
  func unitsHoldForRanges(_ units: String) throws {
    let file = try LogText("time,anchor,distance\n\(units)\n500,A,250\n750,B,350\n").read()
    #expect(file.ranges.distance == [2.5, 3.5] && file.seconds == [0.5, 0.75])
    #expect(file.rejected.total == 0 && file.ranges.line == [3, 4])
    #expect(file.layout.notes.first == "units are those in the row below the header")
  }

  @Test func unitsHoldForColumnsOfAnchors() throws {
    let file = try LogText("t;A0;A1\n[s];[mm];[mm]\n0.5;2500;3500\n0.75;2600;3600\n").read()
    #expect(
      file.ranges.distance == [2.5, 3.5, 2.6, 3.6] && file.seconds == [0.5, 0.5, 0.75, 0.75])
  }

  @Test func unitsInNamesAndOfTheCallerPrecede() throws {
    let text = "time,anchor,distance_mm\n[s],[-],[m]\n0.5,A,2500\n"
    #expect(try LogText(text).read().ranges.distance == [2.5])
    let stated = LogText("time,A0,A1\n[s],[m],[m]\n0.5,2500,3500\n") {
      $0.distanceUnit = .millimetres
    }
    #expect(try stated.read().ranges.distance == [2.5, 3.5])
  }

  @Test func unknownUnitsAreNoted() throws {
    let file = try LogText("time,anchor,distance\n[s],[-],[ft]\n0.5,A,2.5\n").read()
    #expect(file.ranges.distance == [2.5])
    #expect(
      file.layout.notes.first?.contains("the unit \"ft\" of column distance is unknown") == true)
  }

  /// Rows of data are no units, whatever the names of anchors are.
  @Test(arguments: ["0.5,m,2.5", "0.5,s,", ",,", "x,A,2"])
  func otherRowsAreData(_ row: String) throws {
    let file = try LogText("time,anchor,distance\n\(row)\n1,A,2.5\n").read()
    #expect(file.rowsRead == 2)
    #expect(!file.layout.notes.contains { $0.hasPrefix("units are") })
  }

  @Test func unitsHoldForOtherTables() throws {
    let anchors = try AnchorsReader.read(
      source("anchors.csv", "Site,,\n,,\nName,X,Y\n[-],[mm],[mm]\nA,1500,2000\n"),
      options: RecordingOptions())
    #expect(anchors.anchors.first?.position[0] == 1.5 && anchors.names == ["A"])
    #expect(
      anchors.notes == [
        "anchors.csv: the header is in line 3: the lines before it are not read",
        "anchors.csv: units are those in the row below the header",
      ])
  }

  // MARK: Decimal commas

  /// Three digits behind a comma could be a group of thousands, unless other columns show that they are not.
  @Test(arguments: [
    ("time;anchor;distance\n0,5;A;2,500\n0,75;A;3,500\n", [2.5, 3.5]),
    ("time;anchor;distance [m]\n1;A;2,500\n2;A;3,500\n", [2.5, 3.5]),
    ("time anchor distance\n0,5 A 2,500\n0,6 A 3,500\n", [2.5, 3.5]),
    // One time with a comma is a mistake.
    ("time;anchor;distance\n1;A;2500\n1,5;A;2600\n2;A;3500\n", [2500, 3500]),
  ])
  func decimalCommasBesideOthers(_ text: String, _ expected: [Double]) throws {
    #expect(try LogText(text).read().ranges.distance == expected)
  }

  @Test func decimalCommasOfTruth() throws {
    let truth = try TruthReader.read(
      source("truth.csv", "Zeit;X [m];Y [m]\n0,00;5,234;1,500\n0,10;5,334;1,600\n"),
      info: RecordingInfo())
    #expect(truth.tracks[""]?.positions.first?[0] == 5.234 && truth.rejected.isEmpty)
  }

  @Test func groupsStayOpen() throws {
    let file = try LogText("time;A0;A1\n1;2,500;3,500\n2;2,500;3,500\n").read()
    #expect(file.ranges.count == 0 && file.rejected.total == 4)
    #expect(
      file.rejected.first?.reason
        == "A0 is not a number: \"2,500\" (decimal comma? try --decimal ,)")
  }
}
