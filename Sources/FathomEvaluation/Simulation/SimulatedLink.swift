import Fathom

/// One link of a scenario: its two ends and its permanent errors.
struct SimulatedLink {
  /// Index of the tag.
  let tag: Int
  /// Index of the anchor or accessory.
  let anchor: Int
  /// Index of the tag at its other end, instead of an anchor; nil for an anchor.
  var otherTag: Int?
  private let trajectory: Trajectory
  private var target: Vector<3>
  /// The trajectory of its other end; nil for an anchor.
  private var otherTrajectory: Trajectory?
  private let bias: Double
  private let scale: Double
  private let sigma: Double
  private let noise: RangeNoise
  private let phone: Scenario.Phone?

  /// One measurement of a link.
  struct Reading {
    /// Measured distance, metres.
    var distance: Double
    /// Unit vector in the device frame; nil when the device measures no direction.
    var direction: Vector<3>?
    /// Received power, dBm; nil without a link budget.
    var power: Double?
    /// Whether a wall crosses the line of sight.
    var isBlocked: Bool
  }

  /// Returns all links of `scenario`: the anchors of the first tag, then those of the next, then the pairs of
  /// tags that range with each other.
  static func links(of scenario: Scenario) -> [SimulatedLink] {
    switch scenario.setting {
    case .phone(let phone):
      return [
        SimulatedLink(
          tag: 0, anchor: 0, trajectory: phone.tag.trajectory, target: phone.accessoryPosition,
          bias: 0, scale: 1, sigma: scenario.noise.sigma, noise: scenario.noise, phone: phone)
      ]
    case .anchored(let anchored):
      return anchored.tags.indices.flatMap { tag in
        anchored.anchors.indices.filter {
          anchored.tags[tag].onlyAnchor == nil || anchored.tags[tag].onlyAnchor == $0
        }.map { anchor in
          let (mobile, fixed) = (anchored.tags[tag], anchored.anchors[anchor])
          let own = anchored.links.first { $0.tag == tag && $0.anchor == anchor }
          // A range is half of a round trip through transmitter and receiver of both radios
          // [Decawave APS014].
          let delay =
            PhysicalConstants.speedOfLight * 0.5 * (mobile.antennaDelay + fixed.antennaDelay)
          return SimulatedLink(
            tag: tag, anchor: anchor, trajectory: mobile.trajectory,
            target: fixed.anchor.position, bias: (own?.bias ?? fixed.anchor.bias) + delay,
            scale: own?.scale ?? fixed.anchor.scale, sigma: own?.sigma ?? scenario.noise.sigma,
            noise: scenario.noise, phone: nil)
        }
      } + between(anchored, scenario)
    }
  }

  /// Returns the links between tags.
  private static func between(
    _ anchored: Scenario.Anchored, _ scenario: Scenario
  ) -> [SimulatedLink] {
    guard scenario.polling.between == .tags else { return [] }
    return anchored.tags.indices.flatMap { one in
      (one + 1..<max(anchored.tags.count, one + 1)).map { other in
        let (first, second) = (anchored.tags[one], anchored.tags[other])
        var link = SimulatedLink(
          tag: one, anchor: 0, trajectory: first.trajectory, target: .zero,
          bias: PhysicalConstants.speedOfLight * 0.5
            * (first.antennaDelay + second.antennaDelay), scale: 1, sigma: scenario.noise.sigma,
          noise: scenario.noise, phone: nil)
        link.otherTag = other
        link.otherTrajectory = second.trajectory
        return link
      }
    }
  }

  /// Returns the measurement at `time`, or nil for none; `last` is the link's last reported
  /// distance.
  ///
  /// With `isArrival`, the distance is the time at which the anchor receives the tag, times the
  /// speed of light.
  func reading(
    at time: Timestamp, _ draw: LinkDraw, from source: inout DisturbanceSource,
    isArrival: Bool = false, last: inout Double?
  ) -> Reading? {
    let motion = trajectory.motion(at: time.seconds)
    let target = otherTrajectory?.motion(at: time.seconds).position ?? target
    let disturbance = source.next(from: motion.position, to: target)
    let offset =
      phone.map {
        $0.attitude.devicePosition(of: target, from: motion, at: time.seconds)
      } ?? target - motion.position
    let distance = offset.length
    guard
      let reported = draw.noise.reading(
        of: scale * distance + bias, noise, sigma: sigma, disturbance, isArrival: isArrival,
        last: &last)
    else { return nil }
    var reading = Reading(
      distance: reported, power: disturbance.power, isBlocked: disturbance.isBlocked)
    if let phone, distance > 0,
      -offset[2] >= distance * ElementaryFunctions.cosine(phone.fieldOfView)
    {
      let seen = (1 / distance) * offset + phone.directionSigma * draw.direction
      reading.direction = ((1 / seen.length) * seen).rounded(decimals: 6)
    }
    return reading
  }
}

/// The random numbers of one measurement of a link.
struct LinkDraw {
  let noise: NoiseDraw
  let direction: Vector<3>

  init(using generator: inout SeededGenerator, withDirection: Bool) {
    noise = NoiseDraw(using: &generator)
    direction =
      withDirection
      ? Vector([generator.normal(), generator.normal(), generator.normal()]) : .zero
  }
}

extension Vector {
  /// Returns a vector with every element rounded to `decimals` decimals.
  func rounded(decimals: Int) -> Self {
    var result = self
    for index in 0..<Count { result[index] = result[index].rounded(decimals: decimals) }
    return result
  }
}
