import CFathom
import Fathom
import FathomEvaluation
import FathomRecordings

/// Settings of `fathom_geometry`, as JSON.
private struct GeometrySettings: Codable {
  var heightM: Double?
  var solveHeight = false
  var side: AnchorSide?
  var areaM: [[Double]]?
  var stepM: Double?
  var noiseM = RangingDefaults.rangeSigma
  var noisePerMetre = 0.0
  var maximumRangeM: Double?
  var newAnchorHeightM: Double?

  func settings(isPlanar: Bool) throws(CallFailure) -> GeometrySurvey.Settings {
    var settings = GeometrySurvey.Settings()
    settings.measuring.rangeSigma = noiseM
    settings.measuring.rangeSigmaPerMetre = noisePerMetre
    settings.measuring.maximumRange = maximumRangeM
    settings.height = heightM ?? (isPlanar ? 0 : nil)
    settings.solvesHeight = solveHeight
    settings.side = side
    settings.step = stepM
    settings.newAnchorHeight = newAnchorHeightM
    if let fault = settings.fault(at: .keys) { throw .data(fault) }
    if let areaM {
      let corners = areaM.joined().filter { $0.magnitude <= 1e7 }
      guard areaM.count == 2, areaM.allSatisfy({ $0.count == 2 }), corners.count == 4,
        areaM[0][0] < areaM[1][0], areaM[0][1] < areaM[1][1]
      else { throw .data("area_m must be two corners: the least and the greatest x, y") }
      settings.area = FloorArea(x: areaM[0][0]...areaM[1][0], y: areaM[0][1]...areaM[1][1])
    }
    return settings
  }
}

/// See `fathom.h`.
@c @implementation
public func fathom_geometry(
  _ anchors: UnsafePointer<fathom_anchors>!, _ settings: UnsafePointer<CChar>!,
  _ json: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>!
) -> Int32 {
  status {
    let declared = try DeclaredAnchors(anchors)
    try declared.validate("anchors")
    let given = try SettingsText.merged(bytes(settings), into: GeometrySettings())
    let survey: GeometrySurvey
    let resolved = try given.settings(isPlanar: declared.isPlanar)
    do throws(GeometrySurvey.Failure) {
      survey = try GeometrySurvey(declared, resolved)
    } catch {
      throw CallFailure.data("the anchors cannot be surveyed: \(error)")
    }
    let figures = SurveyedFigures(survey, name: "anchors", measure: "ranges")
    try give(jsonText(figures).utf8, to: json)
  }
}

/// See `fathom.h`.
@c @implementation
public func fathom_simulate(
  _ scenario: UnsafePointer<CChar>!, _ directory: UnsafePointer<CChar>!, _ seed: Int64,
  _ recording: UnsafeMutablePointer<OpaquePointer?>!,
  _ truth: UnsafeMutablePointer<OpaquePointer?>!
) -> Int32 {
  status {
    guard let yaml = text(scenario) else { throw CallFailure.usage("scenario is NULL") }
    guard recording != nil else { throw CallFailure.usage("recording is NULL") }
    var scenario: Scenario
    do throws(ScenarioError) {
      scenario = try ScenarioReader.scenario(from: yaml, directory: text(directory) ?? "")
    } catch {
      throw CallFailure.data("line \(error.line): \(error.reason)")
    }
    if seed >= 0 { scenario.seed = UInt64(seed) }
    let simulated = RangeSimulator(scenario).recording()
    guard simulated.differences == nil else {
      throw CallFailure.data("a scenario of time differences gives no ranges")
    }
    if truth != nil {
      var rows: [String: (times: [Timestamp], positions: [Vector<3>])] = [:]
      for sample in simulated.truth {
        rows[sample.name, default: ([], [])].times.append(sample.time)
        rows[sample.name, default: ([], [])].positions.append(sample.position)
      }
      var reference = ReferenceTrajectory(
        Truth(
          tracks: rows.mapValues { PositionTrack(times: $0.times, positions: $0.positions) }))
      reference.hasHeight = simulated.recording.facts.heightM != nil
      reference.start = simulated.recording.ranges.time.min()
      give(TruthHandle(reference), to: truth)
    }
    give(RecordingHandle(simulated.recording), to: recording)
  }
}
