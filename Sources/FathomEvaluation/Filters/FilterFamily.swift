import Fathom

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
