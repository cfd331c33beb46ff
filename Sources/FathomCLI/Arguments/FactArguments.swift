import ArgumentParser
import Fathom
import FathomRecordings

/// The options for the height and the side of tags, of every command with anchors.
struct HeightArguments: ParsableArguments {
  @Option(
    "Known height of the tags, for positions in the plane; overrides recording.json.", in: "metres")
  var height: Double?

  @Option(
    """
    Side of the anchors on which the tags are: selects between mirror images; overrides \
    recording.json.
    """, value: "side")
  var side: AnchorSide?

  func validate() throws { try requireValid(facts) }

  /// The facts of the options.
  var facts: TagFacts {
    var facts = TagFacts()
    (facts.heightM, facts.side) = (height, side)
    return facts
  }
}

/// The options for what is known of the place of tags, of commands that compute positions.
struct FactArguments: ParsableArguments {
  @OptionGroup var place: HeightArguments

  @Option("Standard deviation of the height, which is then estimated as well.", in: "metres")
  var heightSigma: Double?

  @Option("A box that contains the tags: selects between mirror images.", in: "x,y,z,x,y,z")
  var bounds: String?

  func validate() throws { try requireValid(facts) }

  /// The facts of the options.
  var facts: TagFacts {
    var facts = place.facts
    facts.heightSigmaM = heightSigma
    facts.boundsM = bounds.map { text in
      let numbers = text.split(separator: ",", omittingEmptySubsequences: false).map {
        Self.coordinate(String($0))
      }
      // With two coordinates per corner, the box covers all heights.
      let half = numbers.count / 2
      return [Array(numbers.prefix(half)), Array(numbers.dropFirst(half))]
    }
    return facts
  }

  /// Returns a coordinate in metres; that of an open side, `inf` or `-inf`, is the farthest there is.
  private static func coordinate(_ text: String) -> Double {
    let value = Double(text) ?? .nan
    let farthest = RecordingLimits.farthest
    return value.isInfinite ? (value < 0 ? -farthest : farthest) : value
  }
}

/// The options for zones and for the device that measures, of commands that process recordings.
struct DeviceArguments: ParsableArguments {
  @Option("Zones on the floor plan (JSON); overrides recording.json.", value: "file")
  var zones: String?

  @Option(
    """
    Frame of directions and poses.csv: phone (x right, y up) or robot (x forward, z up); by \
    default that of recording.json, otherwise phone.
    """, value: "frame")
  var deviceFrame: DeviceFrame?

  @Option("Standard deviation of directions.", in: "degrees")
  var angleSigma: Double?

  @Option(
    """
    For fix and filter: standard deviation of the heading error common to all attitudes in \
    poses.csv, 180 if unknown; overrides recording.json.
    """, in: "degrees")
  var headingSigma: Double?

  /// Sets the settings of the options, but for the zones.
  func set(_ settings: inout ProcessingSettings) {
    settings.deviceFrame = deviceFrame
    settings.headingSigmaRad = headingSigma.map { $0 * .pi / 180 }
    if let angleSigma { settings.angleSigmaRad = angleSigma * .pi / 180 }
  }

  /// Reads the zones; prints an error and throws its exit code if they cannot be read.
  func readZones() throws -> ZoneSettings? {
    try reportingErrors { try zones.map { try ZonesReader.read($0) } }
  }
}

/// Throws a usage error for a setting out of its limits.
func requireValid(_ settings: some TabulatedSettings) throws {
  if let fault = settings.fault(at: .options) { throw ValidationError(fault) }
}

/// Throws a usage error for a fact out of its limits.
private func requireValid(_ facts: TagFacts) throws {
  var settings = ProcessingSettings()
  settings.facts = facts
  try requireValid(settings)
}

extension AnchorSide: ExpressibleByArgument {}
extension DeviceFrame: ExpressibleByArgument {}
