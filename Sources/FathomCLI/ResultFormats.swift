import ArgumentParser
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
