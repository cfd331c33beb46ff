import Fathom
import Testing

@testable import FathomRecordings

@Suite struct AnchorsReaderTests {
  private func read(
    _ text: String, _ separator: DecimalSeparator = .point
  ) throws(RecordingError) -> DeclaredAnchors {
    try AnchorsReader.read(
      ByteSource(path: "anchors.csv", stored: Array(text.utf8)), decimalSeparator: separator)
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

  @Test func headerWithoutRowsMeansNoAnchors() throws {
    #expect(try read("id,x,y,z\n") == DeclaredAnchors())
  }

  @Test(arguments: [
    ("", "anchors.csv: the file is empty"),
    ("id,x,y\nA,1,2\n", "anchors.csv:1: the header lacks z; found \"id\", \"x\", \"y\""),
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
