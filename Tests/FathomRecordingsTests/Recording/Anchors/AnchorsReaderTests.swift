import Fathom
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
