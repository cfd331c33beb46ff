import Fathom

/// What happens to one measurement beside the common noise, from sources of randomness that each have a
/// stream of their own: a scenario without one of them draws nothing from it, and one that gains it
/// keeps all other random numbers.
struct Disturbance {
  /// What stands in for the standard normal number of the measurement; nil where it stays.
  var deviate: Double?
  /// What is added to the distance, metres.
  var offset = 0.0
  /// Whether nothing is measured.
  var isLost = false
  /// Whether a wall stands in the way.
  var isBlocked = false
  /// Received power, dBm.
  var power: Double?
}

/// Draws the disturbances of a scenario from its seed.
struct DisturbanceSource {
  private let noise: RangeNoise
  private let walls: [Wall]
  private let radio: LinkBudget?
  private var tails: SeededGenerator
  private var early: SeededGenerator
  private var obstruction: SeededGenerator
  private var fading: SeededGenerator

  init(noise: RangeNoise, walls: [Wall], radio: LinkBudget?, seed: UInt64) {
    self.noise = noise
    self.walls = walls
    self.radio = radio
    tails = RandomStream.tails.generator(seed)
    early = RandomStream.early.generator(seed)
    obstruction = RandomStream.walls.generator(seed)
    fading = RandomStream.radio.generator(seed)
  }

  /// The disturbance of the next measurement, between two positions (metres).
  mutating func next(from first: Vector<3>, to second: Vector<3>) -> Disturbance {
    var disturbance = Disturbance()
    if let degrees = noise.degreesOfFreedom {
      disturbance.deviate = tails.studentT(degrees: degrees)
    }
    if noise.earlyShare > 0 {
      let isEarly = early.uniform() < noise.earlyShare
      let excess = early.exponential(mean: noise.earlyMean)
      if isEarly { disturbance.offset -= excess }
    }
    var loss = 0.0
    if !walls.isEmpty {
      let (excess, failed) = (obstruction.exponential(mean: 1), obstruction.uniform())
      var heard = 1.0
      for wall in walls where wall.blocks(first, second) {
        disturbance.isBlocked = true
        disturbance.offset += wall.delay + wall.excessMean * excess
        heard *= 1 - wall.dropOutShare
        loss += wall.loss
      }
      disturbance.isLost = failed >= heard
    }
    if let radio {
      let (fade, failed) = (fading.normal(), fading.uniform())
      let power =
        radio.receivedPower(distance: (second - first).length, wallLoss: loss)
        + radio.fadingSigma * fade
      disturbance.power = power
      if failed >= radio.receptionProbability(power: power) { disturbance.isLost = true }
    }
    return disturbance
  }
}
