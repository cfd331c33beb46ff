import FathomRecordings

extension RecordedResults {
  /// The files of a recording's folder that can be its first source.
  static let measurementFiles = ["ranges.csv", "ranges.csv.gz", "tdoa.csv", "tdoa.csv.gz"]

  /// The command that produced the results, as far as options of processing matter to it; nil if the
  /// results come from another program.
  var command: String? {
    guard let request = summary.request else { return nil }
    let source = summary.sources.first?.path ?? name
    let ending = Self.measurementFiles.map { "/\($0)" }.first(where: source.hasSuffix)
    let path = ending.map { String(source.dropLast($0.count)) }
    let words = ["fathom", "process", path ?? source] + request.settings.options
    let strict = request.isStrict ? ["--strict"] : []
    return (words + request.reading.options + strict).map(Self.quoted).joined(separator: " ")
  }

  /// Returns `word` as a shell reads it back.
  private static func quoted(_ word: String) -> String {
    let isPlain = word.unicodeScalars.allSatisfy {
      $0.properties.isAlphabetic || ("0"..."9").contains($0)
        || "-_./=,:+@%".unicodeScalars.contains($0)
    }
    return isPlain && !word.isEmpty ? word : "'\(word.replacing("'", with: "'\\''"))'"
  }
}

extension ProcessingSettings {
  /// The options of `fathom process` for these settings, without those that have their default.
  fileprivate var options: [String] {
    let usual = ProcessingSettings()
    var words = ["--method", method.rawValue]
    func add(_ name: String, _ value: Double?, unless usual: Double? = nil, in unit: Double = 1) {
      if let value, value != usual { words += [name, (value / unit).plain] }
    }
    add("--rate", rateHz)
    add("--epoch-window", epochWindowS)
    add("--height", heightM)
    add("--height-sigma", heightSigmaM)
    if let side { words += ["--side", side.rawValue] }
    if let boundsM {
      words += ["--bounds", boundsM.joined().map(\.plain).joined(separator: ",")]
    }
    add("--range-sigma", rangeSigmaM, unless: rangeSigmaIsGiven == true ? nil : usual.rangeSigmaM)
    add("--range-bias", rangeBiasM)
    for name in keptAnchors ?? [] { words += ["--keep", name] }
    let degree = Double.pi / 180
    add("--angle-sigma", angleSigmaRad, unless: usual.angleSigmaRad, in: degree)
    add("--heading-sigma", headingSigmaRad, in: degree)
    add("--acceleration", accelerationDensity, unless: usual.accelerationDensity)
    if smoothing != usual.smoothing { words += ["--smoothing", smoothing.rawValue] }
    if let deviceFrame { words += ["--device-frame", deviceFrame.rawValue] }
    if let extraColumns, !extraColumns.isEmpty {
      words += ["--with", extraColumns.map(\.rawValue).joined(separator: ",")]
    }
    return words
  }
}

extension RecordingOptions {
  /// The options of `fathom process` for reading, without those that have their default.
  fileprivate var options: [String] {
    var words: [String] = []
    if let format { words += ["--format", format.rawValue] }
    if !columns.isEmpty {
      let pairs = columns.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }
      words += ["--columns", pairs.joined(separator: ",")]
    }
    if let distanceUnit { words += ["--distance-unit", distanceUnit.rawValue] }
    if let angleUnit { words += ["--angle-unit", angleUnit.rawValue] }
    if let timeUnit { words += ["--time-unit", timeUnit.rawValue] }
    if decimalSeparator != .point { words += ["--decimal", ","] }
    if let delimiter {
      let names: [Delimiter: String] = [
        .comma: "comma", .semicolon: "semicolon", .tab: "tab", .blank: "blank",
      ]
      words += ["--delimiter", names[delimiter] ?? delimiter.rawValue]
    }
    if let blockDuration { words += ["--block-duration", blockDuration.plain] }
    return words
  }
}
