import Fathom

/// Metadata of a recording, from `recording.json`.
public struct RecordingInfo: Sendable, Equatable {
  /// What the file states of the tags.
  public var facts = TagFacts()
  /// Time to add to the truth's time stamps, in seconds.
  public var truthTimeOffset: Double = 0
  /// Offset to add to the truth's positions: x, y and z, in metres.
  public var truthOffset: [Double] = [0, 0, 0]
  /// The picture of the floor plan; nil without one.
  public var floorPlan: PicturePlacement?
  /// Remarks by the author of the recording; nil when there are none.
  public var remarks: String?
  /// Unknown keys in the file, in alphabetical order.
  public var unknownKeys: [String] = []

  /// Creates empty metadata: no facts, no offsets.
  public init() {}

  /// Reads the file at `path`.
  ///
  /// - Throws: ``RecordingError/noInput(path:reason:)`` when the file cannot be read;
  ///   ``RecordingError/badData(path:line:reason:)`` when it is longer than
  ///   ``RecordingLimits/longestSettings``, is not a JSON object, or a value is invalid for its key
  ///   or exceeds ``RecordingLimits/farthest``.
  public init(path: String) throws(RecordingError) {
    try self.init(ByteSource(path: path, mostBytes: RecordingLimits.longestSettings))
  }

  /// Reads the file `recording.json` in `folder`; nil if the folder has no such file.
  ///
  /// - Throws: The errors of ``init(path:)``, also when the file is a link into nothing.
  package init?(folder: String) throws(RecordingError) {
    guard let path = try FoundFile.first(of: ["recording.json"], in: folder) else { return nil }
    try self.init(path: path)
  }

  init(_ source: ByteSource) throws(RecordingError) {
    self = try SettingsText.decoded(Content.self, from: source).info
    unknownKeys = SettingsText.keys(in: source).subtracting(Self.knownKeys).sorted()
    if let reason = fault ?? misspelt {
      throw .badData(path: source.path, line: nil, reason: reason)
    }
  }

  /// Why a value is invalid; nil when all are valid.
  private var fault: String? {
    var settings = ProcessingSettings()
    settings.facts = facts
    let limits = RecordingLimits.coordinates
    if let fault = settings.fault(at: .keys) { return fault }
    if facts.heightSigmaM != nil, facts.heightM == nil { return "height_sigma_m needs height_m" }
    if !limits.contains(truthTimeOffset) { return limits.violation(by: "truth_time_offset_s") }
    if !truthOffset.allSatisfy(limits.contains) { return limits.violation(by: "truth_offset_m") }
    if truthOffset.count != 3 { return "truth_offset_m must be three numbers: x, y, z" }
    return floorPlan?.fault
  }

  /// Why an unknown key would have been read as a known one, which the decoder converts from snake case.
  private var misspelt: String? {
    unknownKeys.first { Self.knownKeys.contains($0.inSnakeCase) }.map {
      "\(Excerpt.quoted($0)) is not a known key: write \($0.inSnakeCase)"
    }
  }

  /// The keys of the file.
  private static let knownKeys = Set(
    (TagFacts.CodingKeys.allCases.map(\.stringValue)
      + Content.CodingKeys.allCases.map(\.stringValue)).map(\.inSnakeCase))

  /// Content of the file; a separate type, so that metadata cannot be decoded without checks.
  private struct Content: Decodable {
    var info = RecordingInfo()

    enum CodingKeys: String, CodingKey, CaseIterable {
      case truthTimeOffsetS, truthOffsetM, floorPlan, notes
    }

    init(from decoder: any Decoder) throws {
      let container = try decoder.container(keyedBy: CodingKeys.self)
      info.facts = try TagFacts(from: decoder)
      info.truthTimeOffset =
        try container.decodeIfPresent(Double.self, forKey: .truthTimeOffsetS) ?? 0
      info.truthOffset =
        try container.decodeIfPresent([Double].self, forKey: .truthOffsetM) ?? [0, 0, 0]
      info.floorPlan =
        try container.decodeIfPresent(PicturePlacement.self, forKey: .floorPlan)
      info.remarks = try container.decodeIfPresent(String.self, forKey: .notes)
    }
  }
}
