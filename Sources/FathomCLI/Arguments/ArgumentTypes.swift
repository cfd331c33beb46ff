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

extension Option {
  /// Creates an option whose value the help calls `name`.
  init(wrappedValue: Value, _ help: String, value name: String) where Value: ExpressibleByArgument {
    self.init(wrappedValue: wrappedValue, help: ArgumentHelp(help, valueName: name))
  }

  /// Creates an option without a default, whose value the help calls `name`.
  init<Argument: ExpressibleByArgument>(_ help: String, value name: String)
  where Value == Argument? {
    self.init(help: ArgumentHelp(help, valueName: name))
  }

  /// Creates an option for numbers in a unit, which may be negative.
  init(wrappedValue: Value, _ help: String, in unit: String) where Value: ExpressibleByArgument {
    self.init(
      wrappedValue: wrappedValue, parsing: .unconditional,
      help: ArgumentHelp(help, valueName: unit))
  }

  /// Creates an option without a default for numbers in a unit, which may be negative.
  init<Number: ExpressibleByArgument>(_ help: String, in unit: String) where Value == Number? {
    self.init(parsing: .unconditional, help: ArgumentHelp(help, valueName: unit))
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
