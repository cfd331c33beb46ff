import Fathom

/// Zones on the floor plan and their rules: the part `zones` of `recording.json`, or a file of its own.
public struct ZoneSettings: Sendable, Equatable, Codable {
  /// How far beyond the boundary a position has to be, metres.
  public var marginM = 0.2
  /// How long it has to stay there, seconds.
  public var dwellS = 0.5
  /// The probability with which it has to be there, 0 to below 1.
  public var confidence = 0.95
  /// How long a zone outlasts the last position, seconds.
  public var forgetAfterS = 10.0
  /// The zones.
  public var areas: [Area]

  /// A zone as the file has it.
  public struct Area: Sendable, Equatable, Codable {
    /// What it is called; no two are called alike.
    public var name: String
    /// The corners of its polygon, x and y each, metres.
    public var cornersM: [[Double]]
    /// Its lower and upper height, metres; nil for all heights.
    public var heightsM: [Double]?

    /// A zone with the given corners.
    public init(name: String, cornersM: [[Double]], heightsM: [Double]? = nil) {
      self.name = name
      self.cornersM = cornersM
      self.heightsM = heightsM
    }

    /// The zone as the engine knows it; nil where it is none.
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

  /// The given zones under the usual rules.
  public init(areas: [Area]) { self.areas = areas }

  /// Zones of one tag that go by these rules, nothing entered yet; nil where they are unsound.
  var positionZones: PositionZones? {
    let zones = areas.compactMap(\.zone)
    guard problem == nil, zones.count == areas.count else { return nil }
    return PositionZones(
      zones, margin: marginM, dwell: dwellS, confidence: confidence, forgetAfter: forgetAfterS)
  }

  // MARK: Soundness

  /// The most zones that there can be.
  static let mostAreas = 1000
  /// The most corners that all zones can have together.
  static let mostCorners = 100_000

  /// What is wrong with them, in words; nil where nothing is.
  var problem: String? {
    if !(0...RecordingLimits.farthest).contains(marginM) { return "margin_m is out of range" }
    if !(0...RecordingLimits.farthest).contains(dwellS) { return "dwell_s is out of range" }
    if !(confidence >= 0 && confidence < 1) { return "confidence is not from 0 to below 1" }
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
      return "a corner needs two numbers: x, y"
    }
    if let heights = area.heightsM, heights.count != 2 || heights[0] > heights[1] {
      return "heights_m needs two numbers: the lower, then the upper"
    }
    let numbers = area.cornersM.joined() + (area.heightsM ?? [])
    if !numbers.allSatisfy({ $0.magnitude <= RecordingLimits.farthest }) {
      return "a number is out of range"
    }
    return area.zone == nil ? "the corners span no area" : nil
  }
}

extension ZoneSettings {
  private enum CodingKeys: String, CodingKey, CaseIterable {
    case marginM, dwellS, confidence, forgetAfterS, areas
  }

  /// Decodes zones; rules that are left out are the usual ones, keys that mean nothing an error.
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

  /// Decodes a zone; keys that mean nothing are an error.
  public init(from decoder: any Decoder) throws {
    try AnyKey.refuseOthers(than: CodingKeys.allCases.map(\.rawValue), in: decoder)
    let container = try decoder.container(keyedBy: CodingKeys.self)
    name = try container.decode(String.self, forKey: .name)
    cornersM = try container.decode([[Double]].self, forKey: .cornersM)
    heightsM = try container.decodeIfPresent([Double].self, forKey: .heightsM)
  }
}

/// A key of whatever name.
private struct AnyKey: CodingKey {
  var stringValue: String
  var intValue: Int? { nil }
  init(stringValue: String) { self.stringValue = stringValue }
  init?(intValue: Int) { nil }

  /// Fails for a key that is none of `names`: a misspelt rule must not be passed over.
  static func refuseOthers(than names: [String], in decoder: any Decoder) throws {
    let keys = try decoder.container(keyedBy: AnyKey.self).allKeys
    let others = keys.map(\.stringValue).filter { !names.contains($0) }.sorted()
    guard let first = others.first else { return }
    throw DecodingError.dataCorrupted(
      DecodingError.Context(
        codingPath: decoder.codingPath + [AnyKey(stringValue: first)],
        debugDescription: "means nothing here"))
  }
}
