import ArgumentParser
import Fathom
import FathomRecordings

/// Formats as the command line has them: names divided by commas.
struct ResultFormats: ExpressibleByArgument, CustomStringConvertible {
  /// What was asked for.
  let formats: Set<ResultFormat>

  /// The given formats.
  init(_ formats: Set<ResultFormat>) { self.formats = formats }

  /// The formats named in `argument`; nil where one is unknown or there are none.
  init?(argument: String) {
    var formats: Set<ResultFormat> = []
    for name in argument.split(separator: ",", omittingEmptySubsequences: false) {
      guard let format = ResultFormat(rawValue: String(name)) else { return nil }
      formats.insert(format)
    }
    self.formats = formats
  }

  /// The names, divided by commas.
  var description: String {
    ResultFormat.allCases.filter(formats.contains).map(\.rawValue).joined(separator: ",")
  }

  /// The same, for the help.
  var defaultValueDescription: String { description }
}

/// Fails, as a mistake in usage, where `value` is given and not in `range`; NaN is in none.
func require(
  _ value: Double?, _ name: String, in range: ClosedRange<Double>
) throws {
  if let value, !range.contains(value) {
    throw ValidationError(
      "\(name) wants a number from \(range.lowerBound.plainText)"
        + " to \(range.upperBound.plainText)")
  }
}

/// What anchors measure, by the names of the command line.
enum Measure: String, CaseIterable, ExpressibleByArgument {
  case ranges
  case differences
  case azimuths
  case angles
  case rangesAndAzimuths = "ranges+azimuths"
  case rangesAndAngles = "ranges+angles"

  /// The kinds of measurement.
  var kinds: ExpectedMeasurements.Kinds {
    switch self {
    case .ranges: .range
    case .differences: .arrival
    case .azimuths: .azimuth
    case .angles: .angles
    case .rangesAndAzimuths: [.range, .azimuth]
    case .rangesAndAngles: [.range, .azimuth, .elevation]
    }
  }
}

extension DistanceUnit: ExpressibleByArgument {}
extension AngleUnit: ExpressibleByArgument {}
extension TimeUnit: ExpressibleByArgument {}
extension DecimalSeparator: ExpressibleByArgument {}
extension PositionMethod: ExpressibleByArgument {}
extension DeviceFrame: ExpressibleByArgument {}
extension SmoothingMethod: ExpressibleByArgument {}

extension Delimiter: ExpressibleByArgument {
  /// The delimiter called `argument`: the character itself or its name.
  public init?(argument: String) {
    let match = Self.allCases.first { argument == $0.rawValue || argument == $0.name }
    guard let match else { return nil }
    self = match
  }

  /// What the help offers.
  public static var allValueStrings: [String] { allCases.map(\.name) }

  /// Its name, which stands out from its surroundings where the character would not.
  var name: String {
    switch self {
    case .comma: "comma"
    case .semicolon: "semicolon"
    case .tab: "tab"
    }
  }
}
