import Fathom

extension ScenarioReader {
  /// Reads the schedule of measurements.
  static func polling(
    _ root: ScenarioSection, _ setting: Scenario.Setting
  ) throws(ScenarioError) -> Scenario.Polling {
    let section = try root.section(
      "polling", keys: ["mode", "rate_hz", "jitter_s", "reference", "between"])
    let rate = try section.number("rate_hz", .positive)
    let jitter = try section.number("jitter_s", .notNegative, absent: 0)
    guard jitter * rate < 0.5 else {
      throw section.impossible(
        "jitter_s", "must be below half the interval, that is below \(0.5 / rate), not \(jitter)")
    }
    let mode: Scenario.Polling.Mode = try section.choice("mode", absent: .roundRobin)
    guard mode == .differences else {
      if section.has("reference") { throw section.impossible("reference", "requires mode: tdoa") }
      return Scenario.Polling(
        mode: mode, rate: rate, jitter: jitter,
        between: try section.choice("between", absent: Scenario.Polling.Between.none))
    }
    if section.has("between") {
      throw section.impossible("between", "cannot be combined with mode: tdoa")
    }
    guard case .anchored(let anchored) = setting, anchored.anchors.count > 1 else {
      throw section.impossible("mode", "tdoa requires at least two anchors")
    }
    guard anchored.tags.allSatisfy({ $0.onlyAnchor == nil }) else {
      throw section.impossible("mode", "tdoa cannot be combined with only_anchor")
    }
    if root.has("events") { throw root.impossible("events", "cannot be combined with mode: tdoa") }
    var reference = 0
    if section.has("reference") {
      let name = try section.identifier("reference")
      guard let index = anchored.anchors.firstIndex(where: { $0.name == name }) else {
        throw section.impossible("reference", "is not the name of an anchor: \(name)")
      }
      reference = index
    }
    return Scenario.Polling(mode: mode, rate: rate, jitter: jitter, reference: reference)
  }

  /// Reads the errors that all distances share.
  static func noise(
    _ root: ScenarioSection, _ polling: Scenario.Polling
  ) throws(ScenarioError) -> RangeNoise {
    let section = try root.section(
      "noise",
      keys: [
        "sigma_m", "degrees_of_freedom", "outlier_share", "outlier_mean_m", "early_share",
        "early_mean_m", "drop_out_share", "held_share", "quantisation_m",
      ])
    if polling.mode == .differences, section.has("held_share") {
      throw section.impossible("held_share", "cannot be combined with mode: tdoa")
    }
    let outlierShare = try section.number("outlier_share", .share, absent: 0)
    let earlyShare = try section.number("early_share", .share, absent: 0)
    var noise = RangeNoise(
      sigma: try section.number("sigma_m", .notNegative),
      outlierShare: outlierShare,
      outlierMean: try section.number(
        "outlier_mean_m", .notNegative, absent: outlierShare == 0 ? 0 : nil),
      dropOutShare: try section.number("drop_out_share", .share, absent: 0),
      heldShare: try section.number("held_share", .share, absent: 0),
      quantisation: try section.number("quantisation_m", .notNegative, absent: 0))
    if section.has("degrees_of_freedom") {
      noise.degreesOfFreedom = try section.number("degrees_of_freedom", .degreesOfFreedom)
    }
    noise.earlyShare = earlyShare
    noise.earlyMean = try section.number(
      "early_mean_m", .notNegative, absent: earlyShare == 0 ? 0 : nil)
    return noise
  }

  /// Reads the errors of the poses.
  static func poses(
    _ root: ScenarioSection, _ setting: Scenario.Setting, duration: Double
  ) throws(ScenarioError) -> Scenario.Poses? {
    guard root.has("poses") else { return nil }
    let section = try root.section(
      "poses", keys: ["rate_hz", "distance_noise", "heading_noise", "scale_sigma"])
    if case .anchored(let anchored) = setting, anchored.tags.count != 1 {
      throw root.impossible("poses", "requires one tag")
    }
    let rate = try section.number("rate_hz", .positive, absent: 10)
    guard duration * rate <= mostRows else {
      throw section.impossible("rate_hz", "gives more than 10 million rows")
    }
    let usual = PoseErrors()
    return Scenario.Poses(
      rate: rate,
      distanceNoise: try section.number(
        "distance_noise", .notNegative, absent: usual.distanceNoise),
      headingNoise: try section.number("heading_noise", .notNegative, absent: usual.headingNoise),
      scaleSigma: try section.number("scale_sigma", .share, absent: usual.scaleSigma))
  }

  /// Reads the obstacles between the radios.
  static func walls(_ root: ScenarioSection) throws(ScenarioError) -> [Wall] {
    guard root.has("walls") else { return [] }
    var walls: [Wall] = []
    let keys = [
      "from", "to", "bottom_m", "top_m", "delay_m", "excess_mean_m", "drop_out_share", "loss_db",
    ]
    for section in try root.sections("walls", keys: keys) {
      let (start, end) = (try plane(section, "from"), try plane(section, "to"))
      if start == end { throw section.impossible("to", "must differ from from") }
      let bottom = try section.number("bottom_m", .coordinate, absent: -.infinity)
      let top = try section.number("top_m", .coordinate, absent: .infinity)
      guard bottom < top else {
        throw section.impossible("top_m", "must be above bottom_m (\(bottom))")
      }
      walls.append(
        Wall(
          start: start, end: end, bottom: bottom, top: top,
          delay: try section.number("delay_m", .notNegative, absent: 0),
          excessMean: try section.number("excess_mean_m", .notNegative, absent: 0),
          dropOutShare: try section.number("drop_out_share", .share, absent: 0),
          loss: try section.number("loss_db", .notNegative, absent: 0)))
    }
    return walls
  }

  /// Reads the link budget.
  static func radio(_ root: ScenarioSection) throws(ScenarioError) -> LinkBudget? {
    guard root.has("radio") else { return nil }
    let section = try root.section(
      "radio",
      keys: [
        "sensitivity_dbm", "transmit_dbm", "frequency_hz", "exponent", "fading_sigma_db",
        "slope_db",
      ])
    return LinkBudget(
      transmitPower: try section.number(
        "transmit_dbm", .level, absent: LinkBudget.usualTransmitPower),
      frequency: try section.number("frequency_hz", .frequency, absent: LinkBudget.usualFrequency),
      exponent: try section.number("exponent", .exponent, absent: 2),
      fadingSigma: try section.number("fading_sigma_db", .notNegative, absent: 0),
      sensitivity: try section.number("sensitivity_dbm", .level),
      slope: try section.number("slope_db", .slope, absent: 1))
  }

  /// Reads the clock that stamps the measurements.
  static func clock(_ root: ScenarioSection) throws(ScenarioError) -> RecordingClock {
    guard root.has("clock") else { return .exact }
    let section = try root.section("clock", keys: ["offset_s", "drift_ppm", "jitter_s"])
    return RecordingClock(
      offset: try section.number("offset_s", .coordinate, absent: 0),
      drift: try section.number("drift_ppm", .driftPPM, absent: 0) / 1e6,
      jitter: try section.number("jitter_s", .notNegative, absent: 0))
  }

  /// Reads the delivery of measurements to the file.
  static func delivery(_ root: ScenarioSection) throws(ScenarioError) -> Delivery {
    guard root.has("delivery") else { return .immediate }
    let section = try root.section("delivery", keys: ["late_share", "longest_delay_s"])
    return Delivery(
      lateShare: try section.number("late_share", .share),
      longestDelay: try section.number("longest_delay_s", .notNegative))
  }

  /// Reads the interruptions and their ends.
  static func events(
    _ root: ScenarioSection, duration: Double
  ) throws(ScenarioError) -> [Scenario.Event] {
    guard root.has("events") else { return [] }
    var events: [Scenario.Event] = []
    for section in try root.sections("events", keys: ["time_s", "event"]) {
      let time = try section.number("time_s", .notNegative)
      guard time <= duration else {
        throw section.impossible(
          "time_s", "must not be after the end of the recording (\(duration) s)")
      }
      if let last = events.last, time < last.time {
        throw section.impossible("time_s", "must not be before the previous event")
      }
      events.append(Scenario.Event(time: time, event: try section.choice("event")))
    }
    return events
  }
}
