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
    let sample = recording.rangeSample(timeline)
    let outline = RecordingOutline(recording).diagnosed(sample, completed)
    return (outline.rangeErrors(completed, sample), completed)
  }

  @Test(arguments: 1...4 as ClosedRange<UInt64>)
  func noiseAndBiasAreFound(_ seed: UInt64) throws {
    let (errors, settings) = Self.errors(Self.recording(seed: seed))
    let found = try #require(errors, "seed \(seed)")
    #expect(abs(found.correctedBias - 0.4) < 2 * (found.bias?.sigma ?? 0), "seed \(seed): \(found)")
    #expect(abs(found.sigma / 0.05 - 1) < 0.15, "seed \(seed): \(found)")
    #expect(settings.rangeSigma(found) == found.sigma)
  }

  /// Returns the recording with some anchors that read too much.
  private static func recording(seed: UInt64, offsets: [Int: Double]) -> Recording {
    var recording = recording(seed: seed)
    for index in 0..<recording.ranges.count {
      recording.ranges.distance[index] += offsets[Int(recording.ranges.anchor[index])] ?? 0
    }
    return recording
  }

  /// A small offset is for the calibration alone; the diagnosis names a large one.
  @Test(arguments: [[:], [2: 0.4, 5: -0.3], [1: 3], [1: 20]], [nil, ["B"]])
  func methodsReportTheSameErrors(_ offsets: [Int: Double], _ kept: [String]?) throws {
    for seed in 1...2 as ClosedRange<UInt64> {
      let recording = Self.recording(seed: seed, offsets: offsets)
      let summaries = PositionMethod.allCases.map { method in
        var settings = ProcessingSettings()
        (settings.method, settings.keptAnchors) = (method, kept)
        return recording.processed(with: settings).summary
      }
      let fix = try #require(summaries.first?.rangeErrors, "seed \(seed)")
      #expect(summaries.first?.settings.method == .fix)
      for summary in summaries {
        let found = try #require(summary.rangeErrors, "seed \(seed)")
        #expect(found.biasM == fix.biasM && found.biasSigmaM == fix.biasSigmaM, "seed \(seed)")
        #expect(found.scale == fix.scale && found.scaleSigma == fix.scaleSigma, "seed \(seed)")
        #expect(found.offsets == fix.offsets && found.offsetDecision == fix.offsetDecision)
        #expect(summary.diagnoses == summaries.first?.diagnoses, "seed \(seed)")
        for calibration in summary.calibration ?? [] {
          for (name, offset) in calibration.offsetsM ?? [:] {
            #expect(fix.offsets?.first { $0.anchor == name }?.offsetM == offset, "seed \(seed)")
          }
          #expect((calibration.offsetsM != nil) == (fix.offsetDecision == "corrected"))
        }
      }
      // What a diagnosis names is what the calibration names.
      for diagnosis in summaries.first?.diagnoses ?? [] where diagnosis.code == .anchorOffset {
        let offset = fix.offsets?.first { $0.anchor == diagnosis.anchors.first }
        #expect(offset?.offsetM == diagnosis.evidence["offset_m"], "seed \(seed)")
      }
    }
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
