import Fathom

/// Zones on the floor plan and their rules: the key `zones` of `recording.json`, or a file of its
/// own.
public struct ZoneSettings: Sendable, Equatable, Codable {
  /// Distance beyond the boundary that a position must reach, in metres.
  public var marginM = 0.2
  /// Time for which the position must stay there, in seconds.
  public var dwellS = 0.5
  /// Probability with which the position must be there, from 0 to below 1.
  public var confidence = 0.95
  /// Time after the last position at which a zone is left, in seconds.
  public var forgetAfterS = 10.0
  /// Zones.
  public var areas: [Area]

  /// A zone in the file.
  public struct Area: Sendable, Equatable, Codable {
    /// Name, distinct from those of the other zones.
    public var name: String
    /// Corners of the polygon, x and y each, in metres.
    public var cornersM: [[Double]]
    /// Lower and upper height, in metres; nil for all heights.
    public var heightsM: [Double]?

    /// Creates a zone with the given corners.
    public init(name: String, cornersM: [[Double]], heightsM: [Double]? = nil) {
      self.name = name
      self.cornersM = cornersM
      self.heightsM = heightsM
    }

    /// The zone for the engine; nil when it is invalid.
    var zone: PositionZone? {
      guard cornersM.allSatisfy({ $0.count == 2 }) else { return nil }
      var heights: ClosedRange<Double>?
      if let heightsM {
        guard heightsM.count == 2, heightsM[0] <= heightsM[1] else { return nil }
        heights = heightsM[0]...heightsM[1]
      }
      return PositionZone(
        name: name, corners: cornersM.map { Vector([$0[0], $0[1]]) }, heights: heights)
    }
  }

  /// Creates settings of the given zones with the default rules.
  public init(areas: [Area]) { self.areas = areas }

  /// Zones for one tag, none of them entered yet; nil when the settings are invalid.
  var positionZones: PositionZones? {
    let zones = areas.compactMap(\.zone)
    guard problem == nil, zones.count == areas.count else { return nil }
    return PositionZones(
      zones, margin: marginM, dwell: dwellS, confidence: confidence, forgetAfter: forgetAfterS)
  }

  // MARK: Validation

  /// Maximum number of zones.
  static let mostAreas = 1000
  /// Maximum number of corners of all zones together.
  static let mostCorners = 100_000

  /// Description of the first problem of the settings; nil when they are valid.
  var problem: String? {
    if !(0...RecordingLimits.farthest).contains(marginM) { return "margin_m is out of range" }
    if !(0...RecordingLimits.farthest).contains(dwellS) { return "dwell_s is out of range" }
    if !(confidence >= 0 && confidence < 1) { return "confidence must be from 0 to below 1" }
    if !(forgetAfterS > 0 && forgetAfterS <= RecordingLimits.farthest) {
      return "forget_after_s is out of range"
    }
    if areas.count > Self.mostAreas { return "more than \(Self.mostAreas) zones" }
    if areas.map(\.cornersM.count).reduce(0, +) > Self.mostCorners {
      return "more than \(Self.mostCorners) corners"
    }
    var names: Set<String> = []
    for area in areas {
      let name = Excerpt.quoted(area.name)
      if area.name.isEmpty || area.name.utf8.count > RecordingLimits.longestName {
        return "the name of a zone is empty or too long: \(name)"
      }
      if !names.insert(area.name).inserted { return "two zones are called \(name)" }
      if let problem = Self.problem(of: area) { return "zone \(name): \(problem)" }
    }
    return nil
  }

  private static func problem(of area: Area) -> String? {
    if area.cornersM.count < 3 { return "there are fewer than three corners" }
    if !area.cornersM.allSatisfy({ $0.count == 2 }) {
      return "a corner must have two numbers: x, y"
    }
    if let heights = area.heightsM, heights.count != 2 || heights[0] > heights[1] {
      return "heights_m must have two numbers: the lower, then the upper"
    }
    let numbers = area.cornersM.joined() + (area.heightsM ?? [])
    if !numbers.allSatisfy({ $0.magnitude <= RecordingLimits.farthest }) {
      return "a number is out of range"
    }
    return area.zone == nil ? "the corners enclose no area" : nil
  }
}

extension ZoneSettings {
  private enum CodingKeys: String, CodingKey, CaseIterable {
    case marginM, dwellS, confidence, forgetAfterS, areas
  }

  /// Decodes zones; missing rules have their defaults, unknown keys are an error.
  public init(from decoder: any Decoder) throws {
    try AnyKey.refuseOthers(than: CodingKeys.allCases.map(\.rawValue), in: decoder)
    let container = try decoder.container(keyedBy: CodingKeys.self)
    areas = try container.decode([Area].self, forKey: .areas)
    marginM = try container.decodeIfPresent(Double.self, forKey: .marginM) ?? marginM
    dwellS = try container.decodeIfPresent(Double.self, forKey: .dwellS) ?? dwellS
    confidence = try container.decodeIfPresent(Double.self, forKey: .confidence) ?? confidence
    forgetAfterS =
      try container.decodeIfPresent(Double.self, forKey: .forgetAfterS) ?? forgetAfterS
  }
}

extension ZoneSettings.Area {
  private enum CodingKeys: String, CodingKey, CaseIterable {
    case name, cornersM, heightsM
  }

  /// Decodes a zone; unknown keys are an error.
  public init(from decoder: any Decoder) throws {
    try AnyKey.refuseOthers(than: CodingKeys.allCases.map(\.rawValue), in: decoder)
    let container = try decoder.container(keyedBy: CodingKeys.self)
    name = try container.decode(String.self, forKey: .name)
    cornersM = try container.decode([[Double]].self, forKey: .cornersM)
    heightsM = try container.decodeIfPresent([Double].self, forKey: .heightsM)
  }
}

/// A key with any name, which can be a literal.
package struct AnyKey: CodingKey, ExpressibleByStringLiteral {
  package let stringValue: String
  package var intValue: Int? { nil }
  package init(stringValue: String) { self.stringValue = stringValue }
  package init?(intValue: Int) { nil }
  package init(stringLiteral value: String) { stringValue = value }

  /// Throws when a key is not one of `names`: a misspelt rule must not be ignored.
  fileprivate static func refuseOthers(than names: [String], in decoder: any Decoder) throws {
    let keys = try decoder.container(keyedBy: AnyKey.self).allKeys
    let others = keys.map(\.stringValue).filter { !names.contains($0) }.sorted()
    guard let first = others.first else { return }
    throw DecodingError.dataCorrupted(
      DecodingError.Context(
        codingPath: decoder.codingPath + [AnyKey(stringValue: first)],
        debugDescription: "is not a known key"))
  }
}
