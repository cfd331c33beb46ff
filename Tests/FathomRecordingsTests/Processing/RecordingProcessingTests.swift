import Fathom
import FathomEvaluation
import TestSupport
import Testing

@testable import FathomRecordings

@Suite struct RecordingProcessingTests {
  /// Returns noisy ranges of a tag that walks along a line, at irregular and distinct instants.
  private func walk(seed: UInt64 = 5, count: Int = 400) -> [MadeRange] {
    var generator = SeededGenerator(seed: seed)
    var seconds = 0.0
    return (0..<count).map { step in
      seconds += generator.uniform(in: 0.005...0.045)
      let (name, anchor) = roomAnchors[step % 4]
      let tag = Vector<3>([1 + 0.4 * seconds, 2 + 0.1 * seconds, 1])
      return MadeRange(
        seconds: seconds, anchor: name,
        distance: (anchor.position - tag).length + 0.1 * generator.normal())
    }
  }

  private func made(_ ranges: [MadeRange], anchors: Bool = true) -> Recording {
    .made(anchors: anchors ? roomAnchors : [], ranges: ranges)
  }

  /// Returns the text of the four files, without what depends on the order of the rows.
  private func texts(_ recording: Recording, _ settings: ProcessingSettings) -> [String] {
    var processed = recording.processed(with: settings)
    processed.summary.warnings = []
    processed.summary.time?.outOfOrder = 0
    return ResultWriter.files(of: processed, in: "out").map {
      String(decoding: $0.bytes, as: UTF8.self)
    }
  }

  @Test(arguments: PositionMethod.allCases)
  func resultsDoNotDependOnRowOrder(_ method: PositionMethod) {
    var generator = SeededGenerator(seed: 11)
    let ranges = walk()
    var settings = ProcessingSettings()
    settings.method = method
    let expected = texts(made(ranges), settings)
    #expect(expected[0].split(separator: "\n").count > 300)
    for _ in 0..<5 {
      #expect(texts(made(ranges.shuffled(using: &generator)), settings) == expected)
    }
  }

  @Test func processingIsDeterministic() {
    let recording = made(walk())
    let settings = ProcessingSettings()
    #expect(texts(recording, settings) == texts(recording, settings))
  }

  @Test(arguments: SmoothingMethod.allCases, [PositionMethod.filter, .fix])
  func everySmootherFollowsTheTag(_ smoothing: SmoothingMethod, _ method: PositionMethod) {
    var settings = ProcessingSettings()
    settings.smoothing = smoothing
    settings.method = method
    let recording = made(walk())
    let processed = recording.processed(with: settings)
    #expect(processed.summary.settings.smoothing == smoothing)
    let distances = processed.distances
    #expect(distances.time.count == 400)
    for index in distances.time.indices {
      // The speed is at most 0.5 m/s, so every smoother stays within a metre.
      let difference = (distances.smoothed[index] - distances.distance[index]).magnitude
      #expect(difference < 1, "\(smoothing): \(difference) m at \(distances.time[index].seconds)")
    }
    let hasSigma = smoothing == .kalmanVelocity || smoothing == .kalmanPosition
    #expect(distances.sigma.allSatisfy { $0.isFinite == hasSigma })
    #expect(distances.sigma.allSatisfy { $0.isNaN || $0 > 0 })
  }

  @Test func usesSmootherOfEachName() {
    let recording = made(walk())
    let columns = SmoothingMethod.allCases.map { smoothing in
      var settings = ProcessingSettings()
      settings.smoothing = smoothing
      return recording.processed(with: settings).distances.smoothed
    }
    #expect(Set(columns).count == SmoothingMethod.allCases.count)
  }

  /// Smoothers with a noise model take it from the settings, including the limits that the command
  /// line allows.
  @Test(arguments: [SmoothingMethod.kalmanVelocity, .kalmanPosition, .hampel, .alphaBeta])
  func smoothersUseRangeSigma(_ smoothing: SmoothingMethod) {
    // Every tenth range of a link is 0.4 m too long: an outlier for a sigma of 0.01 m, not of 1 m.
    let recording = made(
      walk().enumerated().map { index, range in
        var range = range
        if index / 4 % 10 == 9 { range.distance += 0.4 }
        return range
      })
    func smoothed(_ sigma: Double, _ density: Double) -> [Double] {
      var settings = ProcessingSettings()
      settings.smoothing = smoothing
      settings.rangeSigmaM = sigma
      settings.accelerationDensity = density
      return recording.processed(with: settings).distances.smoothed
    }
    #expect(smoothed(0.01, 0.5) != smoothed(1, 0.5))
    for (sigma, density) in [(1e-6, 0.0), (1e-6, 1e6), (1e6, 0), (1e6, 1e6)] {
      #expect(smoothed(sigma, density).allSatisfy { $0.isFinite && $0 >= 0 })
    }
  }

  @Test(arguments: PositionMethod.allCases)
  func everyRangeHasRowAndDecision(_ method: PositionMethod) {
    var settings = ProcessingSettings()
    settings.method = method
    let processed = made(walk()).processed(with: settings)
    let summary = processed.summary
    #expect(processed.distances.time.count == 400)
    #expect(summary.rows.read == 400 && summary.rows.used == 400 && summary.rows.rejected == 0)
    #expect(summary.decisions.values.reduce(0, +) == 400)
    #expect(summary.positions.values.reduce(0, +) == processed.positions.count)
    #expect(summary.links.map(\.ranges).reduce(0, +) == 400)
    #expect((summary.consistency != nil) == (method == .filter))
    #expect((summary.undeterminedEpochs != nil) == (method == .fix))
    #expect((summary.settings.epochWindowS != nil) == (method == .fix))
  }

  @Test func rangesWithoutPositionAreUnused() {
    // Two ranges, then a gap: no epoch is solved.
    var settings = ProcessingSettings()
    settings.method = .fix
    let processed = made(Array(walk().prefix(2))).processed(with: settings)
    #expect(processed.distances.decision == [.unused, .unused])
    #expect(processed.summary.decisions == ["unused": 2])
    #expect(processed.positions.count == 0)
  }

  @Test func givenHeightTakesPrecedence() {
    var recording = made(walk())
    recording.facts.heightM = 1.5
    var settings = ProcessingSettings()
    #expect(recording.processed(with: settings).summary.settings.heightM == 1.5)
    settings.heightM = 0.5
    let processed = recording.processed(with: settings)
    #expect(processed.summary.settings.heightM == 0.5)
    let heights = zip(processed.positions.position, processed.positions.status)
      .filter { $0.1 == .tracking }.map { $0.0[2] }
    #expect(!heights.isEmpty && heights.allSatisfy { $0 == 0.5 })
  }

  @Test func positionsWithoutAnchorsAreRelative() {
    var recording = made(Array(walk().prefix(4)), anchors: false)
    recording.ranges[.directionX] = [0.6, .nan, 0, 1]
    recording.ranges[.directionY] = [0, .nan, 0, 0]
    recording.ranges[.directionZ] = [-0.8, .nan, -1, 0]
    var settings = ProcessingSettings()
    settings.method = .fix
    let found = recording.processed(with: settings).positions
    #expect(found.count == 3)
    #expect(found.tag == ["A", "C", "D"])
    #expect(found.status == [.relative, .relative, .relative])
    for (place, index) in [0, 2, 3].enumerated() {
      #expect(
        isClose(found.position[place].length, recording.ranges.distance[index], within: 1e-12))
    }
    // The method `filter` uses the smoothed distance.
    let processed = recording.processed()
    for (place, index) in [0, 2, 3].enumerated() {
      #expect(
        isClose(
          processed.positions.position[place].length, processed.distances.smoothed[index],
          within: 1e-12))
    }
  }

  @Test func namesContainTheDeviceIfThereAreSeveral() {
    var recording = Recording.made(ranges: [
      MadeRange(seconds: 0, tag: "P", anchor: "lamp", distance: 2),
      MadeRange(seconds: 1, tag: "Q", anchor: "lamp", distance: 2),
    ])
    recording.ranges[.directionX] = [0, 0]
    recording.ranges[.directionY] = [0, 0]
    recording.ranges[.directionZ] = [-1, -1]
    #expect(recording.processed().positions.tag == ["P:lamp", "Q:lamp"])
  }

  /// Extreme numbers neither trap nor appear as NaN or infinity in the results.
  @Test(arguments: PositionMethod.allCases)
  func toleratesExtremeNumbers(_ method: PositionMethod) {
    var generator = SeededGenerator(seed: 23)
    let sizes = [1e-300, 1e-9, 1, 1e9, 3e38]
    for round in 0..<60 {
      let anchors = (0..<5).map { index in
        let position = Vector<3>([
          generator.normal() * sizes[Int(generator.next() % 5)],
          generator.normal() * sizes[Int(generator.next() % 5)], generator.normal(),
        ])
        return ("\(index)", Anchor(position: position, bias: generator.normal()))
      }
      let ranges = (0..<40).map { _ in
        MadeRange(
          seconds: generator.uniform(in: 0...1) * sizes[Int(generator.next() % 4)],
          anchor: "\(generator.next() % 5)",
          distance: generator.uniform(in: 1e-9...1) * sizes[Int(generator.next() % 5)])
      }
      var recording = Recording.made(anchors: anchors, ranges: ranges)
      recording.ranges[.sigma] = (0..<40).map { _ in sizes[Int(generator.next() % 5)] }
      var settings = ProcessingSettings()
      settings.method = method
      let files = ResultWriter.files(of: recording.processed(with: settings), in: "out")
      let text = files.map { String(decoding: $0.bytes, as: UTF8.self) }.joined().lowercased()
      #expect(!text.contains("nan") && !text.contains("inf"), "seed 23, round \(round)")
    }
  }
}
