import Fathom
import Testing

@testable import FathomRecordings

/// The errors of ranges of a recording, and what the user tells of them.
@Suite struct RecordingRangeErrorsTests {
  private static let room: [(name: String, anchor: Anchor)] =
    roomAnchors + [
      ("E", Anchor(position: Vector([4, 0, 2.4]))), ("F", Anchor(position: Vector([4, 6, 0.3]))),
      ("G", Anchor(position: Vector([0, 3, 2.6]))), ("H", Anchor(position: Vector([8, 3, 0.6]))),
    ]

  /// Returns ranges that are 0.4 m too long, of a tag that walks through the room, and those to some
  /// `others`.
  private static func recording(seed: UInt64, others: [String] = []) -> Recording {
    var state = seed
    func uniform() -> Double {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return (Double(state >> 11) + 0.5) / Double(1 << 53)
    }
    let ranges = (0..<400).flatMap { step -> [MadeRange] in
      let (first, second) = (uniform(), uniform())
      let tag = Vector<3>([1 + 6 * first, 1 + 4 * second, 0.8 + uniform()])
      return room.map { anchor in
        // The sum of twelve uniform numbers has variance 1.
        let noise = (0..<12).reduce(-6) { sum, _ in sum + uniform() }
        return MadeRange(
          seconds: 0.1 * Double(step), anchor: anchor.name,
          distance: (tag - anchor.anchor.position).length + 0.4 + 0.05 * noise)
      } + others.map { MadeRange(seconds: 0.1 * Double(step), anchor: $0, distance: 5) }
    }
    return Recording.made(anchors: room, ranges: ranges)
  }

  private static func errors(
    _ recording: Recording, _ change: (inout ProcessingSettings) -> Void = { _ in }
  ) -> (errors: RangeErrorEstimate?, settings: ProcessingSettings) {
    var settings = ProcessingSettings()
    settings.method = .fix
    change(&settings)
    let timeline = Timeline(recording)
    let completed = settings.completed(for: recording, timeline: timeline)
    return (
      recording.rangeErrors(
        completed, timeline: timeline, of: RecordingOutline(recording)), completed
    )
  }

  @Test(arguments: 1...4 as ClosedRange<UInt64>)
  func noiseAndBiasAreFound(_ seed: UInt64) throws {
    let (errors, settings) = Self.errors(Self.recording(seed: seed))
    let found = try #require(errors, "seed \(seed)")
    #expect(abs(found.correctedBias - 0.4) < 2 * (found.bias?.sigma ?? 0), "seed \(seed): \(found)")
    #expect(abs(found.sigma / 0.05 - 1) < 0.15, "seed \(seed): \(found)")
    #expect(settings.rangeSigma(found) == found.sigma)
  }

  /// A log can have ranges to anchors that the table of anchors lacks.
  @Test func anchorsWithoutAPositionAreIgnored() throws {
    let found = Self.errors(Self.recording(seed: 1, others: ["X", "Y"])).errors
    #expect(found != nil)
    #expect(found == Self.errors(Self.recording(seed: 1)).errors)
  }

  @Test func aToldSigmaWins() throws {
    let (errors, settings) = Self.errors(Self.recording(seed: 1)) { $0.rangeSigmaM = 0.3 }
    let found = try #require(errors)
    #expect(settings.rangeSigma(found) == 0.3)
    #expect(found.correctedBias != 0)
  }

  @Test func aToldBiasWins() throws {
    let recording = Self.recording(seed: 2)
    for told in [0, 0.4] {
      let found = try #require(Self.errors(recording) { $0.rangeBiasM = told }.errors)
      #expect(found.bias == nil && found.scale == nil && !found.hasRemainingErrors)
    }
    var surveyed = recording
    for index in surveyed.anchors.indices { surveyed.anchors[index].bias = 0.4 }
    let found = try #require(Self.errors(surveyed).errors)
    #expect(found.bias == nil && abs(found.sigma / 0.05 - 1) < 0.15, "\(found)")
  }

  @Test func nothingIsSearchedForIfAllIsTold() {
    let (errors, _) = Self.errors(Self.recording(seed: 3)) {
      $0.rangeSigmaM = 0.1
      $0.rangeBiasM = 0.4
    }
    #expect(errors == nil)
  }
}
