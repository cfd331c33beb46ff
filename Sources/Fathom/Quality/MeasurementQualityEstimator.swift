/// Whether the measurements of a peer are good enough to use.
public enum MeasurementQuality: String, Sendable, Hashable, CaseIterable {
  /// Too few fresh measurements, or too far away.
  case unknown
  /// Enough fresh measurements, the newest below the maximum distance.
  case good
  /// Enough fresh measurements, the newest at most the close distance.
  case close
}

/// Judges a peer's distances by how many different ones are fresh, exactly as the sample for
/// extended distance measurement does [EDM sample].
///
/// Each call of `update` gives an optional distance and the present time, and does in this order:
///
/// 1. A distance is appended to a list of (time, distance) unless it equals the **last** one there.
///    (IEEE comparison, no tolerance; the time of an equal one is not refreshed.)
/// 2. Elements older than the freshness window are removed wherever they stand. One exactly that old
///    stays.
/// 3. If **more than** the threshold are left (with the preset: nine, although the source calls eight
///    the minimum), the last one decides: `close` up to and including the close distance, else `good`
///    below the maximum distance, else `unknown`. In every other case `unknown`.
///
/// Known defects of the source, kept in this preset: a link that reports one constant distance, at
/// whatever rate, is never good, since repeats are dropped; one slightly slower than 4 Hz neither; a
/// verdict outlasts the last distance by up to 2 s; nothing but the newest distance is judged.
///
/// ## Edge cases
/// As the steps say, in IEEE arithmetic: a distance of NaN differs from every one, is appended each
/// time and gives `unknown` while it is the last; a negative distance is `close`; infinity is
/// `unknown`; -0 equals 0. A clock that steps back leaves elements "in the future", which stay until
/// the clock has caught up. A time of NaN removes nothing, and what is appended at it never ages.
///
/// Constant cost, and no allocation after `init`, while the clock does not step back. From a step back
/// until nothing is fresh the cost is constant on average, each distance being moved at most nine
/// times with the preset, and each step can make storage grow by nine elements, since what was
/// fresh before it may decide again once the clock has caught up.
public struct MeasurementQualityEstimator: Sendable {
  /// The constants of the rule.
  public struct Configuration: Sendable, Equatable {
    /// How the number of fresh distances is compared with the threshold.
    public enum Comparison: Sendable, Hashable {
      /// One more than the threshold is needed.
      case moreThan
      /// The threshold is enough.
      case atLeast
    }

    /// How long a distance stays fresh, seconds; 0 or more.
    public var freshness: Double
    /// Number of fresh distances to compare with, 0 or more; fewer than one is never enough.
    public var sampleThreshold: Int
    /// How it is compared.
    public var comparison: Comparison
    /// Distance from which on the quality is unknown, metres.
    public var maximumDistance: Float
    /// Largest distance that is close, metres.
    public var closeDistance: Float

    /// A configuration; what is not given is as in ``extendedDistance``.
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

    /// Exactly the source: 2 s, more than 8, 50 m, 10 m.
    public static let extendedDistance = Configuration()
  }

  /// The constants of the rule.
  public let configuration: Configuration

  private var fresh: FreshDistances

  /// An estimator for one peer, nothing seen yet.
  ///
  /// - Precondition: the configuration's freshness is 0 or more, its threshold from 0 to 10 000.
  public init(configuration: Configuration = .extendedDistance) {
    precondition(configuration.freshness >= 0, "freshness is negative or not a number")
    precondition(
      (0...10_000).contains(configuration.sampleThreshold), "sampleThreshold is not in 0...10000")
    self.configuration = configuration
    let needed =
      configuration.sampleThreshold + (configuration.comparison == .moreThan ? 1 : 0)
    fresh = FreshDistances(needed: max(needed, 1))
  }

  /// Takes a distance, or the lack of one, and returns the verdict.
  ///
  /// - Parameters:
  ///   - distance: measured distance, metres; nil where there is none. Any `Float` is taken as it is.
  ///   - now: the present time, seconds from any origin.
  /// - Returns: the verdict on what is fresh at `now`.
  public mutating func update(distance: Float?, at now: Double) -> MeasurementQuality {
    if let distance, distance != fresh.last { fresh.append(distance, at: now) }
    fresh.removeAll(before: now - configuration.freshness)
    guard fresh.isEnough, let last = fresh.last else { return .unknown }
    if last <= configuration.closeDistance { return .close }
    return last < configuration.maximumDistance ? .good : .unknown
  }

  /// Takes a distance, or the lack of one, and returns the verdict.
  ///
  /// The time counts in seconds since the origin, to the precision of a `Double`.
  ///
  /// - Parameters:
  ///   - distance: measured distance, metres; nil where there is none.
  ///   - now: the present time.
  /// - Returns: the verdict on what is fresh at `now`.
  public mutating func update(distance: Float?, at now: Timestamp) -> MeasurementQuality {
    update(distance: distance, at: now.seconds)
  }

  /// Forgets everything seen.
  public mutating func reset() { fresh.removeAll() }
}
