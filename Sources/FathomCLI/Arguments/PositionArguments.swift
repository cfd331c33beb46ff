import ArgumentParser
import Fathom
import FathomRecordings

/// The options of `locate` for prior knowledge of the position and for the weighting of errors.
struct PositionArguments: ParsableArguments {
  @OptionGroup var known: FactArguments

  @Option("Standard deviation of ranges, and of each arrival of a difference.", in: "metres")
  var rangeSigma = RangingDefaults.rangeSigma

  @Option(
    help: "Loss function: squared weights all measurements fully, the others discount outliers.")
  var loss = RobustLoss.Shape.cauchy

  @Flag(help: "Discount only ranges that are too long.")
  var lateOnly = false

  @Option("Prior position with its standard deviation.", in: "x,y,z,sigma")
  var prior: String?

  @Flag(help: "Scale the covariance by the residuals.")
  var scaledCovariance = false

  func validate() throws {
    try require(rangeSigma, "--range-sigma", in: RecordingLimits.sigmas)
    if known.heightSigma != nil, known.place.height == nil {
      throw ValidationError("--height-sigma needs --height")
    }
    _ = try positionPrior()
  }

  /// Returns the options of the solvers.
  ///
  /// - Parameter differenceSigma: the standard deviation of a time difference beside that of its
  ///   arrivals, in metres.
  /// - Returns: the options of every solver of positions.
  func options(differenceSigma: Double = 0) -> PositionOptions {
    var options = PositionOptions()
    (options.height, options.heightSigma, options.side) = (
      known.facts.heightM, known.facts.heightSigmaM, known.facts.side
    )
    (options.rangeSigma, options.differenceSigma) = (rangeSigma, differenceSigma)
    options.loss = RobustLoss(loss, onlyLate: lateOnly)
    options.scalesCovariance = scaledCovariance
    return options
  }

  /// What is known of the positions, for a diagnosis of the ranges.
  var settings: ProcessingSettings {
    var settings = ProcessingSettings()
    (settings.heightM, settings.heightSigmaM, settings.side, settings.boundsM) = (
      known.facts.heightM, known.facts.heightSigmaM, known.facts.side, known.facts.boundsM
    )
    settings.rangeSigmaM = rangeSigma
    return settings
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

  /// The box of `--bounds`; nil without the option.
  var bounds: PositionBounds<3>? { known.facts.boundsM.flatMap(TagBounds.box) }

  /// Parses numbers separated by commas; returns an empty array if a part is not a number.
  private static func numbers(_ text: String) -> [Double] {
    let parts = text.split(separator: ",", omittingEmptySubsequences: false)
    let numbers = parts.compactMap { Double($0) }
    return numbers.count == parts.count && numbers.allSatisfy { !$0.isNaN } ? numbers : []
  }
}

extension RobustLoss.Shape: ExpressibleByArgument {}
