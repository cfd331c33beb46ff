import Foundation
import TestSupport
import Testing

@testable import FathomRecordings

@Suite struct LiveSiteTests {
  private static let png: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 1, 2, 3]

  /// Runs `body` with the path of a folder with anchors, a floor plan and the given files.
  private func withSite(
    picture: String, files: [String: [UInt8]], _ body: (String) throws -> Void
  ) throws {
    let info =
      "{\"floor_plan\": {\"picture\": \"\(picture)\", \"metres_per_pixel\": 0.02, \"origin_m\": [-1, 2]}}"
    var files = files
    files["anchors.csv"] = Array("id,x,y,z\nA,0,0,2\nB,8,0,2\nC,8,6,2\nD,0,6,1\n".utf8)
    files["recording.json"] = Array(info.utf8)
    try withTemporaryFolder { folder in
      for (name, bytes) in files { try Data(bytes).write(to: URL(filePath: "\(folder)/\(name)")) }
      try body(folder)
    }
  }

  @Test func thePictureOfTheFloorPlanIsRead() throws {
    try withSite(picture: "plan.png", files: ["plan.png": Self.png]) { path in
      let site = try LiveSite(path, name: "stream")
      #expect(site.notes.isEmpty)
      #expect(site.floorPlan?.picture.bytes == Self.png)
      #expect(site.floorPlan?.placement.originM == [-1, 2])
      // It goes with the recording of the stream.
      #expect(site.files.first { $0.name == "plan.png" }?.bytes == Self.png)
    }
  }

  @Test func aReplayHasThePicture() throws {
    let ranges = Array("time_s,tag,anchor,distance_m\n0,t,A,3\n".utf8)
    try withSite(
      picture: "plan.png", files: ["plan.png": Self.png, "ranges.csv": ranges]
    ) { path in
      let replay = try LiveReplay(path, anchors: nil, options: RecordingOptions())
      #expect(replay.site.floorPlan?.picture.mediaType == "image/png")
    }
  }

  /// Positions do not need it: the stream runs, and a note says why it is not shown.
  @Test(arguments: ["missing.png", "anchors.csv"])
  func aPictureThatCannotBeReadIsNoted(_ picture: String) throws {
    try withSite(picture: picture, files: [:]) { path in
      let site = try LiveSite(path, name: "stream")
      #expect(site.floorPlan == nil)
      #expect(site.notes.count == 1 && site.notes[0].contains(picture), "\(site.notes)")
    }
  }
}
