import Fathom
import Foundation
import TestSupport
import Testing

@testable import FathomRecordings

@Suite struct LiveDiagnosisTests {
  private static let anchors: [(name: String, position: Vector<3>)] = [
    ("A", Vector([0, 0, 0])), ("B", Vector([8, 0, 0.2])), ("C", Vector([8, 6, 2])),
    ("D", Vector([0, 6, 1])), ("E", Vector([4, 6.5, 2.5])), ("F", Vector([4, -0.5, 1.8])),
  ]

  /// The rows of a tag that walks among the anchors, of which F reads 20 m too much.
  private static func walk(_ count: Int) -> [String] {
    (0..<count).map { index in
      let time = Double(index) / 60
      let (name, anchor) = anchors[index % 6]
      let tag = Vector<3>([2 + 0.4 * time, 3 + sin(time), 1.3])
      let error = 0.03 * sin(Double(31 * index)) + (name == "F" ? 20 : 0)
      return "\((time * 1000).rounded() / 1000),tag,\(name),\((tag - anchor).length + error)\n"
    }
  }

  /// The first diagnosis takes effect after 156 ranges: 125 and a quarter.
  @Test func anAnchorThatReadsTooMuchIsLeftOutBeforeRange200() throws {
    try withTemporaryFolder { folder in
      let path = folder + "/anchors.csv"
      let rows = Self.anchors.map { name, p in "\(name),\(p.x),\(p.y),\(p.z)\n" }
      try ("id,x,y,z\n" + rows.joined()).write(toFile: path, atomically: true, encoding: .utf8)
      var options = LivePipeline.Options()
      options.calibration = .running
      var pipeline = try LivePipeline(at: LiveSite(path, name: "stream"), options)
      _ = try pipeline.process(Array("time_s,tag,anchor,distance_m\n".utf8))
      var reported: Int?
      for (index, row) in Self.walk(200).enumerated() {
        let results = try pipeline.process(Array(row.utf8))
        let isReported = results.messages.contains { $0.hasPrefix("not used from now on: ") }
        if reported == nil, isReported { reported = index + 1 }
      }
      let count = try #require(reported)
      #expect((156...200).contains(count))
      #expect(pipeline.diagnoses.map(\.anchors) == [["F"]])
    }
  }
}
