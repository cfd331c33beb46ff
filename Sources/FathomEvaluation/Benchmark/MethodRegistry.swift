import Fathom
import FathomRecordings

/// Every method of the engine that can be run on a recording, by name.
///
/// Methods are registered only here. The benchmark, its golden traces and the command line use this
/// list.
public enum MethodRegistry {
  /// All methods: positions, then single filters of the library, then distances, then quality.
  public static let all: [BenchmarkMethod] = positions + FilterFamily.methods + distances + quality

  /// Returns the methods named in `names`.
  ///
  /// A plural kind (`positions`, `distances`, `qualities`) selects all methods of that kind. The
  /// single filters of the library are `filters` and not part of `positions`. `all` selects every
  /// method.
  ///
  /// - Returns: the methods in the order of the registry, each once.
  /// - Throws: ``UnknownMethod`` for the first unknown name.
  public static func methods(named names: [String]) throws(UnknownMethod) -> [BenchmarkMethod] {
    var wanted: Set<String> = []
    for name in names {
      let found = all.filter { $0.name == name || name == "all" || name == group(of: $0) }
      if found.isEmpty { throw UnknownMethod(name: name) }
      wanted.formUnion(found.map(\.name))
    }
    return all.filter { wanted.contains($0.name) }
  }

  /// An error for a name without a method.
  public struct UnknownMethod: Error, Sendable, Equatable {
    /// The unknown name.
    public let name: String
  }

  private static func group(of method: BenchmarkMethod) -> String {
    switch method.kind {
    case .position: method.isSingleFilter ? "filters" : "positions"
    case .distance: "distances"
    case .quality: "qualities"
    }
  }

  private static let defaults = ProcessingSettings()

  private static let positions: [BenchmarkMethod] = [
    .positions(
      "linear", "single epochs, closed-form solution of the linearised equations", .fix
    ) { LinearStage($0) },
    .positions(
      "fix-gaussian", "single epochs, least squares from the global start", .fix,
      parameters: [sigma(defaults.rangeSigmaM)]
    ) { FixStage($0, loss: .squared) },
    .positions(
      "fix", "single epochs, outliers down-weighted (Cauchy)", .fix,
      parameters: [sigma(defaults.rangeSigmaM)]),
    .positions(
      "filter-gaussian", "extended Kalman filter, every range at full weight", .filter,
      parameters: trackerParameters(freedom: .infinity)
    ) { FilterStage($0, $0.settings.plainTracker(freedom: .infinity)) },
    .positions(
      "filter-plain", "extended Kalman filter, outliers down-weighted (Student's t)", .filter,
      parameters: trackerParameters(freedom: RangeErrors().degreesOfFreedom)
    ) { FilterStage($0, $0.settings.plainTracker(freedom: RangeErrors().degreesOfFreedom)) },
    .positions(
      "filter", "two motion modes, time-correlated errors, parameters estimated", .filter,
      parameters: trackerParameters(freedom: RangeErrors().degreesOfFreedom)),
    .positions(
      "smooth", "smoother over the whole recording, parameters estimated", .smooth,
      parameters: trackerParameters(freedom: RangeErrors().degreesOfFreedom)),
  ]

  private static let distances: [BenchmarkMethod] = [
    .link("raw", .distance, "measured distances, unfiltered", []) {
      RawLink()
    } wrap: {
      .distances($0.map { $0 ?? nil })
    },
    .smoother(
      "exponential", "first-order low-pass with a time constant",
      parameters: [
        .init(name: "timeConstant", value: ExponentialSmoother().timeConstant, unit: "s")
      ]
    ) { ExponentialSmoother() },
    .smoother(
      "median", "median of the last ranges", parameters: [window(MovingMedian().window)]
    ) { MovingMedian() },
    .smoother(
      "median-average", "mean of the central part of the last ranges",
      parameters: [
        window(MedianAverageFilter().window), share(MedianAverageFilter().shareKept),
      ]
    ) { MedianAverageFilter() },
    .smoother(
      "hampel", "outliers replaced by the median of their window",
      parameters: [
        window(HampelFilter().window),
        .init(name: "threshold", value: HampelFilter().threshold, unit: ""),
        sigma(HampelFilter().rangeSigma),
      ]
    ) { HampelFilter() },
    .smoother(
      "alpha-beta", "distance and rate with steady-state Kalman gains",
      parameters: [sigma(RangingDefaults.rangeSigma), density(RangingDefaults.accelerationDensity)]
    ) { AlphaBetaSmoother() },
    .smoother(
      "one-euro", "low-pass with a cut-off that rises with the rate",
      parameters: [
        .init(name: "minimumCutoff", value: OneEuroFilter().minimumCutoff, unit: "Hz"),
        .init(name: "speedCoefficient", value: OneEuroFilter().speedCoefficient, unit: ""),
      ]
    ) { OneEuroFilter() },
    .smoother(
      "kalman-position", "Kalman filter, distance as a random walk",
      parameters: [
        sigma(defaults.rangeSigmaM), .init(name: "rateDensity", value: 1, unit: "(m/s)/√Hz"),
      ]
    ) { ScalarKalmanSmoother(motion: .constantPosition(rateDensity: 1)) },
    .smoother(
      "kalman-velocity", "Kalman filter, distance and rate",
      parameters: [sigma(defaults.rangeSigmaM), density(defaults.accelerationDensity)]
    ) { ScalarKalmanSmoother() },
  ]

  private static let quality: [BenchmarkMethod] = [
    .link(
      "quality", .quality, "unknown, good or close, by the number of recent distances",
      [
        .init(
          name: "freshness",
          value: MeasurementQualityEstimator.Configuration.extendedDistance.freshness, unit: "s"),
        .init(
          name: "sampleThreshold",
          value: Double(
            MeasurementQualityEstimator.Configuration.extendedDistance.sampleThreshold), unit: ""),
      ]
    ) {
      JudgedLink()
    } wrap: {
      .verdicts($0.map { $0 ?? .unknown })
    },
    .link(
      "link-quality", .quality, "score from loss, scatter and repeated values in a window",
      [.init(name: "window", value: LinkQualityEstimator().window, unit: "s")]
    ) {
      ScoredLink()
    } wrap: {
      .scores($0.map { $0 ?? nil })
    },
  ]

  // MARK: Parameters

  private static func sigma(_ value: Double) -> BenchmarkMethod.Parameter {
    .init(name: "rangeSigma", value: value, unit: "m")
  }

  private static func density(_ value: Double) -> BenchmarkMethod.Parameter {
    .init(name: "accelerationDensity", value: value, unit: "(m/s²)/√Hz")
  }

  private static func window(_ count: Int) -> BenchmarkMethod.Parameter {
    .init(name: "window", value: Double(count), unit: "ranges")
  }

  private static func share(_ value: Double) -> BenchmarkMethod.Parameter {
    .init(name: "shareKept", value: value, unit: "")
  }

  private static func trackerParameters(freedom: Double) -> [BenchmarkMethod.Parameter] {
    [
      sigma(defaults.rangeSigmaM), density(defaults.accelerationDensity),
      .init(name: "degreesOfFreedom", value: freedom, unit: ""),
    ]
  }
}

/// The single filters and smoothers of the library as benchmark methods.
///
/// They show the performance of an estimator alone, with neither estimated noise, time-correlated
/// errors nor weights. The methods `filter` and `smooth` are what `fathom process` runs and include
/// all of these.
enum FilterFamily {
  static let methods: [BenchmarkMethod] = [
    .filter("extended", "extended Kalman filter", ExtendedTracking.self),
    .filter("iterated", "iterated extended Kalman filter", IteratedTracking.self),
    .filter(
      "unscented", "unscented Kalman filter, van der Merwe's sigma points", UnscentedTracking.self),
    .filter("cubature", "cubature Kalman filter", CubatureTracking.self),
    .filter("information", "extended Kalman filter, information form", InformationTracking.self),
    .filter("square-root", "extended Kalman filter, square-root form", SquareRootTracking.self),
    .filter("factored", "extended Kalman filter, U D Uᵀ factorisation", FactoredTracking.self),
    .filter(
      "fading", "extended Kalman filter, fading memory", FadingTracking.self,
      parameters: [.init(name: "fading", value: FadingMemoryFilter<6, 1>.growth, unit: "")]),
    .filter(
      "multiple-models", "interacting low-noise and high-noise motion models", MixtureTracking.self,
      parameters: mixture),
    .filter(
      "particles", "regularised particle filter", ParticleTracking.self,
      parameters: [.init(name: "count", value: Double(ParticleTracking.count), unit: "")]),
    .filter(
      "fixed-lag", "extended Kalman filter, fixed-lag smoother", FixedLagTracking.self,
      parameters: [.init(name: "lag", value: Double(FixedLagTracking.lag), unit: "instants")]),
    .filter(
      "extended-smoother", "extended Kalman filter, Rauch-Tung-Striebel smoother",
      SmoothedTracking<ExtendedTracking>.self),
    .filter(
      "unscented-smoother", "unscented Kalman filter, Rauch-Tung-Striebel smoother",
      SmoothedTracking<UnscentedTracking>.self),
    .filter(
      "cubature-smoother", "cubature Kalman filter, Rauch-Tung-Striebel smoother",
      SmoothedTracking<CubatureTracking>.self),
    .filter(
      "multiple-models-smoother", "interacting models, smoothed",
      SmoothedMixtureTracking.self, parameters: mixture),
    .filter(
      "iterated-smoother", "iterated smoother, Gauss-Newton on the whole trajectory",
      IteratedSmootherTracking.self),
  ]

  private static let mixture: [BenchmarkMethod.Parameter] = [
    .init(name: "ratio", value: MixtureTracking.ratio, unit: ""),
    .init(name: "dwell", value: MixtureTracking.dwell, unit: "s"),
  ]
}
