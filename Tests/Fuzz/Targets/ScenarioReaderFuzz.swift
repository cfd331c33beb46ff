import FathomEvaluation
import FathomRecordings

/// Scenario files: any text gives a scenario that can be simulated, or an error with line and
/// reason.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzScenarioReader(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  let text = String(decoding: FuzzInput.bytes(start, count), as: UTF8.self)
  do throws(ScenarioError) {
    let scenario = try ScenarioReader.scenario(from: text, directory: "/nowhere/")
    // Larger scenarios only take longer.
    guard scenario.duration * max(scenario.polling.rate, scenario.truthRate) < 200 else { return 0 }
    if case .anchored(let anchored) = scenario.setting {
      guard anchored.anchors.count * anchored.tags.count < 50 else { return 0 }
    }
    let simulated = RangeSimulator(scenario).recording()
    FuzzInput.expect(simulated.recording.ranges.distance.allSatisfy(\.isFinite), "distances")
  } catch {
    FuzzInput.expect(error.line >= 1, "line \(error.line)")
    FuzzInput.expectMessage(error.reason)
  }
  return 0
}
