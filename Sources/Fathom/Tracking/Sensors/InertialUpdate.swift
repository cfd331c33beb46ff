import RealModule

extension TrackMixture {
  /// How many standard deviations the matrix C must differ from zero until its direction counts as
  /// known: within 15°.
  private static let clearHeading = 4.0
  /// How long inertial data may seem wrong before the heading is searched for anew, in seconds.
  private static let longestDoubt = 5.0
  /// How many standard deviations the velocity may be away from zero at rest.
  private static let likelyRest = 3.0

  /// Adds a step of inertial data to the next prediction.
  mutating func append(_ step: LevelAttitude.Step) {
    guard inertialErrors != nil else { return }
    input.append(step)
  }

  /// Moves the predicted state by the inertial data since the last prediction, `seconds` ago.
  mutating func followInput(over seconds: Double) {
    guard let errors = inertialErrors else { return }
    state.move(by: input, over: seconds, errors: errors)
    input = InertialInput()
    if drive == .inertial {
      doubt = lowNoiseProbability < 0.5 ? doubt + seconds : 0
      if doubt > Self.longestDoubt { forgetInertial() }
    } else {
      findLevelHeading()
    }
  }

  /// Follows inertial data once the direction of C is known.
  private mutating func findLevelHeading() {
    let (cosine, sine) = state.level
    let (c, s) = (moments(of: cosine), moments(of: sine))
    let square = c.value * c.value + s.value * s.value
    guard square > Self.clearHeading * Self.clearHeading * (c.variance + s.variance) else { return }
    let length = square.squareRoot()
    // The derivative of the length of (c, s), which is that of a rotation.
    var sum = TrackState.Combination()
    sum.add(cosine, times: c.value / length)
    sum.add(sine, times: s.value / length)
    let sigma = InertialErrors.lengthSigma
    _ = condition(
      on: state.expectation(of: 1, as: sum), variance: Pair(repeating: sigma * sigma))
    change(to: .inertial)
    doubt = 0
  }

  /// Updates the velocity of a tag that is at rest, unless it clearly moves: then the sensor is at
  /// rest in something that moves.
  mutating func rest() {
    let variance = InertialErrors.restSpeed * InertialErrors.restSpeed
    for axis in 0..<state.axes {
      let (value, spread) = moments(of: state.axes + axis)
      guard value * value <= Self.likelyRest * Self.likelyRest * (spread + variance) else { return }
    }
    for axis in 0..<state.axes {
      var sum = TrackState.Combination()
      sum.add(state.axes + axis, times: 1)
      _ = condition(on: state.expectation(of: 0, as: sum), variance: Pair(repeating: variance))
    }
  }

  /// The heading of the level frame in radians; nil while it is unknown.
  var levelHeading: Double? {
    guard drive == .inertial else { return nil }
    let (cosine, sine) = state.level
    return .atan2(y: moments(of: sine).value, x: moments(of: cosine).value)
  }

  /// The density of the acceleration beside inertial data, in (m/s²)/√Hz: between those of the two
  /// modes by their probabilities; nil while the heading is unknown.
  var inertialDensity: Double? {
    guard drive == .inertial, let inertialErrors else { return nil }
    let ratio = modes.highNoise.horizontalDensity / inertialErrors.accelerationNoise
    return inertialErrors.accelerationNoise * .pow(max(1, ratio), 1 - lowNoiseProbability)
  }

  /// Adopts the heading of the level frame that another track found.
  mutating func adoptHeading(of other: Self) {
    guard inertialErrors != nil, other.drive == .inertial else { return }
    let (cosine, sine) = state.level
    for index in [cosine, sine] {
      let (value, variance) = other.moments(of: index)
      state.introduce(index, value: value, variance: variance)
    }
    change(to: .inertial)
  }

  /// Resets the unknowns of inertial data: the heading is searched for anew.
  mutating func forgetInertial() {
    guard let inertialErrors else { return }
    state.introduceInertial(inertialErrors)
    input = InertialInput()
    doubt = 0
    change(to: .motion)
  }

  /// Follows the modes of motion again, because the inertial data have ended.
  mutating func endInertial() {
    guard inertialErrors != nil else { return }
    input = InertialInput()
    change(to: .motion)
  }
}
