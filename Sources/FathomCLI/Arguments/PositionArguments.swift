import ArgumentParser
import Fathom

/// The options of `locate` that say what is known besides the ranges, and how errors are weighed.
struct PositionArguments: ParsableArguments {
  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("Known height: the position is solved in the plane.", valueName: "metres"))
  var height: Double?

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "Standard deviation of --height: the height is then estimated as well.", valueName: "metres"))
  var heightSigma: Double?

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "Standard deviation of ranges, and of arrivals of --difference.", valueName: "metres"))
  var rangeSigma = RangingDefaults.rangeSigma

  @Option(
    help: "What a residual costs: squared lets every range pull, the others discount wrong ones.")
  var loss = RobustLoss.Shape.cauchy

  @Flag(help: "Discount only ranges that are too long.")
  var lateOnly = false

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "A position believed beforehand, with its standard deviation.", valueName: "x,y,z,sigma"))
  var prior: String?

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "A box that holds the position: chooses between mirror images.",
      valueName: "x,y,z,x,y,z"))
  var bounds: String?

  @Flag(help: "Scale the covariance with the residuals.")
  var scaledCovariance = false

  func validate() throws {
    try require(height, "--height", in: -1e7...1e7)
    try require(heightSigma, "--height-sigma", in: 1e-6...1e6)
    try require(rangeSigma, "--range-sigma", in: 1e-6...1e6)
    if heightSigma != nil, height == nil {
      throw ValidationError("--height-sigma needs --height")
    }
    _ = try positionPrior()
    _ = try positionBounds()
  }

  /// The options for the solver.
  func options() -> Trilateration.Options {
    var options = Trilateration.Options()
    options.height = height
    options.heightSigma = heightSigma
    options.rangeSigma = rangeSigma
    options.loss = RobustLoss(loss, onlyLate: lateOnly)
    options.scalesCovariance = scaledCovariance
    return options
  }

  /// The options for pseudo-ranges.
  func pseudoRangeOptions() -> PseudoRanges.Options {
    var options = PseudoRanges.Options()
    (options.height, options.heightSigma) = (height, heightSigma)
    options.rangeSigma = rangeSigma
    options.loss = RobustLoss(loss, onlyLate: lateOnly)
    options.scalesCovariance = scaledCovariance
    return options
  }

  /// The options for differences that have `own` metres of noise besides that of their arrivals.
  func timeDifferenceOptions(own: Double) -> TimeDifferences.Options {
    var options = TimeDifferences.Options()
    (options.height, options.heightSigma) = (height, heightSigma)
    (options.arrivalSigma, options.differenceSigma) = (rangeSigma, own)
    options.loss = RobustLoss(loss, onlyLate: lateOnly)
    options.scalesCovariance = scaledCovariance
    return options
  }

  /// The options for ranges with bearings.
  func sightingOptions() -> RangesAndAngles.Options {
    var options = RangesAndAngles.Options()
    (options.height, options.heightSigma) = (height, heightSigma)
    options.loss = RobustLoss(loss, onlyLate: lateOnly)
    options.scalesCovariance = scaledCovariance
    return options
  }

  /// The options for a receiver on its way.
  func movingReceiverOptions() -> MovingReceiver.Options {
    var options = MovingReceiver.Options()
    (options.height, options.heightSigma) = (height, heightSigma)
    options.rangeSigma = rangeSigma
    options.loss = RobustLoss(loss, onlyLate: lateOnly)
    options.scalesCovariance = scaledCovariance
    return options
  }

  /// The prior; nil where none was given.
  func positionPrior() throws -> PositionPrior<3>? {
    guard let prior else { return nil }
    let numbers = Self.numbers(prior)
    guard numbers.count == 4,
      let found = PositionPrior<3>(
        position: Vector([numbers[0], numbers[1], numbers[2]]), sigma: numbers[3])
    else { throw ValidationError("--prior wants x,y,z,sigma in metres, not \"\(prior)\"") }
    return found
  }

  /// The box; nil where none was given.
  func positionBounds() throws -> PositionBounds<3>? {
    guard let bounds else { return nil }
    let numbers = Self.numbers(bounds)
    guard numbers.count == 6, (0..<3).allSatisfy({ numbers[$0] <= numbers[$0 + 3] }) else {
      throw ValidationError(
        "--bounds wants the least x,y,z and the greatest x,y,z in metres, not \"\(bounds)\"")
    }
    return PositionBounds(
      lower: Vector([numbers[0], numbers[1], numbers[2]]),
      upper: Vector([numbers[3], numbers[4], numbers[5]]))
  }

  /// Numbers with commas between them; empty where one is none.
  private static func numbers(_ text: String) -> [Double] {
    let parts = text.split(separator: ",", omittingEmptySubsequences: false)
    let numbers = parts.compactMap { Double($0) }
    return numbers.count == parts.count && numbers.allSatisfy { !$0.isNaN } ? numbers : []
  }
}

extension RobustLoss.Shape: ExpressibleByArgument {}
