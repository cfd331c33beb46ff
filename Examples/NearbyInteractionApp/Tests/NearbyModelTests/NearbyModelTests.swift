import Fathom
import NearbyModel
import Testing

/// The app's model behind a scripted session: verdicts, zones, directions and the list of accessories.
@Suite struct NearbyModelTests {
  /// Runs a script through the model and returns it with all events.
  private func run(
    _ session: some AccessorySession, capabilities: DeviceCapabilities = .iPhone11To13
  ) async -> (model: NearbyModel, events: [NearbyModel.Event]) {
    var model = NearbyModel(capabilities: capabilities)
    var events: [NearbyModel.Event] = []
    for await update in session.updates { events += model.process(update) }
    return (model, events)
  }

  private func at(_ seconds: Double) -> Timestamp { Timestamp(nanoseconds: Int64(seconds * 1e9)) }

  /// Nine different fresh distances are needed, although the source calls eight the minimum.
  @Test(arguments: [
    (8, 9.0, MeasurementQuality.unknown), (9, 9, .close), (9, 30, .good), (9, 60, .unknown),
  ])
  func qualityIsThatOfTheSource(_ count: Int, _ last: Float, _ quality: MeasurementQuality) async {
    let distances = (0..<count).map { last + 0.125 * Float(count - 1 - $0) }
    let (model, _) = await run(ScriptedSession(approaching: "a", distances: distances))
    #expect(model.reading(of: "a")?.quality == quality)
  }

  @Test func aConstantDistanceIsNeverGood() async {
    let (model, _) = await run(
      ScriptedSession(approaching: "a", distances: Array(repeating: 5, count: 40)))
    #expect(model.reading(of: "a")?.quality == .unknown)
  }

  /// Ahead is -z, right is +x, and behind is behind.
  @Test(arguments: [
    (SIMD3<Float>(0, 0, -1), 0.0, 0.0), (SIMD3<Float>(1, 0, 0), 90, 0),
    (SIMD3<Float>(0, 0, 1), 180, 0), (SIMD3<Float>(0.433_012_7, 0.5, -0.75), 30, 30),
  ])
  func directionsAreInThePhonesFrame(
    _ direction: SIMD3<Float>, _ azimuth: Double, _ elevation: Double
  ) async throws {
    let (model, _) = await run(
      ScriptedSession(approaching: "a", distances: [4, 3.9], direction: direction))
    let reading = try #require(model.reading(of: "a"))
    #expect(((reading.azimuth?.degrees ?? .nan) - azimuth).magnitude < 1e-3)
    #expect(((reading.elevation?.degrees ?? .nan) - elevation).magnitude < 1e-3)
  }

  /// A phone without direction vectors has a horizontal angle once camera assistance has converged.
  @Test func horizontalAnglesNeedConvergence() async {
    let angle = AccessoryUpdate.Content.measurement(
      .init(distance: 4, horizontalAngle: 0.5, verticalEstimate: .above))
    var script = [
      AccessoryUpdate("a", at: at(0), .advertisement(name: "a")),
      AccessoryUpdate("a", at: at(0), .event(.started)), AccessoryUpdate("a", at: at(1), angle),
    ]
    var (model, _) = await run(ScriptedSession(script), capabilities: .iPhone14)
    #expect(model.reading(of: "a")?.azimuth == nil)
    script.append(AccessoryUpdate("a", at: at(1.5), .convergence(.converged)))
    script.append(AccessoryUpdate("a", at: at(2), angle))
    (model, _) = await run(ScriptedSession(script), capabilities: .iPhone14)
    let reading = model.reading(of: "a")
    #expect(((reading?.azimuth?.radians ?? .nan) - 0.5).magnitude < 1e-6)
    // The height is a category: it never becomes an angle.
    #expect(reading?.elevation == nil && reading?.vertical == .above)
  }

  /// Walking up enters 3 m, then 1.5 m; standing on a boundary changes nothing.
  @Test func zonesAreEnteredOnce() async {
    let walk = (0..<60).map { max(5 - 0.1 * Float($0), 1) }
    let still = (0..<40).map { 1.0 + 0.01 * Float($0 % 3) }
    let (model, events) = await run(
      ScriptedSession(approaching: "a", distances: (walk + still), interval: 0.2))
    let zones = events.compactMap { event -> Double? in
      if case .zone(_, let zone) = event, zone.kind == .entered { zone.zone.radius } else { nil }
    }
    #expect(zones == [3, 1.5])
    #expect(model.reading(of: "a")?.zone == .inner)
    #expect(((model.reading(of: "a")?.distance?.distance ?? .nan) - 1).magnitude < 0.05)
  }

  @Test func silentAccessoriesDisappear() async {
    var (model, events) = await run(
      ScriptedSession([AccessoryUpdate("a", at: at(0), .advertisement(name: "Lamp"))]))
    #expect(events == [.appeared("a")] && model.accessories.map(\.name) == ["Lamp"])
    #expect(model.check(at: at(5)).isEmpty)
    #expect(model.check(at: at(5.001)) == [.disappeared("a")])
    #expect(model.reading(of: "a") == nil)
  }

  /// After a suspension the app has to run the session again, and old distances are forgotten.
  @Test func suspensionsBeginAnew() async throws {
    let first = ScriptedSession(approaching: "a", distances: (0..<12).map { 5 - 0.1 * Float($0) })
    var (model, _) = await run(first)
    #expect(model.reading(of: "a")?.quality == .close)
    _ = model.process(AccessoryUpdate("a", at: at(3), .event(.suspended)))
    _ = model.process(AccessoryUpdate("a", at: at(3.5), .event(.resumed)))
    #expect(model.reading(of: "a")?.retry == .runAgain)
    _ = model.process(AccessoryUpdate("a", at: at(4), .measurement(.init(distance: 9))))
    let reading = try #require(model.reading(of: "a"))
    #expect(reading.quality == .unknown && reading.retry == .notNeeded)
    #expect(((reading.distance?.distance ?? .nan) - 9).magnitude < 1e-6)
  }
}
