import Foundation
import Testing

@Suite struct InspectTests {
  private static let text = "time_s;tag;distance_m;mood\n1;T;2;x\n1,5;T;3;y\n2;T;3;z\n"

  @Test func printsContentsOfFile() throws {
    let folder = try Folder()
    try folder.write("walk.csv", Self.text)
    let outcome = try FathomTool.run("inspect", "walk.csv", in: folder)
    #expect(outcome.exitCode == 0 && outcome.errors.isEmpty)
    #expect(
      outcome.lines.prefix(5) == [
        "walk.csv: csv, 53 bytes, fields separated by semicolon",
        "rows       3: 2 ranges, 0 events, 1 rejected",
        "time       1.0 to 2.0 s, 0 ranges out of order", "tags       T",
        "anchors    none declared",
      ])
    #expect(outcome.lines.contains("mood        (ignored)"))
    #expect(outcome.lines.contains("time_s is not a number     1           3"))
    #expect(outcome.lines.contains("note: no column anchor: one anchor, called 0"))
    #expect(folder.names() == ["walk.csv"])
  }

  @Test func namesStandardInput() throws {
    let outcome = try FathomTool.run(
      "inspect", "-", "--delimiter", "semicolon", in: try Folder(), input: Array(Self.text.utf8))
    #expect(outcome.lines.first?.hasPrefix("standard input: csv, 53 bytes") == true)
  }

  @Test func printsSameAsJSON() throws {
    let folder = try Folder()
    try folder.write("walk.csv", Self.text)
    let outcome = try FathomTool.run("inspect", "walk.csv", "--json", in: folder)
    let json = try JSONSerialization.jsonObject(with: Data(outcome.output.utf8))
    let object = try #require(json as? [String: Any])
    #expect(object["rows_read"] as? Int == 3)
    #expect(object["ranges"] as? Int == 2)
    #expect(object["delimiter"] as? String == ";")
    #expect((object["links"] as? [[String: Any]])?.first?["median_rate_hz"] as? Double == 1)
  }

  @Test func namesAnAnchorThatErrs() throws {
    let folder = try Folder()
    try folder.write("anchors.csv", "id,x,y,z\nA,0,0,1\nB,4,0,1\nC,4,3,1\nD,0,3,1\n")
    var lines = ["time_s,tag,anchor,distance_m"]
    for step in 0..<60 {
      for (name, distance) in [("A", 2.5), ("B", 2.5), ("C", 2.5), ("D", 12.5)] {
        let noise = Double((step * 7 + name.utf8.reduce(0) { $0 + Int($1) } * 5) % 11 - 5) / 100
        lines.append("\(Double(step) / 10),T,\(name),\(distance + noise)")
      }
    }
    try folder.write("ranges.csv", lines.joined(separator: "\n"))
    try folder.write("recording.json", "{\"height_m\": 1}")
    let outcome = try FathomTool.run("inspect", ".", in: folder)
    #expect(
      outcome.lines.contains { $0.hasPrefix("warning: anchor D reads 10.0") }, "\(outcome.output)")
    let process = try FathomTool.run("process", ".", "-o", "out", in: folder)
    #expect(process.exitCode == 0)
    #expect(process.errors.contains("they are not used (--keep D uses them)"), "\(process.errors)")
    let kept = try FathomTool.run("process", ".", "-o", "kept", "--keep", "D", in: folder)
    #expect(kept.errors.contains("they are used, as requested"), "\(kept.errors)")
    let calibrate = try FathomTool.run("calibrate", ".", "--noise", in: folder)
    #expect(calibrate.errors.contains("anchor D reads 10.0"), "\(calibrate.errors)")
  }

  @Test func showsOtherTables() throws {
    let folder = try Folder()
    try folder.write("walk/anchors.csv", "id,x,y,z\nA,0,0,1\nB,4,0,1.5\nC,4,3,1\n")
    try folder.write("walk/truth.csv", "time_s,x,y,tag\n1,0,2,T\n2.5,1,3,T\n")
    let anchors = try FathomTool.run("inspect", "walk/anchors.csv", in: folder)
    #expect(anchors.exitCode == 0 && anchors.errors.isEmpty, "\(anchors.errors)")
    #expect(anchors.lines.first == "walk/anchors.csv: positions of anchors, csv")
    // The sides of the triangle are 4.03, 3.04 and 5 m.
    #expect(anchors.lines.contains("anchors    A, B, C; 3.04 to 5.00 m apart"))
    #expect(anchors.output.contains("next:\n  fathom geometry walk/anchors.csv\n"))
    let truth = try FathomTool.run("inspect", "walk/truth.csv", in: folder)
    #expect(truth.lines.first == "walk/truth.csv: true positions, csv")
    #expect(truth.lines.contains("time       1.0 to 2.5 s"))
    #expect(truth.lines.contains("tags       T"))
    let json = try FathomTool.run("inspect", "walk/truth.csv", "--json", in: folder)
    let object = try #require(
      try JSONSerialization.jsonObject(with: Data(json.output.utf8)) as? [String: Any])
    #expect(object["kind"] as? String == "truth" && object["rows_read"] as? Int == 2)
    #expect((object["next"] as? [String])?.isEmpty == false)
    try folder.write("out/batch.json", "{}")
    let own = try FathomTool.run("inspect", "out/batch.json", in: folder)
    #expect(own.exitCode == 65 && own.errors.contains("fathom report out -o report.html"))
  }

  @Test(arguments: [("--delimiter", ";"), ("--delimiter", "semicolon"), ("--decimal", ",")])
  func appliesReadingOptions(_ option: String, _ value: String) throws {
    let folder = try Folder()
    try folder.write("walk.csv", Self.text)
    let outcome = try FathomTool.run("inspect", "walk.csv", option, value, in: folder)
    #expect(outcome.exitCode == 0)
    let rejected = option == "--decimal" ? "0 rejected" : "1 rejected"
    #expect(outcome.output.contains(rejected))
  }

  @Test(arguments: [
    (["lost.csv"], 66, "lost.csv: No such file or directory"), (["-"], 65, "-: the file is empty"),
    ([], 64, "Missing expected argument"), (["-", "--delimiter", "!"], 64, "'!' is invalid"),
  ])
  func explainsMisuse(_ arguments: [String], _ code: Int32, _ message: String) throws {
    let outcome = try FathomTool.run(["inspect"] + arguments, in: try Folder(), input: [])
    #expect(outcome.exitCode == code)
    #expect(outcome.errors.contains(message), "\(outcome.errors)")
    #expect(outcome.output.isEmpty)
  }
}
