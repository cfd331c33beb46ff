import ArgumentParser
import Fathom
import FathomRecordings
import Foundation

/// `fathom calibrate`: estimates motion and range errors from a recording.
struct Calibrate: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "calibrate",
    abstract: "Estimate the motion of tags and the errors of ranges from a recording.",
    discussion: """
      Examples:
        fathom calibrate walk
        fathom calibrate walk --method em
        fathom calibrate walk --survey -o surveyed.csv

      Prints for every tag the density of its acceleration, the standard deviation of its ranges, \
      that of the part that lasts, the common bias or scale that is taken off, the models of the \
      errors with their evidence and the choice, the offsets of single anchors, the bias of weak \
      and strong signals, and the estimated positions of anchors with a survey error. A prediction \
      of at least 4 says that what was found in some places holds in the others. `process` \
      estimates the same by itself.

      --survey finds anchors that anchors.csv lists without x and y, and z where it is empty too: from a \
      walk of tags among at least three known anchors that are not on one line, or from rows whose \
      tag has the name of an anchor, which are ranges between anchors. Without known anchors the \
      frame is that of the layout's own shape: the first anchor is the origin, the second on the x \
      axis. With a known height of the tags, anchors of unknown height have a mirror image above or \
      below it, which --side selects.

      --antenna-delay finds the delay of each radio, as the share of a range, from truth.csv, from ranges \
      between anchors (rows whose tag has the name of an anchor), or else from the errors that tracks \
      show. The bias in the last column but one is what anchors.csv needs; -o writes it.

      --imu tells what imu.csv says of the sensor itself: how often it is read, its biases and noise at \
      rest, the length of gravity, and whether its axes are right-handed; then how far the ranges agree \
      with it. Neither its mounting nor its heading need be known.

      --method em also prints acceleration and range sigma from expectation maximisation, for the \
      filter of the textbooks: one mode of motion, normal and independent errors. The \
      log-likelihood is that of the ranges under the tracker with either settings.
      """)

  @Argument(help: "A folder or a ranges file; - reads standard input.")
  var recording: String

  @Flag(help: "Calibrate noise, biases and motion; the default.")
  var noise = false

  @Flag(help: "Find the positions of anchors without one.")
  var survey = false

  @Flag(help: "Find the antenna delays of anchors and tags.")
  var antennaDelay = false

  @Flag(help: "Report on the inertial sensors in imu.csv.")
  var imu = false

  @Option(
    name: [.customShort("o"), .customLong("output")],
    help: ArgumentHelp(
      "With --survey or --antenna-delay: the anchors file to write.", valueName: "file"))
  var output: String?

  @Flag(help: "Replace the anchors file if it exists.")
  var force = false

  @Option(help: "How noise is estimated: likelihood, or em for comparison.")
  var method = Method.likelihood

  @OptionGroup var known: FactArguments

  @Flag(help: "Print everything as JSON.")
  var json = false

  @OptionGroup(title: "Reading") var reading: ReadingArguments

  @OptionGroup(title: "Reading") var epochs: RateArgument

  /// The values of `--method`: how noise is estimated.
  enum Method: String, CaseIterable, ExpressibleByArgument {
    case likelihood
    case em
  }

  func validate() throws {
    if recording.isEmpty { throw ValidationError("the recording's name is empty") }
    if output != nil, !survey, !antennaDelay {
      throw ValidationError("--output needs --survey or --antenna-delay")
    }
    if [survey, imu, antennaDelay].count(where: { $0 }) > 1 {
      throw ValidationError("--survey, --antenna-delay and --imu are different tasks: choose one")
    }
    if output?.isEmpty == true { throw ValidationError("--output must name a file") }
  }

  func run() throws {
    var settings = ProcessingSettings()
    settings.method = .smooth
    settings.facts = known.facts
    let read = try reportingErrors {
      let read = try RecordingReader.read(
        recording, anchors: reading.anchors, options: try readingOptions(),
        acceptsUnsurveyed: survey)
      guard survey || !read.anchors.isEmpty else {
        throw RecordingError.badData(
          path: recording, line: nil,
          reason: "there are no anchors; calibration needs their positions (--anchors FILE)")
      }
      return read
    }
    if survey { return try findAnchors(of: read, settings) }
    if antennaDelay { return try findDelays(of: read, settings) }
    if imu {
      let reports = read.inertialReports
      guard !reports.isEmpty else {
        throw FailureReport(
          .badData(path: recording, line: nil, reason: "there is no imu.csv")
        ).print()
      }
      let found = summary(of: read, settings).calibration ?? []
      let sensors = reports.map { tag, report in
        let own = found.first { $0.tag == tag } ?? (tag.isEmpty ? found.first : nil)
        return InertialSensor(tag: tag.isEmpty ? own?.tag ?? "" : tag, report, own?.inertial)
      }
      return try show(sensors, InertialSensor.table)
    }
    switch method {
    case .likelihood:
      let summary = summary(of: read, settings)
      for warning in summary.warnings {
        Console.message("\(summary.recording): warning: \(warning)")
      }
      try show(summary.calibration ?? [], describe)
    case .em:
      try show(showingProgress { _ in read.noiseComparisons(with: settings) }, describe)
    }
  }

  private func summary(of recording: Recording, _ settings: ProcessingSettings) -> RecordingSummary
  {
    showingProgress { recording.processed(with: settings, progress: $0).summary }
  }

  /// Finds the antenna delays of `recording`, prints them, and writes the biases to the file that was named.
  private func findDelays(of recording: Recording, _ settings: ProcessingSettings) throws {
    try reportingErrors {
      try recording.requireUsableRows()
      if let output, !force { try OutputFile.requireNew([output]) }
      let isFolder = FoundFile.isFolderOrArchive(self.recording)
      let truth = isFolder ? try TruthReader.read(folder: self.recording) : nil
      let found = showingProgress { _ in recording.antennaDelays(truth: truth, with: settings) }
      guard !found.delays.pairs.isEmpty else {
        throw RecordingError.badData(
          path: self.recording, line: nil,
          reason:
            "the delays are unknown: there is no truth.csv and no range between anchors, and the"
            + " tracks show no common bias")
      }
      warn(about: found)
      do {
        try show(AntennaDelay.devices(found), AntennaDelay.table)
      } catch {
        throw RecordingError.cannotWrite(path: "-", reason: "\(error)")
      }
      guard let output else { return }
      let anchors = recording.anchors.indices.map { index -> Anchor in
        var anchor = recording.anchors[index]
        if let bias = found.bias(ofAnchor: index) { anchor.bias = bias }
        return anchor
      }
      let bytes = RecordingWriter.anchors(recording.anchorNames, anchors)
      try AtomicFileWriter().write([OutputFile(path: output, bytes: bytes)])
    }
  }

  /// Says what the delays rest on, and where they are not those of single devices.
  private func warn(about found: RecordedDelays) {
    if found.source == .tracks {
      Console.message(
        "\(recording): note: there are no true positions: the delays are the errors that tracks show"
      )
    }
    if found.delays.delays.contains(where: { $0?.isAbsolute == false }) {
      Console.message(
        "\(recording): note: only sums of two delays are determined; those of the tags have the mean"
          + " zero. Ranges between anchors would tell single delays")
    }
    if let deviation = found.delays.deviation, deviation > 3 {
      Console.message(
        "\(recording): warning: delays explain the errors badly (\(deviation.text(decimals: 1)) standard"
          + " deviations): check the positions of the anchors")
    }
    for (name, delay) in zip(found.names, found.delays.delays) where delay == nil {
      Console.message("\(recording): warning: \(name) has no ranges with known distances")
    }
  }

  /// Finds the anchors of `recording`, prints them, and writes them to the file that was named.
  private func findAnchors(of recording: Recording, _ settings: ProcessingSettings) throws {
    let names = recording.anchorNames
    try reportingErrors {
      try recording.requireUsableRows()
      if let output, !force { try OutputFile.requireNew([output]) }
      let found = try surveyed(recording, settings)
      warn(about: found, names)
      let anchors = zip(names, found.anchors).map { SurveyedAnchor($0, $1) }
      try show(anchors) { _ in describe(names, found.anchors) }
      let sought = found.anchors.filter { $0.verdict != .known }
      if !sought.isEmpty, sought.allSatisfy({ $0.anchor == nil }) {
        throw RecordingError.badData(
          path: self.recording, line: nil, reason: "no anchor was found, so nothing is written")
      }
      guard let output else { return }
      let bytes = RecordingWriter.anchors(names, found.anchors.map(\.anchor))
      try AtomicFileWriter().write([OutputFile(path: output, bytes: bytes)])
    }
  }

  private func surveyed(
    _ recording: Recording, _ settings: ProcessingSettings
  ) throws(RecordingError) -> AnchorSurvey.Result {
    do throws(SurveyError) {
      return try showingProgress { _ throws(SurveyError) in
        try recording.surveyed(with: settings)
      }
    } catch {
      throw .badData(path: self.recording, line: nil, reason: "\(error)")
    }
  }

  /// Says which frame the positions have if it is a convention, and which anchors were not found.
  private func warn(about found: AnchorSurvey.Result, _ names: [String]) {
    if case .shape(let origin, let axis, let side) = found.gauge {
      Console.message(
        "\(recording): note: no positions are known: \(names[origin]) is the origin,"
          + " \(names[axis]) on the x axis, \(names[side]) on the side of positive y; the layout may"
          + " be a mirror image")
    }
    if found.bias.magnitude >= 0.005 {
      Console.message(
        "\(recording): note: all ranges are \(found.bias.text(decimals: 2)) m too long, as the known"
          + " anchors show; that was taken off")
    }
    for (name, anchor) in zip(names, found.anchors) {
      switch anchor.verdict {
      case .known, .found: break
      case .ambiguous:
        Console.message(
          "\(recording): warning: anchor \(name) has two possible positions; --side selects one"
            + " above or below the tags")
      case .undetermined:
        Console.message(
          "\(recording): warning: the ranges do not determine the position of anchor \(name):"
            + " walk around it, with at least three anchors known and in range")
      }
    }
  }

  private func describe(_ names: [String], _ found: [AnchorSurvey.Found]) -> String {
    let rows = zip(names, found).map { name, anchor in
      let coordinates = (0..<3).map { axis -> String in
        guard let value = anchor.position?[axis] else { return "-" }
        let sigma = anchor.covariance?[axis, axis].squareRoot() ?? 0
        return sigma > 0
          ? with(value, sigma, decimals: 3, factor: 1) : value.text(decimals: 3)
      }
      return [name] + coordinates + ["\(anchor.rangeCount)", anchor.verdict.rawValue]
    }
    return TextTable(["anchor", "x m#", "y m#", "z m#", "ranges#", "verdict"], rows: rows).text
  }

  /// An anchor of a survey as JSON.
  private struct SurveyedAnchor: Encodable {
    var anchor: String
    var verdict: AnchorSurvey.Verdict
    var positionM: [Double]?
    var sigmaM: [Double]?
    var alternativeM: [Double]?
    var ranges: Int

    init(_ name: String, _ found: AnchorSurvey.Found) {
      anchor = name
      verdict = found.verdict
      positionM = found.position.map { [$0[0], $0[1], $0[2]] }
      sigmaM = found.covariance.map { covariance in
        (0..<3).map { covariance[$0, $0].squareRoot() }
      }
      alternativeM = found.alternative.map { [$0[0], $0[1], $0[2]] }
      ranges = found.rangeCount
    }
  }

  /// Prints the estimates as tables or as JSON.
  private func show<Found: Encodable>(_ found: Found, _ describe: (Found) -> String) throws {
    guard json else { return Console.print(describe(found)) }
    Console.print(try Console.json(found, isPretty: true, keys: .convertToSnakeCase))
  }

  private func readingOptions() throws(RecordingError) -> RecordingOptions {
    do {
      return try reading.options(rate: epochs.rate)
    } catch {
      throw .badData(path: recording, line: nil, reason: "\(error)")
    }
  }

  private func describe(_ found: [RecordingSummary.Calibration]) -> String {
    let table = TextTable(
      ["tag", "acceleration#", "range sigma m#", "persistent m#", "bias m#", "scale %#"],
      rows: found.map { tag in
        [
          tag.tag, tag.accelerationDensity.text(decimals: 2), tag.rangeSigmaM.text(decimals: 3),
          tag.persistentSigmaM?.text(decimals: 3) ?? "-",
          with(tag.biasM, tag.biasSigmaM, decimals: 3, factor: 1),
          with(tag.scale, tag.scaleSigma, decimals: 2, factor: 100),
        ]
      })
    var lines = [table.text]
    for part in [models(found), offsets(found), signals(found), places(found)] where !part.isEmpty {
      lines += ["", part.text]
    }
    return lines.joined(separator: "\n")
  }

  private func models(_ found: [RecordingSummary.Calibration]) -> TextTable {
    let rows = found.flatMap { tag in
      (tag.models ?? []).map { model in
        let isShare = model.model == "scale"
        let value = with(
          model.value, model.sigma, decimals: isShare ? 2 : 3, factor: isShare ? 100 : 1)
        return [
          tag.tag, model.model, model.value == nil ? "-" : value + (isShare ? " %" : " m"),
          model.prediction.text(decimals: 1), model.decision,
        ]
      }
    }
    return TextTable(["tag", "model", "value#", "prediction#", "decision"], rows: rows)
  }

  private func offsets(_ found: [RecordingSummary.Calibration]) -> TextTable {
    let rows = found.flatMap { tag in
      (tag.offsetsM ?? [:]).sorted { $0.key < $1.key }.map { anchor, offset in
        [tag.tag, anchor, offset.text(decimals: 3)]
      }
    }
    return TextTable(["tag", "anchor", "offset m#"], rows: rows)
  }

  private func signals(_ found: [RecordingSummary.Calibration]) -> TextTable {
    var table = TextTable(["tag", "signal dBm", "bias m#"])
    for tag in found {
      guard let signals = tag.signals else { continue }
      for (level, bias) in zip(signals.levelsDbm, signals.biasM) {
        table.append([tag.tag, level.text(decimals: 1), bias.text(decimals: 3)])
      }
      if let slope = signals.slopeMPerDb {
        table.append([tag.tag, "per dB of excess over the first path", slope.text(decimals: 3)])
      }
    }
    return table
  }

  private func places(_ found: [RecordingSummary.Calibration]) -> TextTable {
    let rows = found.flatMap { tag in
      (tag.anchorPositions ?? [:]).sorted { $0.key < $1.key }.map { anchor, place in
        let coordinates = zip(place.positionM, place.sigmaM)
        return [tag.tag, anchor] + coordinates.map { with($0, $1, decimals: 2, factor: 1) }
      }
    }
    return TextTable(["tag", "anchor", "x m#", "y m#", "z m#"], rows: rows)
  }

  private func describe(_ found: [NoiseComparison]) -> String {
    let rows = found.flatMap { tag in
      let methods = [("likelihood", tag.likelihood, nil), ("em", tag.em, tag.passes)]
      return methods.map { name, noise, passes in
        let count = passes.map { tag.isConverged == true ? "\($0)" : "\($0), not converged" }
        return [
          tag.tag, name, noise?.accelerationDensity.text(decimals: 2) ?? "-",
          noise?.rangeSigmaM.text(decimals: 3) ?? "-",
          noise?.logLikelihood?.text(decimals: 1) ?? "-", count ?? "-",
        ]
      }
    }
    return TextTable(
      ["tag", "method", "acceleration#", "range sigma m#", "log-likelihood#", "passes#"],
      rows: rows
    ).text
  }

  private func with(
    _ value: Double?, _ sigma: Double?, decimals: Int, factor: Double
  ) -> String {
    guard let value, let sigma else { return "-" }
    return "\((factor * value).text(decimals: decimals)) ±"
      + " \((factor * sigma).text(decimals: decimals))"
  }
}
