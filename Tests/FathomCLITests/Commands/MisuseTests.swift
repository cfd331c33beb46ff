import Foundation
import TestSupport
import Testing

/// `fathom process` with unusable input or options: it exits with a code, prints the fault and its
/// place to standard error and nothing to standard output, and writes no results.
@Suite struct MisuseTests {
  private static let ranges = "time_s,tag,anchor,distance_m\n1,T,A,2.5\n2,T,B,3.5\n"
  private static let anchors = "id,x,y,z\nA,0,0,0\nB,4,0,0\n"

  /// A folder with two valid recordings, to which tests add faulty files.
  private func folder() throws -> Folder {
    let folder = try Folder()
    try folder.write("good.csv", Self.ranges)
    try folder.write("walk/ranges.csv", Self.ranges)
    try folder.write("walk/anchors.csv", Self.anchors)
    return folder
  }

  private func expectFailure(
    _ arguments: [String], in folder: Folder, code: Int32, message: String,
    input: [UInt8]? = nil, sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    let before = folder.names()
    let outcome = try FathomTool.run(["process"] + arguments, in: folder, input: input)
    #expect(outcome.exitCode == code, "\(outcome.errors)", sourceLocation: sourceLocation)
    #expect(
      outcome.errors.contains(message), "\(outcome.errors)", sourceLocation: sourceLocation)
    #expect(outcome.output.isEmpty, sourceLocation: sourceLocation)
    #expect(folder.names() == before, "files were left behind", sourceLocation: sourceLocation)
  }

  // MARK: Input

  @Test(arguments: [
    ("empty.csv", "", "empty.csv: the file is empty"),
    ("comments.csv", "# nothing\n\n", "comments.csv: the file has no header"),
    ("header.csv", "time_s,tag,anchor,distance_m\n", "header.csv: there are no rows of data"),
    ("other.csv", "a,b\n1,2\n", "other.csv:1: the header lacks time_s, distance_m; found \"a\""),
    ("bare.csv", "1,T,A,2\n2,T,A,2\n", "bare.csv:1: the first row is not a header"),
    ("near.csv", "time,distanse\n1,2\n", "(is \"distanse\" the distance?)"),
    ("wide.csv", "\u{0}t\u{0}i\u{0}m\u{0}e\u{0}", "wide.csv: not a text file"),
  ])
  func rejectsOtherFilesAsBadData(_ name: String, _ text: String, _ message: String) throws {
    let folder = try folder()
    try folder.write(name, text)
    try expectFailure([name, "-o", "out"], in: folder, code: 65, message: message)
    try expectFailure(
      ["-", "-o", "out"], in: folder, code: 65,
      message: message.replacing(name, with: "-"), input: Array(text.utf8))
  }

  @Test func reportsMissingInput() throws {
    let folder = try folder()
    try folder.write("bare/notes.txt", "nothing")
    try expectFailure(
      ["nowhere.csv", "-o", "out"], in: folder, code: 66,
      message: "nowhere.csv: No such file or directory\n")
    try expectFailure(
      ["bare", "-o", "out"], in: folder, code: 66,
      message: "bare: there is no ranges.csv in this folder\n")
    try expectFailure(
      ["good.csv", "--anchors", "lost.csv", "-o", "out"], in: folder, code: 66,
      message: "lost.csv: No such file or directory\n")
  }

  @Test func requiresEachAnchorDeclaredOnce() throws {
    let folder = try folder()
    try folder.write("one.csv", "id,x,y,z\nC,0,0,0\n")
    try folder.write("twice.csv", Self.anchors + "A,1,1,1\n")
    try folder.write("bad.csv", "id,x,y,z\nA,0,zero,0\n")
    try expectFailure(
      ["good.csv", "--anchors", "one.csv", "-o", "out"], in: folder, code: 65,
      message: "good.csv:2: no range is left: 2 rows name anchors that are not declared: \"A\","
        + " \"B\"; declared: \"C\"\n")
    try expectFailure(
      ["good.csv", "--anchors", "twice.csv", "-o", "out"], in: folder, code: 65,
      message: "twice.csv:4: anchor \"A\" is declared twice, first on line 2\n")
    try expectFailure(
      ["good.csv", "--anchors", "bad.csv", "-o", "out"], in: folder, code: 65,
      message: "bad.csv:2: y is not a number: \"zero\"\n")
  }

  @Test func rejectsTruncatedGzip() throws {
    let folder = try folder()
    try folder.write("cut.csv.gz", bytes: [0x1F, 0x8B, 0x08, 0x00, 0x00])
    try expectFailure(["cut.csv.gz", "-o", "out"], in: folder, code: 65, message: "cut.csv.gz: ")
  }

  @Test func listsRejectedRow() throws {
    let folder = try folder()
    try folder.write("comma.csv", Self.ranges + "3,T,A,\"2,31\"\n")
    let outcome = try FathomTool.run("process", "comma.csv", "-o", "out", in: folder)
    #expect(outcome.exitCode == 0)
    #expect(
      try folder.text("out/comma.rejected.csv") == """
        line,column,reason,text
        4,distance_m,"distance_m is not a number: ""2,31"" (decimal comma? try --decimal ,)",\
        "3,T,A,""2,31\"""

        """)
    #expect(try folder.text("out/comma.summary.json").contains("\"set_aside\" : 1"))
  }

  @Test func strictFailsOnRejectedRow() throws {
    let folder = try folder()
    try folder.write("comma.csv", Self.ranges + "3,T,A,\"2,31\"\n")
    try expectFailure(
      ["comma.csv", "-o", "out", "--strict"], in: folder, code: 65,
      message: "comma.csv:4: distance_m is not a number: \"2,31\""
        + " (decimal comma? try --decimal ,)\n")
    // The suggested option makes such a file readable.
    try folder.write("semicolons.csv", "time_s;distance_m\n1;2,31\n")
    let outcome = try FathomTool.run(
      "process", "semicolons.csv", "-o", "out", "--strict", "--decimal", ",", in: folder)
    #expect(outcome.exitCode == 0)
    #expect(try folder.text("out/semicolons.distances.csv").contains(",2.3100,"))
  }

  // MARK: Output

  @Test func replacesResultsOnlyWithForce() throws {
    let folder = try folder()
    try folder.write("out/good.summary.json", "old")
    try expectFailure(
      ["good.csv", "-o", "out"], in: folder, code: 73,
      message: "out/good.summary.json: already exists"
        + " (use --force to replace it, or --resume to continue)\n"
    )
    #expect(folder.names("out") == ["batch.json", "batch.csv", "good.summary.json"])
    #expect(try folder.text("out/good.summary.json") == "old")
    let outcome = try FathomTool.run("process", "good.csv", "-o", "out", "--force", in: folder)
    #expect(outcome.exitCode == 0)
    #expect(folder.names("out") == FathomTool.batch("good"))
    #expect(try folder.text("out/good.summary.json") != "old")
  }

  @Test func reportsUnwritablePlaces() throws {
    let folder = try folder()
    for place in ["good.csv", "good.csv/deeper"] {
      try expectFailure(
        ["walk", "-o", place], in: folder, code: 73,
        message: "\(place)/walk.positions.csv: Not a directory\n")
    }
    // A folder in the place of the last of the four files: none of them is written.
    try folder.write("out/good.summary.json/x", "")
    try expectFailure(
      ["good.csv", "-o", "out", "--force"], in: folder, code: 73,
      message: "out/good.summary.json: Is a directory\n")
    #expect(folder.names("out") == ["batch.json", "batch.csv", "good.summary.json"])
  }

  @Test func writesToResultsByDefault() throws {
    let folder = try folder()
    let outcome = try FathomTool.run("process", "good.csv", in: folder)
    #expect(outcome.exitCode == 0)
    #expect(outcome.errors.hasSuffix("results are in results/ (-o DIR names another folder)\n"))
    #expect(folder.names("results") == FathomTool.batch("good"))
    let again = try FathomTool.run("process", "good.csv", in: folder)
    #expect(again.exitCode == 73 && again.errors.contains("results/good.positions.csv: already"))
  }

  @Test func namesWhatARefusedInputIs() throws {
    let folder = try folder()
    try expectFailure(
      ["walk/anchors.csv", "-o", "out"], in: folder, code: 65,
      message: "this file has positions of anchors, not ranges; try fathom inspect walk/anchors.csv"
    )
    try expectFailure(
      [".", "-o", "out"], in: folder, code: 66,
      message: "there is no ranges.csv in this folder; try ")
    try expectFailure(
      ["good.csv", "--anchors", "walk/ranges.csv", "-o", "out"], in: folder, code: 65,
      message: "this file has ranges, not anchors")
    // A folder with anchors.csv is as good as the file.
    let outcome = try FathomTool.run(
      "process", "good.csv", "--anchors", "walk", "-o", "out", in: folder)
    #expect(outcome.exitCode == 0, "\(outcome.errors)")
  }

  /// Exchanged anchors of all differences give a smooth track in a wrong place.
  @Test(.releaseOnly, arguments: ["fix", "filter", "smooth"])
  func namesDifferencesOfTheOppositeSign(_ method: String) throws {
    let folder = try Folder()
    let anchors = [(0.0, 0.0, 0.3), (8, 0, 2.8), (8, 6, 0.3), (0, 6, 2.8), (4, 0, 1.5), (4, 6, 2)]
    var table = "time_s,anchor_a,anchor_b,difference_m\n"
    for step in 0..<400 {
      let time = 0.05 * Double(step)
      let tag = (3 + 2 * cos(0.4 * time), 2.5 + 1.5 * sin(0.4 * time), 1 + 0.2 * sin(time))
      func distance(_ place: Int) -> Double {
        let (x, y, z) = anchors[place]
        let noise = 0.05 * sin(12.9898 * Double(7 * step + place)) * cos(78.233 * Double(step))
        return hypot(hypot(x - tag.0, y - tag.1), z - tag.2) + noise
      }
      for place in 1..<anchors.count {
        table += "\(time),A\(place),A0,\(distance(place) - distance(0))\n"
      }
    }
    try folder.write("walk/tdoa.csv", table)
    try folder.write(
      "walk/anchors.csv",
      "id,x,y,z\n"
        + anchors.enumerated().map { "A\($0),\($1.0),\($1.1),\($1.2)\n" }.joined())
    let swap = ["--columns", "anchor_a=anchor_b,anchor_b=anchor_a"]
    for (options, isWrong) in [([], false), (swap, true)] {
      let outcome = try FathomTool.run(
        ["process", "walk", "-o", "out", "--force", "--method", method] + options, in: folder)
      #expect(outcome.exitCode == 0, "\(outcome.errors)")
      #expect(
        outcome.errors.contains("with the opposite sign only") == isWrong, "\(outcome.errors)")
      let positions = try folder.text("out/walk.positions.csv")
      #expect((positions.contains(",tracking") || positions.contains(",fix")) != isWrong)
    }
  }

  @Test func namesWhatAMissingInputCouldBe() throws {
    let folder = try folder()
    for (given, advice) in [
      ("Good.csv", "did you mean good.csv?"), ("walk/rangs.csv", "did you mean walk/ranges.csv?"),
      ("wlak/ranges.csv", "did you mean walk/ranges.csv?"),
      ("walks/ranges.csv", "did you mean walk/ranges.csv?"),
      ("walk/ranges", "did you mean walk/ranges.csv?"), ("a.csv", nil), ("nothing.csv", nil),
      ("https://example.com/walk.csv", "fathom does not download: try curl -LO https://"),
      ("mqtt://hall/ranges", "try mosquitto_sub -L mqtt://hall/ranges | fathom stream -"),
      ("ws://hall:80", "live sources are udp://[HOST]:PORT, tcp://HOST:PORT"),
    ] {
      let message = "\(given): No such file or directory" + (advice.map { "; \($0)" } ?? "\n")
      try expectFailure([given, "-o", "out"], in: folder, code: 66, message: message)
    }
    let port = try FathomTool.run("stream", "/dev/ttyNONE", "--anchors", "walk", in: folder)
    #expect(port.exitCode == 66)
    #expect(port.errors.contains("connected"), "\(port.errors)")
  }

  @Test func reportsFailuresAsJSON() throws {
    struct Failure: Decodable {
      struct Body: Decodable {
        var message: String, exit_code: Int32, path: String?, line: Int?, reason: String?
      }
      var error: Body
    }
    let folder = try folder()
    try folder.write("other.csv", "a,b\n1,2\n")
    func failure(_ arguments: String...) throws -> Failure.Body {
      let outcome = try FathomTool.run(arguments, in: folder)
      let line = outcome.errors.split(separator: "\n").last.map(String.init) ?? ""
      let found = try JSONDecoder().decode(Failure.self, from: Data(line.utf8)).error
      #expect(found.exit_code == outcome.exitCode && outcome.output.isEmpty)
      return found
    }
    let bad = try failure("process", "other.csv", "-o", "out", "--json")
    #expect(bad.path == "other.csv" && bad.line == 1 && bad.exit_code == 65)
    #expect(bad.message.hasPrefix("other.csv:1: \(bad.reason ?? "-")"))
    #expect(try failure("inspect", "lost.csv", "--json").exit_code == 66)
    let usage = try failure("inspect", "good.csv", "--json", "--hieght", "1")
    #expect(usage.exit_code == 64 && usage.path == nil)
    #expect(usage.message.contains("'--hieght'") && !usage.message.contains("Usage:"))
    #expect(try failure("proces", "--json").message.contains("did you mean process?"))
  }

  @Test func keepsDevices() throws {
    let folder = try folder()
    try FileManager.default.createDirectory(
      at: folder.url.appending(path: "made"), withIntermediateDirectories: true)
    let place = folder.url.appending(path: "made/truth.csv").path(percentEncoded: false)
    try FileManager.default.createSymbolicLink(atPath: place, withDestinationPath: "/dev/null")
    let replaced = try FathomTool.run(
      "simulate", "\(FathomTool.dataset("robot-2d"))/scenario.yaml", "-o", "made", "--force",
      in: folder)
    #expect(replaced.exitCode == 73, "\(replaced.errors)")
    #expect(replaced.errors.contains("is a device, which a file cannot replace"))
    var status = stat()
    #expect(stat(place, &status) == 0 && status.st_mode & S_IFMT == S_IFCHR)
  }

  // MARK: Usage

  @Test(arguments: [
    ([], "Missing expected argument"),
    (["-o", "out"], "<recordings>"),
    (["good.csv", "-o", ""], "--output must name a folder"),
    (["good.csv", "", "-o", "out"], "a recording's name is empty"),
    (["good.csv", "-o", "out", "--colour"], "Unknown option '--colour'"),
    (
      ["good.csv", "-o", "out", "--lag", "1"], "Unknown option '--lag': it is one of fathom stream"
    ),
    (["good.csv", "-output", "out"], "Unknown option '-output'. Did you mean '--output'?"),
    (
      ["good.csv", "--rate", "0", "--ouput=x"], "Unknown option '--ouput'. Did you mean '--output'?"
    ),
    (["good.csv", "--height", "0,3"], "numbers have a decimal point, 0.3"),
    (["good.csv", "-o", "out", "--method", "magic"], "'magic' is invalid"),
    (["good.csv", "-o", "out", "--jobs", "0"], "--jobs must be from 1 to 1024"),
    (["good.csv", "-o", "out", "--jobs", "-1"], "--jobs must be from 1 to 1024"),
    (["good.csv", "-o", "out", "--jobs", "two"], "'two' is invalid"),
    (["good.csv", "-o", "out", "--rate", "0"], "--rate must be from 0.001 to 1000000\n"),
    (["good.csv", "-o", "out", "--rate", "-5"], "--rate must be from 0.001 to 1000000\n"),
    (["good.csv", "-o", "out", "--rate", "nan"], "--rate must be from"),
    (["good.csv", "-o", "out", "--rate", "inf"], "--rate must be from"),
    (["good.csv", "-o", "out", "--epoch-window", "nan"], "--epoch-window must be from"),
    (["good.csv", "-o", "out", "--height", "nan"], "--height must be from"),
    (["good.csv", "-o", "out", "--height-sigma", "0"], "--height-sigma must be from"),
    (["good.csv", "-o", "out", "--bounds", "0,0,0,1,1"], "--bounds must be the least x,y,z"),
    (["good.csv", "-o", "out", "--bounds", "2,0,1,1"], "--bounds must be the least x,y,z"),
    (["good.csv", "-o", "out", "--bounds", "0,0,x,1"], "--bounds must be the least x,y,z"),
    (["good.csv", "-o", "out", "--results", "csv,xml"], "'csv,xml' is invalid"),
    (["good.csv", "-o", "out", "--results", ""], "'' is invalid"),
    (["good.csv", "-o", "out", "--range-sigma", "0"], "--range-sigma must be from"),
    (["good.csv", "-o", "out", "--angle-sigma", "nan"], "--angle-sigma must be from"),
    (
      ["good.csv", "-o", "out", "--heading-sigma", "5e-5"],
      "--heading-sigma must be from 5.72958e-05 to 180"
    ),
    (
      ["good.csv", "-o", "out", "--heading-sigma", "181"],
      "--heading-sigma must be from 5.72958e-05 to 180"
    ),
    (
      ["good.csv", "-o", "out", "--height", "1e10"],
      "--height must be from -1000000000 to 1000000000"
    ),
    (["good.csv", "-o", "out", "--acceleration", "-1"], "--acceleration must be from"),
    (["good.csv", "-o", "out", "--columns", "time"], "--columns must be name=column"),
    (["good.csv", "sub/good.csv", "-o", "out"], "would both write good.positions.csv"),
    (["good.csv", "good.csv", "-o", "out"], "would both write good.positions.csv"),
    (["good.csv", "-o", "out", "--force", "--resume"], "--force and --resume cannot be combined"),
    (["-", "-", "-o", "out"], "would both write stdin.positions.csv"),
  ])
  func explainsWrongUsage(_ arguments: [String], _ message: String) throws {
    let folder = try folder()
    try expectFailure(arguments, in: folder, code: 64, message: message)
    let outcome = try FathomTool.run(["process"] + arguments, in: folder)
    #expect(outcome.errors.contains("Usage: fathom process"))
  }
}
