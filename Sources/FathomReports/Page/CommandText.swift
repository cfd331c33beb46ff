import FathomRecordings

extension RecordedResults {
  /// The files of a recording's folder that can be its first source.
  static let measurementFiles = RecordingFile.measurements

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
    var usual = ProcessingSettings()
    // A given value is not a default, even if it is equal.
    if rangeSigmaIsGiven == true { usual.rangeSigmaM = .nan }
    return ["--method", method.rawValue] + words(unless: usual, besides: ["method"])
  }
}

extension RecordingOptions {
  /// The options of `fathom process` for reading, without those that have their default; the rate is one
  /// of processing too.
  fileprivate var options: [String] { words(unless: RecordingOptions(), besides: ["rate"]) }
}

extension TabulatedSettings {
  /// The options whose values differ from those of `usual`, besides some.
  fileprivate func words(unless usual: Self, besides others: Set<String>) -> [String] {
    Self.table.flatMap { setting -> [String] in
      let value = setting.value(self)
      if others.contains(setting.option) || value == setting.value(usual) { return [] }
      switch value {
      case .numbers(let numbers):
        let unit = setting.isAngle ? Double.pi / 180 : 1
        let text = numbers.map { ($0 / unit).plain }.joined(separator: ",")
        return ["--\(setting.option)", text]
      case .words(let words): return words.flatMap { ["--\(setting.option)", $0] }
      }
    }
  }
}
