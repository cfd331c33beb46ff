import Fathom

/// The additional errors of one measurement, beside the common noise.
///
/// Each source of error draws from a random stream of its own. Adding a source to a scenario, or
/// removing one, leaves the random numbers of all others unchanged.
struct Disturbance {
  /// A replacement for the measurement's standard normal number; nil keeps that number.
  var deviate: Double?
  /// Error added to the distance, metres.
  var offset = 0.0
  /// Whether the measurement fails.
  var isLost = false
  /// Whether a wall crosses the line of sight.
  var isBlocked = false
  /// Received power, dBm; nil without a link budget.
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

  /// Draws the disturbance of the next measurement, between two positions (metres).
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
      var received = 1.0
      for wall in walls where wall.blocks(first, second) {
        disturbance.isBlocked = true
        disturbance.offset += wall.delay + wall.excessMean * excess
        received *= 1 - wall.dropOutShare
        loss += wall.loss
      }
      disturbance.isLost = failed >= received
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
