/// The usability of the measurements of a peer.
public enum MeasurementQuality: UInt8, Sendable, Hashable, CaseIterable {
  /// Too few fresh measurements, or the newest is too far away.
  case unknown
  /// Enough fresh measurements; the newest is below the maximum distance.
  case good
  /// Enough fresh measurements; the newest is at most the close distance.
  case close
}

/// Rates a peer's distances by the number of different fresh values, exactly as the sample code for
/// extended distance measurement does [EDM sample].
///
/// Each call of `update` passes an optional distance and the current time. It performs these steps:
///
/// 1. A distance is appended to a list of (time, distance) unless it equals the **last** element.
///    (IEEE comparison without tolerance; a repeated distance keeps its first time.)
/// 2. Elements older than the freshness window are removed, wherever they are in the list. An
///    element of exactly that age stays.
/// 3. If **more than** the threshold are left, the last one decides: `close` up to and including
///    the close distance, `good` below the maximum distance, else `unknown`. In every other case
///    the result is `unknown`. The preset needs nine distances, although the source calls eight the
///    minimum.
///
/// The preset keeps known defects of the source:
///
/// - A link that reports one constant distance, at any rate, never becomes good, since repeats are
///   dropped.
/// - A link slightly slower than 4 Hz never becomes good.
/// - A result outlasts the last distance by up to 2 s.
/// - Only the newest distance is rated.
///
/// ## Edge cases
/// All steps use IEEE arithmetic. A distance of NaN differs from every other one: it is appended
/// each time and gives `unknown` while it is the last. A negative distance is `close`, infinity is
/// `unknown`, and -0 equals 0. A clock that steps back leaves elements with future times, which
/// stay until the clock has caught up. A time of NaN removes nothing, and an element appended at
/// NaN never expires.
///
/// While the clock does not step back, the cost is constant and `init` makes the only allocation.
/// From a step back until nothing is fresh, the cost is constant on average: each distance is moved
/// at most nine times with the preset. Each step back can add nine elements of storage, since the
/// elements that were fresh before it may decide again once the clock has caught up.
public struct MeasurementQualityEstimator: Sendable {
  /// The constants of the rating.
  public struct Configuration: Sendable, Equatable {
    /// The comparison of the number of fresh distances with the threshold.
    public enum Comparison: Sendable, Hashable {
      /// More fresh distances than the threshold are needed.
      case moreThan
      /// As many fresh distances as the threshold are enough.
      case atLeast
    }

    /// How long a distance stays fresh, in seconds; 0 or more.
    public var freshness: Double
    /// Threshold for the number of fresh distances, 0 or more; at least one distance is always
    /// needed.
    public var sampleThreshold: Int
    /// The comparison with the threshold.
    public var comparison: Comparison
    /// Distance from which the quality is unknown, in metres.
    public var maximumDistance: Float
    /// Largest distance that is close, in metres.
    public var closeDistance: Float

    /// Creates a configuration; omitted values are those of ``extendedDistance``.
    public init(
      freshness: Double = 2, sampleThreshold: Int = 8, comparison: Comparison = .moreThan,
      maximumDistance: Float = 50, closeDistance: Float = 10
    ) {
      self.freshness = freshness
      self.sampleThreshold = sampleThreshold
      self.comparison = comparison
      self.maximumDistance = maximumDistance
      self.closeDistance = closeDistance
    }

    /// The constants of the source: 2 s, more than 8, 50 m, 10 m.
    public static let extendedDistance = Configuration()
  }

  /// The constants of the rating.
  public let configuration: Configuration

  private var fresh: FreshDistances

  /// Creates an estimator for one peer, without distances.
  ///
  /// - Precondition: The configuration's freshness is 0 or more, its threshold from 0 to 10 000.
  public init(configuration: Configuration = .extendedDistance) {
    precondition(configuration.freshness >= 0, "freshness must be 0 or more")
    precondition(
      (0...10_000).contains(configuration.sampleThreshold),
      "sampleThreshold must be from 0 to 10 000")
    self.configuration = configuration
    let needed =
      configuration.sampleThreshold + (configuration.comparison == .moreThan ? 1 : 0)
    fresh = FreshDistances(needed: max(needed, 1))
  }

  /// Processes an optional distance and returns the quality.
  ///
  /// - Parameters:
  ///   - distance: The measured distance in metres; nil without one. Any `Float` is processed.
  ///   - now: The current time, in seconds from any origin.
  /// - Returns: The quality at `now`.
  public mutating func update(distance: Float?, at now: Double) -> MeasurementQuality {
    if let distance, distance != fresh.last { fresh.append(distance, at: now) }
    fresh.removeAll(before: now - configuration.freshness)
    guard fresh.isEnough, let last = fresh.last else { return .unknown }
    if last <= configuration.closeDistance { return .close }
    return last < configuration.maximumDistance ? .good : .unknown
  }

  /// Processes an optional distance and returns the quality.
  ///
  /// The time is converted to seconds since the origin, to the precision of a `Double`.
  ///
  /// - Parameters:
  ///   - distance: The measured distance in metres; nil without one. Any `Float` is processed.
  ///   - now: The current time.
  /// - Returns: The quality at `now`.
  public mutating func update(distance: Float?, at now: Timestamp) -> MeasurementQuality {
    update(distance: distance, at: now.seconds)
  }

  /// Removes all distances.
  public mutating func reset() { fresh.removeAll() }
}
