/// The assumed errors of measured heights: a white part and a persistent part that drifts.
///
/// Heights come from barometers, lasers and known floors. Their errors persist: the pressure changes
/// with the weather, the floor is not level, the sensor is mounted above the tag. Many heights in a
/// row are therefore no better than one. The persistent part is an offset that the filter estimates; it
/// begins with a share of the variance and drifts as a random walk.
public struct HeightErrors: Sendable, Equatable, Codable {
  /// Standard deviation of the whole error of a height without a standard deviation of its own, in
  /// metres, and of the offset of the sensor together with ``persistentShare``.
  ///
  /// 0.1 m: a laser over an indoor floor, or a barometer that was set where the tag started.
  public var sigma = 0.1
  /// The share of the variance that lasts, 0 to 1.
  public var persistentShare = 0.5
  /// Standard deviation of the offset at the start in metres; nil for that by ``persistentShare``.
  ///
  /// ``TrackerCalibration/withHeights(_:on:anchors:)`` sets it if the zero of the sensor is not that of the
  /// anchors.
  public var offsetSigma: Double?
  /// Density of the drift of the offset, in m/√s.
  ///
  /// 0.01 m/√s are 0.6 m in an hour, as the pressure of ordinary weather changes by 0.1 hPa.
  public var driftDensity = 0.01

  /// Creates the default errors.
  public init() {}

  /// Variance of the offset at the start, in m².
  package var offsetVariance: Double {
    offsetSigma.map { $0 * $0 } ?? persistentShare * sigma * sigma
  }

  /// Returns the variance of the white part of a height with its own standard deviation, in m².
  func whiteVariance(of own: Double?) -> Double {
    let sigma = own ?? self.sigma
    return max(1e-6, (1 - persistentShare) * sigma * sigma)
  }

  /// Returns the standard deviation of the whole error of a height, in metres.
  func sigma(of height: HeightMeasurement) -> Double {
    (offsetVariance + whiteVariance(of: height.sigma)).squareRoot()
  }

  /// Returns the increase of the offset's variance within `seconds`, in m².
  func driftVariance(over seconds: Double) -> Double { driftDensity * driftDensity * seconds }
}

extension HeightErrors {
  /// Returns the errors of measured heights: the median of the stated standard deviations, or the scatter of
  /// successive heights without a stated one.
  ///
  /// The third differences of heights that change smoothly have only the white part of the errors, with
  /// 20 times its variance. At least half of the usual variance is assumed to persist.
  ///
  /// - Parameter heights: The heights of one sensor, in order of time.
  /// - Returns: The errors; the default ones with fewer than 53 heights without standard deviations.
  public static func estimated(from heights: [HeightMeasurement]) -> HeightErrors {
    var errors = HeightErrors()
    let stated = heights.compactMap(\.sigma).sorted()
    if !stated.isEmpty {
      errors.sigma = stated[stated.count / 2]
      return errors
    }
    let differences = heights.indices.dropFirst(3).map { index in
      (heights[index].height - 3 * heights[index - 1].height + 3 * heights[index - 2].height
        - heights[index - 3].height).magnitude
    }.sorted()
    guard differences.count >= fewestDifferences else { return errors }
    let scatter =
      deviationsPerMedian * differences[differences.count / 2] / varianceGain.squareRoot()
    let persistent = errors.offsetVariance
    let white = max(persistent, scatter * scatter)
    errors.sigma = (persistent + white).squareRoot()
    errors.persistentShare = persistent / (persistent + white)
    return errors
  }

  /// Number of differences whose median is the scatter of most recordings within a tenth.
  private static let fewestDifferences = 50
  /// 1 + 9 + 9 + 1: the variance of a third difference of independent errors.
  private static let varianceGain = 20.0
  /// Standard deviations of a normal distribution in the median of its magnitude.
  private static let deviationsPerMedian = 1.4826
}
