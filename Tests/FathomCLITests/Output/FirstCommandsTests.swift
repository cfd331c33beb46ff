import Foundation
import TestSupport
import Testing

/// `fathom` without arguments: the three commands that it shows succeed in the folder.
@Suite struct FirstCommandsTests {
  /// Returns the commands that the tool shows in `folder`, and the line above them.
  private func shown(in folder: Folder) throws -> (what: String, commands: [String]) {
    let bare = try FathomTool.run(in: folder)
    #expect(bare.exitCode == 0 && bare.errors.isEmpty)
    let commands = bare.lines.filter { $0.hasPrefix("  ") }.map { String($0.dropFirst(2)) }
    #expect(commands.count == 3, "\(bare.output)")
    return (bare.lines.first { $0.hasSuffix(":") } ?? "", commands)
  }

  /// Runs `commands` with the tool in `PATH`.
  private func expectSuccess(_ commands: [String], in folder: Folder) throws {
    for outcome in try ShellSession.run(commands, in: folder.url) {
      #expect(outcome.exitCode == 0, "\(outcome.output)")
    }
  }

  @Test func worksInFolderWithRecording() throws {
    let folder = try Folder()
    try FileManager.default.copyItem(
      atPath: FathomTool.dataset("robot-2d"),
      toPath: folder.url.appending(path: "my walk").path(percentEncoded: false))
    let (what, commands) = try shown(in: folder)
    #expect(what == "my walk is a recording:")
    #expect(
      commands == [
        "fathom inspect 'my walk'", "fathom process 'my walk' -o results",
        "fathom evaluate 'results/my walk.positions.csv' 'my walk'",
      ])
    try expectSuccess(commands, in: folder)
    // A folder that exists is not proposed again.
    #expect(try shown(in: folder).commands[1] == "fathom process 'my walk' -o results-2")
  }

  @Test func worksWithoutFiles() throws {
    let folder = try Folder()
    try folder.write("notes.txt", "nothing")
    let (what, commands) = try shown(in: folder)
    #expect(what.hasPrefix("There is no recording here"))
    try expectSuccess(commands, in: folder)
    #expect(folder.names() == ["notes.txt"])
  }

  @Test func findsFilesAndAnchors() throws {
    let folder = try Folder()
    try folder.write("anchors.csv", "id,x,y\nA,0,0\nB,4,0\nC,0,3\n")
    #expect(try shown(in: folder).what.hasPrefix("anchors.csv has anchors"))
    try folder.write("data/monday.csv", "time_s,tag,anchor,distance_m\n0,T,A,2\n1,T,A,2.1\n")
    let (what, commands) = try shown(in: folder)
    #expect(what == "data/monday.csv is a recording:")
    #expect(commands[0] == "fathom inspect data/monday.csv")
  }
}
