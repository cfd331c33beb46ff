import Fathom
import Foundation

/// Metadata of a recording, from `recording.json`.
public struct RecordingInfo: Sendable, Equatable {
  /// Known height of the tags, in metres; positions are then solved in the plane.
  public var height: Double?
  /// Standard deviation of ``height``, in metres, positive; nil for an exact height.
  public var heightSigma: Double?
  /// Side of the anchors on which the tags are; nil when the file states none.
  public var side: AnchorSide?
  /// Two corners of a box that contains the tags, with two or three coordinates each, in metres.
  public var bounds: [[Double]]?
  /// Zones on the floor plan.
  public var zones: ZoneSettings?
  /// Frame in which the device reports directions; nil when the file states none.
  public var deviceFrame: DeviceFrame?
  /// Standard deviation of the common heading error of all attitudes, in radians, at most π; nil
  /// for exact attitudes.
  public var headingSigma: Double?
  /// Time to add to the truth's time stamps, in seconds.
  public var truthTimeOffset: Double = 0
  /// Offset to add to the truth's positions: x, y and z, in metres.
  public var truthOffset: [Double] = [0, 0, 0]
  /// Remarks by the author of the recording; nil when there are none.
  public var remarks: String?
  /// Unknown keys in the file, in alphabetical order.
  public var unknownKeys: [String] = []

  /// Creates empty metadata: no height, no offsets.
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
    let hasZones: Bool
    do {
      let content = try JSONDecoder().decode(Content.self, from: Data(source.bytes))
      self = content.info
      hasZones = content.hasZones
    } catch let error as DecodingError {
      throw .badData(path: source.path, line: nil, reason: Self.reason(error, source.bytes))
    } catch {
      throw .badData(path: source.path, line: nil, reason: "the file is not JSON")
    }
    if hasZones { zones = try ZonesReader.zones(in: source) }
  }

  private static func reason(_ error: DecodingError, _ bytes: [UInt8]) -> String {
    switch error {
    case .dataCorrupted(let context) where !context.codingPath.isEmpty:
      return "\(name(context)): \(context.debugDescription)"
    case .typeMismatch(_, let context) where context.codingPath.isEmpty,
      .valueNotFound(_, let context) where context.codingPath.isEmpty:
      return "the file is not a JSON object"
    case .typeMismatch(let type, let context), .valueNotFound(let type, let context):
      return "\(name(context)) is not \(type == String.self ? "a string" : "a number")"
    default:
      // The decoder does not report the location; the older parser does.
      var place = ""
      do {
        _ = try JSONSerialization.jsonObject(with: Data(bytes))
      } catch {
        let details = (error as NSError).userInfo["NSDebugDescription"] as? String
        // The parser quotes the invalid text without escaping it.
        place = details.map { ": \(Excerpt.plain($0, limit: 200))" } ?? ""
      }
      return "the file is not JSON\(place)"
    }
  }

  private static func name(_ context: DecodingError.Context) -> String {
    Excerpt.plain(context.codingPath.first?.stringValue ?? "")
  }

  /// Content of the file; a separate type, so that unknown keys can be listed.
  private struct Content: Decodable {
    var info = RecordingInfo()
    var hasZones = false

    struct Key: CodingKey {
      var stringValue: String
      var intValue: Int? { nil }
      init(stringValue: String) { self.stringValue = stringValue }
      init?(intValue: Int) { nil }
    }

    init(from decoder: any Decoder) throws {
      let container = try decoder.container(keyedBy: Key.self)
      for key in container.allKeys {
        switch key.stringValue {
        case "height_m":
          info.height = try container.decodeIfPresent(Double.self, forKey: key)
          try Self.check(info.height ?? 0, key)
        case "height_sigma_m":
          info.heightSigma = try container.decodeIfPresent(Double.self, forKey: key)
          try Self.check(info.heightSigma ?? 1, key)
          try Self.require((info.heightSigma ?? 1) >= 1e-6, key, "must be at least 1e-6")
        case "side":
          let name = try container.decodeIfPresent(String.self, forKey: key)
          info.side = name.flatMap { AnchorSide(rawValue: $0) }
          let known = AnchorSide.allCases.map(\.rawValue).joined(separator: " or ")
          try Self.require(
            (name == nil) == (info.side == nil), key,
            "must be \(known), not \"\(Excerpt.plain(name ?? ""))\"")
        case "bounds_m":
          info.bounds = try container.decodeIfPresent([[Double]].self, forKey: key)
          let bounds = info.bounds ?? []
          for value in bounds.joined() { try Self.check(value, key) }
          try Self.require(
            info.bounds == nil || TagBounds.box(bounds) != nil, key,
            "must be two corners: the smallest and the largest x, y and, optionally, z")
        case "zones": hasZones = true
        case "device_frame":
          let name = try container.decodeIfPresent(String.self, forKey: key)
          info.deviceFrame = name.flatMap { DeviceFrame(rawValue: $0) }
          let known = DeviceFrame.allCases.map(\.rawValue).joined(separator: " or ")
          try Self.require((name == nil) == (info.deviceFrame == nil), key, "must be \(known)")
        case "heading_sigma_rad":
          info.headingSigma = try container.decodeIfPresent(Double.self, forKey: key)
          let sigma = info.headingSigma ?? 1
          try Self.require(
            sigma >= 1e-6 && sigma <= .pi, key, "must be from 1e-6 to π: \(sigma)")
        case "truth_time_offset_s":
          info.truthTimeOffset = try container.decodeIfPresent(Double.self, forKey: key) ?? 0
          try Self.check(info.truthTimeOffset, key)
        case "truth_offset_m":
          let offset = try container.decodeIfPresent([Double].self, forKey: key) ?? [0, 0, 0]
          guard offset.count == 3 else {
            throw DecodingError.dataCorrupted(
              .init(codingPath: [key], debugDescription: "must be three numbers: x, y, z"))
          }
          for value in offset { try Self.check(value, key) }
          info.truthOffset = offset
        case "notes": info.remarks = try container.decodeIfPresent(String.self, forKey: key)
        default: info.unknownKeys.append(key.stringValue)
        }
      }
      info.unknownKeys.sort()
      try Self.require(
        info.heightSigma == nil || info.height != nil, Key(stringValue: "height_sigma_m"),
        "requires height_m")
    }

    /// Throws `reason` when `holds` is false.
    private static func require(_ holds: Bool, _ key: Key, _ reason: String) throws {
      guard !holds else { return }
      throw DecodingError.dataCorrupted(.init(codingPath: [key], debugDescription: reason))
    }

    /// Throws when the magnitude of `value` exceeds ``RecordingLimits/farthest``.
    private static func check(_ value: Double, _ key: Key) throws {
      guard value.magnitude <= RecordingLimits.farthest else {
        throw DecodingError.dataCorrupted(
          .init(codingPath: [key], debugDescription: "out of range: \(value)"))
      }
    }
  }
}
