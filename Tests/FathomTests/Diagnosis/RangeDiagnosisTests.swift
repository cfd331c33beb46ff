import TestSupport
import Testing

@testable import Fathom

/// Finds mistakes in simulated recordings, and nothing in correct ones.
@Suite(.releaseOnly) struct RangeDiagnosisTests {
  private static let seeds = UInt64(repetitions(100, long: 1000))

  @Test(arguments: SimulatedSite.Mistake.allCases)
  func theCauseIsNamed(_ mistake: SimulatedSite.Mistake) {
    var wrong: [String] = []
    for seed in 0..<Self.seeds {
      let site = SimulatedSite(mistake, seed: seed)
      if !site.isRight {
        wrong.append("seed \(seed): \(site.diagnoses.map(\.message))")
      }
    }
    print("\(mistake): right \(Int(Self.seeds) - wrong.count) of \(Self.seeds)")
    // Of clean recordings 98 of 100 have no diagnosis, of others 95 have the right one.
    let most = Int(Self.seeds) * (mistake == .none ? 2 : 5) / 100
    #expect(wrong.count <= most, "\(mistake): \(wrong.joined(separator: "\n"))")
  }

  @Test func aHeightIsFound() throws {
    var errors: [Double] = []
    for seed in 0..<Self.seeds {
      let site = SimulatedSite(.height, seed: seed)
      guard let found = site.diagnosis.diagnoses.first(where: { $0.code == .heightContradicted }),
        let height = found.evidence["height_m"], let sigma = found.evidence["height_sigma_m"]
      else { continue }
      errors.append((height - site.truth) / sigma)
    }
    // Normal errors exceed three standard deviations once in 370 times.
    let wide = errors.count { $0.magnitude > 3 }
    #expect(wide <= errors.count * 3 / 100, "\(errors)")
  }

  @Test func anchorsThatErrAllTheTimeAreUnusable() {
    for seed in 0..<20 as Range<UInt64> {
      let site = SimulatedSite(.offset, seed: seed)
      let named = site.diagnosis.unusableAnchors.map { "A\($0)" }
      #expect(Set(named).isSubset(of: site.culprits), "seed \(seed)")
    }
  }

  /// An error of an anchor or of all ranges has one value, or none: what the diagnosis names is not corrected
  /// by another value.
  @Test(arguments: SimulatedSite.Mistake.allCases)
  func diagnosisAndCalibrationNameOneValue(_ mistake: SimulatedSite.Mistake) throws {
    for seed in 0..<Self.seeds {
      let site = SimulatedSite(mistake, seed: 20_000 + seed)
      let diagnosis = site.diagnosis
      guard let errors = site.errors(after: diagnosis) else { continue }
      for found in diagnosis.diagnoses where found.code == .anchorOffset {
        for name in found.anchors {
          let anchor = try #require(Int(name.dropFirst()))
          #expect(errors.correctedOffset(of: anchor) == 0, "\(mistake), seed \(seed): \(name)")
        }
      }
      if diagnosis.isLayoutWrong {
        #expect(errors.correctedBias == 0 && errors.correctedScale == 1, "\(mistake), seed \(seed)")
      }
      // Of errors common to all ranges the calibration has the only estimate.
      for common in Diagnosis.commonErrors(of: errors) {
        let values = [common.evidence["bias_m"], common.evidence["scale"]].compactMap(\.self)
        let estimates = [errors.bias?.value, errors.scale?.value].compactMap(\.self)
        #expect(values.allSatisfy(estimates.contains), "\(mistake), seed \(seed)")
      }
    }
  }

  @Test func anEmptySampleHasNoDiagnosis() {
    let found = RangeDiagnosis(of: RangeSample(), anchors: [], names: [], tagNames: [])
    #expect(found.diagnoses.isEmpty && found.unusableAnchors.isEmpty)
  }

  @Test func hostileRangesHaveAFiniteDiagnosis() {
    let values = [0, 1e-300, 1e300, .infinity, .nan, -1, 5]
    for seed in 0..<50 {
      var sample = RangeSample()
      for step in 0..<200 {
        for anchor in 0..<4 {
          sample.add(
            values[(seed &* 31 &+ step &* (anchor &+ 7)) % values.count], tag: 0, anchor: anchor,
            at: Timestamp(nanoseconds: Int64(step) * 100_000_000))
        }
      }
      let anchors = [(0.0, 0.0), (1e7, 0.0), (0.0, 0.0), (3.0, Double(seed))].map {
        Anchor(position: Vector([$0.0, $0.1, 0]))
      }
      var options = RangeDiagnosis.Options()
      if seed.isMultiple(of: 2) { options.height = 0 }
      let found = RangeDiagnosis(
        of: sample, anchors: anchors, names: ["a", "b", "c", "d"], tagNames: ["t"],
        options: options)
      for diagnosis in found.diagnoses {
        let isFinite = diagnosis.evidence.values.allSatisfy { $0.isFinite }
        #expect(isFinite, "seed \(seed): \(diagnosis)")
      }
    }
  }
}
