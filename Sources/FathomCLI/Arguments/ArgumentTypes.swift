import ArgumentParser
import Fathom
import FathomRecordings

/// The value of `--results` and `--figure-formats`: names of formats, separated by commas.
struct FormatList<Format: RawRepresentable<String> & CaseIterable & Hashable & Sendable>:
  ExpressibleByArgument, CustomStringConvertible, Sendable
{
  /// The requested formats.
  let formats: Set<Format>

  /// Creates the value that requests `formats`.
  init(_ formats: Set<Format>) { self.formats = formats }

  /// Parses `argument`; returns nil if it is empty or a name in it is unknown.
  init?(argument: String) {
    var formats: Set<Format> = []
    for name in argument.split(separator: ",", omittingEmptySubsequences: false) {
      guard let format = Format(rawValue: String(name)) else { return nil }
      formats.insert(format)
    }
    self.formats = formats
  }

  /// The names, separated by commas.
  var description: String {
    Format.allCases.filter(formats.contains).map(\.rawValue).joined(separator: ",")
  }

  /// The default value as the help shows it.
  var defaultValueDescription: String { description }
}

/// The value of `--with`: names of columns, separated by commas.
struct ExtraColumnList: ExpressibleByArgument {
  /// The requested columns, each once.
  let columns: [ExtraColumns]

  /// Parses `argument`; returns nil if it is empty or a name in it is unknown.
  init?(argument: String) {
    var columns: Set<ExtraColumns> = []
    for name in argument.split(separator: ",", omittingEmptySubsequences: false) {
      guard let column = ExtraColumns(rawValue: String(name)) else { return nil }
      columns.insert(column)
    }
    self.columns = ExtraColumns.allCases.filter(columns.contains)
  }
}

/// Throws a usage error if `value` is given and outside `range`.
///
/// NaN is outside every range.
func require(
  _ value: Double?, _ name: String, in range: ClosedRange<Double>
) throws {
  if let value, !range.contains(value) {
    throw ValidationError(range.violation(by: name))
  }
}

/// The values of `--measure`: what every anchor measures.
enum Measure: String, CaseIterable, ExpressibleByArgument {
  case ranges
  case differences
  case azimuths
  case angles
  case rangesAndAzimuths = "ranges+azimuths"
  case rangesAndAngles = "ranges+angles"

  /// The kinds of measurement that the value names.
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
extension SmoothingMethod: ExpressibleByArgument {}
extension LogFormat: ExpressibleByArgument {}

extension Delimiter: ExpressibleByArgument {
  /// Parses a delimiter: the character itself or its name.
  public init?(argument: String) {
    let match = Self.allCases.first { argument == $0.rawValue || argument == $0.name }
    guard let match else { return nil }
    self = match
  }

  /// The names that the help lists.
  public static var allValueStrings: [String] { allCases.map(\.name) }
}
