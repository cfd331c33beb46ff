import Fathom
import FathomEvaluation
import Foundation
import TestSupport
import Testing

@testable import FathomRecordings

@Suite struct LiveLinksTests {
  /// A tag walks among four anchors, of which D reads 20 m too much.
  ///
  /// Once the diagnosis excludes D, the last 64 ranges of its link agree with nothing, and the link that
  /// delivers best has the worst score.
  @Test func theWrongAnchorHasTheWorstScore() throws {
    var generator = SeededGenerator(seed: 5101)
    var rows = "time_s,tag,anchor,distance_m\n"
    for index in 0..<4000 {
      let time = Double(index) / 40
      let tag = Vector<3>([4 + 2 * sin(0.3 * time), 3 + sin(0.5 * time), 1.3])
      let place = roomAnchors[index % 4]
      let noise = (place.name == "D" ? 0.02 : 0.05) * generator.normal()
      let distance = (place.anchor.position - tag).length + noise + (place.name == "D" ? 20 : 0)
      rows += "\(time),T,\(place.name),\(distance)\n"
    }
    try withTemporaryFolder { folder in
      let anchors = roomAnchors.map { name, anchor in
        "\(name),\(anchor.position.x),\(anchor.position.y),\(anchor.position.z)\n"
      }
      let path = folder + "/anchors.csv"
      try ("id,x,y,z\n" + anchors.joined()).write(toFile: path, atomically: true, encoding: .utf8)
      var options = LivePipeline.Options()
      options.calibration = .running
      options.settings.heightM = 1.3
      options.keepsLinks = true
      var pipeline = try LivePipeline(at: LiveSite(path, name: "stream"), options)
      _ = try pipeline.process(Array(rows.utf8))
      _ = try pipeline.process([], isLast: true)
      _ = pipeline.finish()
      #expect(pipeline.diagnoses.first?.anchors == ["D"], "seed 5101")
      for place in pipeline.links.all.indices {
        let name = pipeline.anchorNames[pipeline.links.all[place].anchor]
        let quality = pipeline.quality(ofLink: place)
        let score = try #require(quality.score, "seed 5101, \(name)")
        #expect(name == "D" ? score == 0 : score > 0.5, "seed 5101, \(name): \(score)")
      }
      #expect(pipeline.links.all.count == 4)
    }
  }
}
