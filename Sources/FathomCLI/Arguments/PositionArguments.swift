import ArgumentParser
import Fathom

/// The options of `locate` for prior knowledge of the position and for the weighting of errors.
struct PositionArguments: ParsableArguments {
  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("Known height: the position is solved in the plane.", valueName: "metres"))
  var height: Double?

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "Standard deviation of --height, which is then estimated as well.", valueName: "metres"))
  var heightSigma: Double?

  @Option(
    help: ArgumentHelp(
      "Side of the anchors on which the position is: selects between mirror images.",
      valueName: "side"))
  var side: AnchorSide?

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "Standard deviation of ranges, and of each arrival of a difference.", valueName: "metres"))
  var rangeSigma = RangingDefaults.rangeSigma

  @Option(
    help: "Loss function: squared weights all measurements fully, the others discount outliers.")
  var loss = RobustLoss.Shape.cauchy

  @Flag(help: "Discount only ranges that are too long.")
  var lateOnly = false

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "Prior position with its standard deviation.", valueName: "x,y,z,sigma"))
  var prior: String?

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "A box that contains the position: selects between mirror images.",
      valueName: "x,y,z,x,y,z"))
  var bounds: String?

  @Flag(help: "Scale the covariance by the residuals.")
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

  /// Returns the options of the solvers.
  ///
  /// - Parameter differenceSigma: the standard deviation of a time difference beside that of its
  ///   arrivals, in metres.
  /// - Returns: the options of every solver of positions.
  func options(differenceSigma: Double = 0) -> PositionOptions {
    var options = PositionOptions()
    (options.height, options.heightSigma, options.side) = (height, heightSigma, side)
    (options.rangeSigma, options.differenceSigma) = (rangeSigma, differenceSigma)
    options.loss = RobustLoss(loss, onlyLate: lateOnly)
    options.scalesCovariance = scaledCovariance
    return options
  }

  /// Returns the value of `--prior`; nil without the option.
  ///
  /// Throws a usage error.
  func positionPrior() throws -> PositionPrior<3>? {
    guard let prior else { return nil }
    let numbers = Self.numbers(prior)
    guard numbers.count == 4,
      let found = PositionPrior<3>(
        position: Vector([numbers[0], numbers[1], numbers[2]]), sigma: numbers[3])
    else { throw ValidationError("--prior must be x,y,z,sigma in metres, not \"\(prior)\"") }
    return found
  }

  /// Returns the value of `--bounds`; nil without the option.
  ///
  /// Throws a usage error.
  func positionBounds() throws -> PositionBounds<3>? {
    guard let bounds else { return nil }
    let numbers = Self.numbers(bounds)
    guard numbers.count == 6, (0..<3).allSatisfy({ numbers[$0] <= numbers[$0 + 3] }) else {
      throw ValidationError(
        "--bounds must be the least x,y,z, then the greatest x,y,z in metres, not \"\(bounds)\"")
    }
    return PositionBounds(
      lower: Vector([numbers[0], numbers[1], numbers[2]]),
      upper: Vector([numbers[3], numbers[4], numbers[5]]))
  }

  /// Parses numbers separated by commas; returns an empty array if a part is not a number.
  private static func numbers(_ text: String) -> [Double] {
    let parts = text.split(separator: ",", omittingEmptySubsequences: false)
    let numbers = parts.compactMap { Double($0) }
    return numbers.count == parts.count && numbers.allSatisfy { !$0.isNaN } ? numbers : []
  }
}

extension RobustLoss.Shape: ExpressibleByArgument {}
