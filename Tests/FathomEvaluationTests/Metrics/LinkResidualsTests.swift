import Fathom
import FathomEvaluation
import FathomRecordings
import TestSupport
import Testing

@Suite struct LinkResidualsTests {
  /// Ten ranges a second from the curve to anchors A and B in turn; `measure` converts the true
  /// distance into a range.
  private func recording(
    count: Int = 2000, height: Double? = nil, bias: Double = 0,
    _ measure: (_ distance: Double, _ anchor: Int, _ index: Int) -> Double
  ) -> Recording {
    var recording = Recording(name: "made")
    recording.tagNames = ["T"]
    recording.anchorNames = ["A", "B"]
    recording.anchors = [
      Anchor(position: point(-6, -5, 2), bias: bias), Anchor(position: point(7, 3, 0)),
    ]
    recording.facts.heightM = height
    for index in 0..<count {
      let seconds = Double(index) / 10
      let anchor = index % 2
      let distance = (placeOnCurve(at: seconds) - recording.anchors[anchor].position).length
      recording.ranges.time.append(instant(seconds))
      recording.ranges.tag.append(0)
      recording.ranges.anchor.append(Int32(anchor))
      recording.ranges.distance.append(measure(distance, anchor, index))
      recording.ranges.line.append(index + 2)
    }
    return recording
  }

  @Test func estimatesBiasScaleAndNoise() throws {
    var generator = SeededGenerator(seed: 51)
    let made = recording { distance, anchor, _ in
      let exact = anchor == 0 ? distance + 0.3 : 1.02 * distance
      return exact + 0.05 * generator.normal()
    }
    let links = LinkResiduals.links(of: made, truth: curveTruth(until: 200))
    #expect(links.map(\.anchor) == ["A", "B"] && links.map(\.count) == [1000, 1000])
    // The median of 1000 values has a standard error of 1.25 * 0.05 / sqrt(1000) = 2 mm, sigma
    // about 2 mm.
    #expect(isClose(links[0].biasM, 0.3, within: 0.01), "seed 51")
    #expect(isClose(links[0].sigmaM, 0.05, within: 0.01), "seed 51")
    #expect(isClose(links[0].tailShare, 0.0027, within: 0.008), "seed 51")
    let slopes = try links.map { try #require($0.scaleError) }
    let sigmas = try links.map { try #require($0.scaleErrorSigma) }
    #expect(slopes[0].magnitude < 4 * sigmas[0] && sigmas[0] < 0.003, "seed 51: \(slopes)")
    #expect((slopes[1] - 0.02).magnitude < 4 * sigmas[1], "seed 51: \(slopes)")
    #expect(links[0].holdShare == 0)
  }

  /// One range in ten is 5 m too long: bias and sigma hardly change, and the tail share is a tenth.
  @Test func outliersAffectOnlyTheTail() {
    var generator = SeededGenerator(seed: 52)
    let made = recording { distance, _, index in
      distance + 0.05 * generator.normal() + (index % 20 < 2 ? 5 : 0)
    }
    for link in LinkResiduals.links(of: made, truth: curveTruth(until: 200)) {
      #expect(link.biasM.magnitude < 0.02 && link.sigmaM < 0.07, "seed 52")
      #expect(isClose(link.tailShare, 0.1, within: 0.01), "seed 52")
      #expect((link.scaleError ?? 1).magnitude < 0.01, "seed 52")
    }
  }

  /// Every range occurs twice: of the 999 steps of 1000 ranges on a link, 500 are repetitions.
  @Test func countsHeldRanges() throws {
    var last = [0.0, 0.0]
    let made = recording { distance, anchor, index in
      if index % 4 < 2 { last[anchor] = distance }
      return last[anchor]
    }
    for link in LinkResiduals.links(of: made, truth: curveTruth(until: 200)) {
      #expect(isClose(try #require(link.holdShare), 500.0 / 999, within: 1e-12))
    }
  }

  @Test func usesDeclaredBiasAndHeight() {
    // The tag height of truth differs from that of the recording.
    let low = PositionTrack(
      times: (0...2000).map { instant(Double($0) / 10) },
      positions: (0...2000).map { step in
        var place = placeOnCurve(at: Double(step) / 10)
        place[2] = -50
        return place
      })
    let flat = recording(height: 1, bias: 0.3) { _, anchor, index in
      var place = placeOnCurve(at: Double(index) / 10)
      place[2] = 1
      let position = anchor == 0 ? point(-6, -5, 2) : point(7, 3, 0)
      return (place - position).length + (anchor == 0 ? 0.3 : 0)
    }
    let links = LinkResiduals.links(of: flat, truth: Truth(tracks: ["T": low]))
    #expect(links.count == 2)
    #expect(links.allSatisfy { $0.biasM.magnitude < 1e-12 && $0.sigmaM < 1e-12 })
  }

  @Test func fewRangesYieldNoScaleError() throws {
    let made = recording(count: 3) { distance, _, _ in distance }
    let links = LinkResiduals.links(of: made, truth: curveTruth(until: 200))
    #expect(links.map(\.count) == [2, 1])
    #expect(links[0].scaleError == nil && links[1].holdShare == nil)
    var nothing = made
    nothing.anchors = []
    #expect(LinkResiduals.links(of: nothing, truth: curveTruth(until: 200)).isEmpty)
    #expect(LinkResiduals.links(of: made, truth: Truth()).isEmpty)
  }
}
