import Fathom
import FathomRecordings

/// Every method of the engine that can be run over a recording, by name.
///
/// The one place where a method is registered: the benchmark, its golden traces and the command line
/// follow.
public enum MethodRegistry {
  /// All methods: positions, then the filters of the library one by one, then distances, then quality.
  public static let all: [BenchmarkMethod] = positions + FilterFamily.methods + distances + quality

  /// The methods with the names in `names`; a kind in the plural (`positions`, `distances`, `qualities`)
  /// stands for all of its kind, but for the filters of the library one by one, which are `filters`;
  /// `all` stands for all.
  ///
  /// - Returns: the methods in the order of the registry, each once.
  /// - Throws: ``UnknownMethod`` for the first name that none goes by.
  public static func methods(named names: [String]) throws(UnknownMethod) -> [BenchmarkMethod] {
    var wanted: Set<String> = []
    for name in names {
      let found = all.filter { $0.name == name || name == "all" || name == group(of: $0) }
      if found.isEmpty { throw UnknownMethod(name: name) }
      wanted.formUnion(found.map(\.name))
    }
    return all.filter { wanted.contains($0.name) }
  }

  /// No method is called so.
  public struct UnknownMethod: Error, Sendable, Equatable {
    /// The name.
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
      "linear", "every epoch by itself, linearised equations in closed form", .fix,
      variant: .linear),
    .positions(
      "fix-gaussian", "every epoch by itself, least squares from the global start", .fix,
      variant: .gaussian, parameters: [sigma(defaults.rangeSigmaM)]),
    .positions(
      "fix", "every epoch by itself, far-off ranges discounted (Cauchy)", .fix,
      parameters: [sigma(defaults.rangeSigmaM)]),
    .positions(
      "filter-gaussian", "extended Kalman filter, every range at full weight", .filter,
      variant: .gaussian, parameters: trackerParameters(freedom: .infinity)),
    .positions(
      "filter-plain", "extended Kalman filter, far-off ranges discounted (Student-t)", .filter,
      variant: .singleMode, parameters: trackerParameters(freedom: RangeErrors().degreesOfFreedom)),
    .positions(
      "filter", "two modes of motion, errors that last, settings found from the ranges", .filter,
      parameters: trackerParameters(freedom: RangeErrors().degreesOfFreedom)),
    .positions(
      "smooth", "the whole recording at once, settings found from the ranges", .smooth,
      parameters: trackerParameters(freedom: RangeErrors().degreesOfFreedom)),
  ]

  private static let distances: [BenchmarkMethod] = [
    .link("raw", .distance, "distances as they were measured", []) {
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
      "median-average", "mean of the middle of the last ranges",
      parameters: [
        window(MedianAverageFilter().window), share(MedianAverageFilter().shareKept),
      ]
    ) { MedianAverageFilter() },
    .smoother(
      "hampel", "ranges far from the median of their window replaced by it",
      parameters: [
        window(HampelFilter().window),
        .init(name: "threshold", value: HampelFilter().threshold, unit: ""),
        sigma(HampelFilter().rangeSigma),
      ]
    ) { HampelFilter() },
    .smoother(
      "alpha-beta", "distance and rate with the gains of the steady Kalman filter",
      parameters: [sigma(RangingDefaults.rangeSigma), density(RangingDefaults.accelerationDensity)]
    ) { AlphaBetaSmoother() },
    .smoother(
      "one-euro", "low-pass whose cut-off rises with the rate",
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
      "quality", .quality, "unknown, good or close by the number of fresh distances",
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
      "link-quality", .quality, "score from loss, scatter and repeats in a window",
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

/// The filters and smoothers of the library one by one, as methods of the benchmark.
///
/// What an estimator by itself is worth: no noise from the data, no errors that last, no weights.
/// What `fathom process` does about these is in the methods `filter` and `smooth`.
enum FilterFamily {
  static let methods: [BenchmarkMethod] = [
    .filter("extended", "extended Kalman filter", ExtendedTracking.self),
    .filter("iterated", "iterated extended Kalman filter", IteratedTracking.self),
    .filter(
      "unscented", "unscented Kalman filter, points of van der Merwe", UnscentedTracking.self),
    .filter("cubature", "cubature Kalman filter", CubatureTracking.self),
    .filter("information", "extended Kalman filter, information form", InformationTracking.self),
    .filter("square-root", "extended Kalman filter, square-root form", SquareRootTracking.self),
    .filter("factored", "extended Kalman filter, factors U D Uᵀ", FactoredTracking.self),
    .filter(
      "fading", "extended Kalman filter that forgets", FadingTracking.self,
      parameters: [.init(name: "fading", value: FadingTracking.fading, unit: "")]),
    .filter(
      "multiple-models", "a calm and a lively motion, interacting", MixtureTracking.self,
      parameters: mixture),
    .filter(
      "particles", "regularised particle filter", ParticleTracking.self,
      parameters: [.init(name: "count", value: Double(ParticleTracking.count), unit: "")]),
    .filter(
      "fixed-lag", "extended Kalman filter, smoothed with a lag", FixedLagTracking.self,
      parameters: [.init(name: "lag", value: Double(FixedLagTracking.lag), unit: "instants")]),
    .filter(
      "extended-smoother", "extended Kalman filter, smoothed backwards (Rauch-Tung-Striebel)",
      SmoothedTracking<ExtendedTracking>.self),
    .filter(
      "unscented-smoother", "unscented Kalman filter, smoothed backwards",
      SmoothedTracking<UnscentedTracking>.self),
    .filter(
      "cubature-smoother", "cubature Kalman filter, smoothed backwards",
      SmoothedTracking<CubatureTracking>.self),
    .filter(
      "multiple-models-smoother", "interacting models, smoothed backwards",
      SmoothedMixtureTracking.self, parameters: mixture),
    .filter(
      "iterated-smoother", "Gauss-Newton steps on the whole trajectory",
      IteratedSmootherTracking.self),
  ]

  private static let mixture: [BenchmarkMethod.Parameter] = [
    .init(name: "ratio", value: MixtureTracking.ratio, unit: ""),
    .init(name: "dwell", value: MixtureTracking.dwell, unit: "s"),
  ]
}
