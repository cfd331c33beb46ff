import Fathom
import FathomRecordings

/// A named method of the engine: its description, its parameters and its implementation.
public struct BenchmarkMethod: Sendable {
  /// The quantity that a method estimates and is scored on.
  public enum Kind: String, Sendable, Hashable, CaseIterable, Codable {
    /// Positions of tags, from ranges to several anchors.
    case position
    /// Smoothed distances of pairs of devices.
    case distance
    /// Verdicts or scores of ranges or links.
    case quality
  }

  /// A parameter of a method.
  public struct Parameter: Sendable, Hashable {
    /// Name in the engine.
    public let name: String
    /// Value in ``unit``.
    public let value: Double
    /// Unit; empty for a dimensionless number.
    public let unit: String
  }

  /// Name on the command line.
  public let name: String
  /// The estimated quantity.
  public let kind: Kind
  /// Description in one line.
  public let summary: String
  /// The parameters and their values.
  public let parameters: [Parameter]
  /// Whether the method claims to allocate no memory after its start.
  public let claimsNoAllocation: Bool
  /// Whether it is a single filter of the library rather than the whole chain from ranges to
  /// positions.
  var isSingleFilter = false
  /// Creates a pass over a recording; nil when the method does not apply to it.
  let pass: @Sendable (Recording) -> MethodPass?

  /// Creates a new pass over `recording`; nil when the method does not apply, such as positions
  /// without anchors.
  package func pass(over recording: Recording) -> MethodPass? { pass(recording) }
}

extension BenchmarkMethod {
  /// Returns a method that computes positions: that of `process`, or by a stage of its own.
  static func positions(
    _ name: String, _ summary: String, _ method: PositionMethod, parameters: [Parameter] = [],
    makeStage: (@Sendable (StageContext) -> any PositionStage)? = nil
  ) -> BenchmarkMethod {
    var settings = ProcessingSettings()
    settings.method = method
    return BenchmarkMethod(
      name: name, kind: .position, summary: summary, parameters: parameters,
      claimsNoAllocation: method == .filter
    ) { [settings] recording in
      if recording.anchors.isEmpty { return nil }
      guard let makeStage else {
        return MethodPass(PositionPass(recording, settings: settings))
      }
      return MethodPass(PositionPass(recording, settings: settings, makeStage: makeStage))
    }
  }

  /// Returns a filter of the library that estimates position and velocity.
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

  /// Returns a smoother of distances, one from `make` per pair of devices.
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

  /// Returns a method that processes each link separately.
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
