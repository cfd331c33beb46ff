import ArgumentParser
import Fathom
import FathomRecordings

/// The options of `process` and `stream` for positions and smoothed distances.
struct TrackingArguments: ParsableArguments {
  @Option(
    """
    Positions on a grid of this rate instead of at every instant with ranges; also the rate of the \
    epochs of ranges without times.
    """, in: "hz")
  var rate: Double?

  @OptionGroup var known: FactArguments

  @Option("How distances are smoothed.", value: "method")
  var smoothing = SmoothingMethod.kalmanVelocity

  @Option(
    """
    Standard deviation of ranges without their own; for tracks the least value assumed, for fix by \
    default found from the recording.
    """, in: "metres")
  var rangeSigma: Double?

  @Option(
    parsing: .unconditionalSingleValue,
    help: ArgumentHelp(
      """
      An anchor whose ranges are used even if they are wrong all the time; by default they are not. \
      Can be repeated.
      """,
      valueName: "id"))
  var keep: [String] = []

  @OptionGroup var device: DeviceArguments

  @Option(
    "Density of the tags' acceleration, (m/s²)/√Hz: 0.5 for walking, 2 for flying.", in: "number")
  var acceleration: Double?

  func validate() throws { try requireValid(settings()) }

  /// Returns the settings of the options, but for the zones.
  func settings() -> ProcessingSettings {
    var settings = ProcessingSettings()
    settings.facts = known.facts
    settings.rateHz = rate
    settings.smoothing = smoothing
    if let rangeSigma { settings.rangeSigmaM = rangeSigma }
    settings.keptAnchors = keep.isEmpty ? nil : keep
    if let acceleration { settings.accelerationDensity = acceleration }
    device.set(&settings)
    return settings
  }
}
