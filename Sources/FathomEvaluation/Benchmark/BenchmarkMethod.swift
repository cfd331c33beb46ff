import Fathom
import FathomRecordings

/// A method of the engine by its name: what it is, what it was set to, and how to run it.
public struct BenchmarkMethod: Sendable {
  /// What a method estimates, and so what it is compared with.
  public enum Kind: String, Sendable, Hashable, CaseIterable, Codable {
    /// Positions of tags, from ranges to several anchors.
    case position
    /// Smoothed distances of pairs of devices.
    case distance
    /// Judgements of ranges or links.
    case quality
  }

  /// A setting of a method.
  public struct Parameter: Sendable, Hashable {
    /// Its name in the engine.
    public let name: String
    /// Its value, in the unit given.
    public let value: Double
    /// The unit; empty for a plain number.
    public let unit: String
  }

  /// Its name on the command line.
  public let name: String
  /// What it estimates.
  public let kind: Kind
  /// What it does, in one line.
  public let summary: String
  /// What it is set to.
  public let parameters: [Parameter]
  /// Whether it claims to need no memory from the system once it runs.
  public let claimsNoAllocation: Bool
  /// Whether it is a filter of the library by itself, and no whole way from ranges to positions.
  var isSingleFilter = false
  /// Makes a pass over a recording; nil where the method cannot be applied to it.
  let pass: @Sendable (Recording) -> MethodPass?

  /// A fresh pass over `recording`.
  ///
  /// - Returns: the pass; nil where the method cannot be applied, such as positions without anchors.
  package func pass(over recording: Recording) -> MethodPass? { pass(recording) }
}

extension BenchmarkMethod {
  /// A method that computes positions with `settings`.
  static func positions(
    _ name: String, _ summary: String, _ method: PositionMethod,
    variant: PositionVariant = .standard, parameters: [Parameter] = []
  ) -> BenchmarkMethod {
    var settings = ProcessingSettings()
    settings.method = method
    return BenchmarkMethod(
      name: name, kind: .position, summary: summary, parameters: parameters,
      claimsNoAllocation: method == .filter
    ) { [settings] recording in
      recording.anchors.isEmpty
        ? nil
        : MethodPass(PositionPass(recording, settings: settings, variant: variant))
    }
  }

  /// A filter of the library that follows position and velocity.
  static func filter<Filter: TrackingFilter>(
    _ name: String, _ summary: String, _: Filter.Type, parameters: [Parameter] = []
  ) -> BenchmarkMethod {
    let (sigma, density) = (RangingDefaults.rangeSigma, RangingDefaults.accelerationDensity)
    let common: [Parameter] = [
      .init(name: "rangeSigma", value: sigma, unit: "m"),
      .init(name: "accelerationDensity", value: density, unit: "(m/s²)/√Hz"),
    ]
    return BenchmarkMethod(
      name: name, kind: .position, summary: summary, parameters: common + parameters,
      claimsNoAllocation: false, isSingleFilter: true
    ) { recording in
      recording.anchors.isEmpty
        ? nil
        : MethodPass(FilterPass<Filter>(recording, rangeSigma: sigma, density: density))
    }
  }

  /// A smoother of distances, one from `make` per pair of devices.
  static func smoother<Smoother: DistanceSmoother>(
    _ name: String, _ summary: String, parameters: [Parameter],
    _ make: @escaping @Sendable () -> Smoother
  ) -> BenchmarkMethod {
    link(name, .distance, summary, parameters) {
      SmoothedLink(smoother: make())
    } wrap: {
      .distances($0.map { $0 ?? nil })
    }
  }

  /// A method that works link by link.
  static func link<Method: LinkMethod>(
    _ name: String, _ kind: Kind, _ summary: String, _ parameters: [Parameter],
    _ make: @escaping @Sendable () -> Method,
    wrap: @escaping @Sendable ([Method.Output?]) -> MethodOutput
  ) -> BenchmarkMethod {
    BenchmarkMethod(
      name: name, kind: kind, summary: summary, parameters: parameters, claimsNoAllocation: true
    ) { recording in MethodPass(LinkPass(recording, make: make), wrap: wrap) }
  }
}
