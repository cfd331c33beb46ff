import Fathom
import Foundation
import TestSupport
import Testing

@testable import FathomRecordings

@Suite struct AnchorsReaderTests {
  private func read(
    _ text: String, _ separator: DecimalSeparator = .point
  ) throws(RecordingError) -> DeclaredAnchors {
    var options = RecordingOptions()
    options.decimalSeparator = separator
    return try AnchorsReader.read(
      ByteSource(path: "anchors.csv", stored: Array(text.utf8)), options: options)
  }

  private func reason(_ text: String) -> String? {
    do throws(RecordingError) {
      _ = try read(text)
      return nil
    } catch {
      return "\(error)"
    }
  }

  @Test func readsAnchorsInOrder() throws {
    let declared = try read("id,x,y,z\nB,1,-2,0.5\n007,3,4,5\n")
    let first: Vector<3> = Vector([1, -2, 0.5])
    let second: Vector<3> = Vector([3, 4, 5])
    #expect(declared.names == ["B", "007"])
    #expect(
      declared.anchors == [
        Anchor(position: first), Anchor(position: second),
      ])
  }

  @Test func readsPointsInGeoJSON() throws {
    func feature(_ name: String, _ longitude: Double) -> String {
      "{\"type\":\"Feature\",\"properties\":{\"name\":\"\(name)\"},\"geometry\":{\"type\":\"Point\","
        + "\"coordinates\":[\(longitude),51.05,2.5]}}"
    }
    let declared = try read(
      "{\"type\":\"FeatureCollection\",\"features\":[\(feature("A", 13.74)),\(feature("B", 13.7401))]}"
    )
    #expect(declared.names == ["A", "B"] && declared.plane?.origin.latitude == 51.05)
    // A ten-thousandth of a degree of longitude at this latitude.
    #expect(abs(declared.anchors[1].position[0] - 7.01) < 0.01)
  }

  @Test func turnsTablesWithARowForEachAxis() throws {
    let expected = try read("id,x,y,z\nA,0,1,2.5\nB,4,-3,2\n")
    #expect(try read("coord,A,B\nx,0,4\ny,1,-3\nz,2.5,2\n").anchors == expected.anchors)
    #expect(try read(";A;B\nX [cm];0;400\nY [cm];100;-300\nZ [cm];250;200\n").names == ["A", "B"])
    #expect(reason("axis,A,B\nx,0,4\ny,1,far\n")?.contains("lacks") == true)
    #expect(try read("id,x,y,z\neast,9,0,0\nnorth,0,9,0\n").names == ["east", "north"])
  }

  @Test func readsUTF16() throws {
    let text = "\u{FEFF}id\tx\ty\r\nA\t1\t2\r\n"
    for isBig in [false, true] {
      let bytes = text.utf16.flatMap { unit in
        let pair = [UInt8(truncatingIfNeeded: unit), UInt8(truncatingIfNeeded: unit >> 8)]
        return isBig ? [pair[1], pair[0]] : pair
      }
      try withTemporaryFolder { folder in
        let path = "\(folder)/anchors.txt"
        try Data(bytes).write(to: URL(filePath: path))
        #expect(try AnchorsReader.read(path).names == ["A"])
      }
      #expect(UTF16Text.utf8(bytes) == Array(text.dropFirst().utf8))
    }
    #expect(UTF16Text.utf8([0xFF, 0xFE, 0x74]) == nil && UTF16Text.utf8([0xFF, 0xFE]) == nil)
    #expect(UTF16Text.utf8([0xFF, 0xFE, 1, 2, 3, 4]) == nil)
  }

  @Test func optionalColumnsHaveDefaults() throws {
    let declared = try read("id,x,y,z,sigma_m,bias_m,scale\nA,1,2,3,0.05,-0.1,1.02\nB,1,2,3,,,\n")
    let position: Vector<3> = Vector([1, 2, 3])
    #expect(
      declared.anchors == [
        Anchor(position: position, positionSigma: 0.05, bias: -0.1, scale: 1.02),
        Anchor(position: position),
      ])
  }

  @Test func usesUnitsAndDecimalSeparator() throws {
    let declared = try read("name;x [cm];y_mm;z\nA;150;2500;1,5\n", .comma)
    let position: Vector<3> = Vector([1.5, 2.5, 1.5])
    #expect(declared.anchors == [Anchor(position: position)])
  }

  @Test(arguments: ["id,x,y\nA,1,2\nB,3,4\n", "id,x,y,z\nA,1,2,\nB,3,4,\n"])
  func anchorsWithoutHeightsArePlanar(_ text: String) throws {
    let declared = try read(text)
    #expect(declared.isPlanar && declared.plane == nil)
    #expect(declared.anchors.map { $0.position.array } == [[1, 2, 0], [3, 4, 0]])
    #expect(try !read("id,x,y,z\nA,1,2,0\n").isPlanar)
  }

  /// One second of latitude is 30.9 m; of longitude at 60° it is 15.5 m.
  @Test func latitudeAndLongitudeBecomeEastAndNorth() throws {
    let declared = try read(
      "id,lat,lon,alt\nA,60,25,10\nB,60.000277778,25,12\nC,60,25.000277778,10\n")
    #expect(declared.plane?.origin == GeodeticPosition(latitude: 60, longitude: 25, altitude: 10))
    #expect(!declared.isPlanar)
    let places = declared.anchors.map { $0.position.array.map { ($0 * 10).rounded() / 10 } }
    #expect(places == [[0, 0, 0], [0, 30.9, 2], [15.5, 0, 0]])
    let flat = try read("id,lat,lon\nA,60,25\nB,60.000277778,25\n")
    #expect(flat.isPlanar && flat.anchors[1].position[2] == 0)
    // Local coordinates are used if there are both.
    #expect(try read("id,x,y,lat,lon\nA,1,2,60,25\n").plane == nil)
  }

  @Test func headerWithoutRowsMeansNoAnchors() throws {
    #expect(try read("id,x,y,z\n") == DeclaredAnchors())
  }

  @Test(arguments: [
    ("", "anchors.csv: the file is empty"),
    ("id,x,z\nA,1,2\n", "anchors.csv:1: the header lacks y; found \"id\", \"x\", \"z\""),
    (
      "id,lat,x\nA,1,2\n",
      "anchors.csv:1: the header lacks longitude_deg; found \"id\", \"lat\", \"x\""
    ),
    (
      "id,x,y,z\nA,1,2,3\nB,1,2,\n",
      "anchors.csv:3: z is missing, but the anchors before have one; give it for all anchors or for"
        + " none"
    ),
    (
      "id,x,y,z\nA,1,2,\nB,1,2,3\n",
      "anchors.csv:3: z is given, but the anchors before have none; give it for all anchors or for"
        + " none"
    ),
    (
      "id,latitude,longitude\nA,91,0\n",
      "anchors.csv:2: the latitude must be from -90 to 90 degrees: 91.0"
    ),
    (
      "id,latitude,longitude\nA,0,181\n",
      "anchors.csv:2: the longitude must be from -180 to 180 degrees: 181.0"
    ),
    (
      "id,latitude,longitude\nA,52,13\nB,13,52\n",
      "anchors.csv:3: the anchor is 4874 km from the first one, more than 100 km; check latitude,"
        + " longitude and altitude"
    ),
    ("id,lat_rad,lon_rad\nA,1,1\n", "anchors.csv:1: \"lat_rad\" must be in degrees"),
    (
      "id,x,y,z\nA,1,2,3\n\nA,4,5,6\n",
      "anchors.csv:4: anchor \"A\" is declared twice, first on line 2"
    ),
    ("id,x,y,z\nA,1,2\n", "anchors.csv:2: row has 3 fields, the header has 4"),
    ("id,x,y,z\nA,1,,3\n", "anchors.csv:2: y is missing"),
    ("id,x,y,z\nA,1,two,3\n", "anchors.csv:2: y is not a number: \"two\""),
    ("id,x,y,z\nA,1,2,1e999\n", "anchors.csv:2: z is not a finite number: \"1e999\""),
    ("id,x,y,z\nA,1,2,nan\n", "anchors.csv:2: z is not a number: \"nan\""),
    ("id,x,y,z\n,1,2,3\n", "anchors.csv:2: id is missing"),
    ("id,x,y,z\n\"A,1,2,3\n", "anchors.csv:2: the row's quotes do not match"),
    ("id,x,y,z,sigma_m\nA,1,2,3,-1\n", "anchors.csv:2: sigma_m is negative: -1.0"),
    ("id,x,y,z,scale\nA,1,2,3,0\n", "anchors.csv:2: scale must be positive: 0.0"),
  ])
  func invalidFileThrows(_ text: String, _ expected: String) {
    #expect(reason(text) == expected)
  }
}
