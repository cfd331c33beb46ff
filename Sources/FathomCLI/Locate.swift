import ArgumentParser
import Fathom
import FathomRecordings
import Foundation

/// `fathom locate`: positions from ranges given by hand, or from the epochs of a file.
struct Locate: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "locate",
    abstract: "Compute positions from ranges to known anchors.",
    discussion: """
      Examples:
        fathom locate --anchors anchors.csv --range A=3.2 --range B=4.1 --height 1
        fathom locate --anchors anchors.csv --ranges ranges.csv --json

      Prints the position with its standard deviations, its mirror image where there is one, and \
      the verdict: unique, two, continuum, inconsistent or too_few. With --ranges there is one \
      position per epoch: a round of ranges in which no anchor comes twice; with --json one line each.
      """)

  @Option(help: ArgumentHelp("Anchors file: id,x,y,z in metres.", valueName: "file"))
  var anchors: String

  @Option(
    name: .customLong("range"), parsing: .singleValue,
    help: ArgumentHelp("A measured distance; give one per anchor.", valueName: "id=metres"))
  var single: [String] = []

  @Option(
    help: ArgumentHelp("A file of ranges, laid out like ranges.csv.", valueName: "file"))
  var ranges: String?

  @Option(
    help: ArgumentHelp("The longest that an epoch of --ranges lasts.", valueName: "seconds"))
  var window = 1.0

  @OptionGroup var position: PositionArguments

  @Flag(help: "Print everything as JSON.")
  var json = false

  func validate() throws {
    if single.isEmpty, ranges == nil {
      throw ValidationError("at least one --range is needed, or --ranges with a file")
    }
    if !single.isEmpty, ranges != nil {
      throw ValidationError("--range and --ranges exclude each other")
    }
    try require(window, "--window", in: 0...1e6)
    var names: Set<String> = []
    for range in single {
      let name = try parse(range).name
      guard names.insert(name).inserted else {
        throw ValidationError("--range names \"\(name)\" twice")
      }
    }
  }

  /// `ID=METRES`; the name may hold an equals sign itself.
  private func parse(_ text: String) throws -> (name: String, metres: Double) {
    guard let sign = text.lastIndex(of: "="), sign > text.startIndex,
      let metres = Double(text[text.index(after: sign)...])
    else { throw ValidationError("--range wants id=metres, not \"\(text)\"") }
    return (String(text[..<sign]), metres)
  }

  func run() throws {
    do {
      if let ranges {
        try locateEpochs(of: ranges)
      } else {
        let fix = try locateOne()
        Console.print(try json ? fix.json() : fix.text())
      }
    } catch let error as RecordingError {
      Console.message("\(error)")
      throw ExitCode(error.exitCode)
    }
  }

  /// The position of the ranges on the command line.
  private func locateOne() throws -> LocatedPosition {
    let declared = try AnchorsReader.read(anchors)
    var measured: [Measured] = []
    for range in single {
      let (name, distance) = try parse(range)
      guard let index = declared.names.firstIndex(of: name) else {
        throw RecordingError.badData(
          path: anchors, line: nil,
          reason:
            "there is no anchor \"\(name)\" (there are: \(declared.names.joined(separator: ", ")))")
      }
      measured.append(
        Measured(name: name, anchor: declared.anchors[index], distance: distance, sigma: nil))
    }
    return try solve(measured)
  }

  /// One position per epoch of a file.
  private func locateEpochs(of path: String) throws {
    let recording = try RecordingReader.read(path, anchors: anchors)
    guard !recording.anchors.isEmpty else {
      throw RecordingError.badData(path: anchors, line: nil, reason: "there are no anchors")
    }
    for row in recording.rejected.prefix(5) {
      Console.message("\(path):\(row.line): not used: \(row.reason)")
    }
    if recording.rejected.count > 5 {
      Console.message("\(path): \(recording.rejected.count - 5) more rows are not used")
    }
    let columns = recording.ranges
    for (place, epoch) in RangeEpochs.epochs(of: recording, window: window).enumerated() {
      let measured = epoch.ranges.compactMap { index -> Measured? in
        let anchor = Int(columns.anchor[index])
        guard anchor < recording.anchors.count else { return nil }
        return Measured(
          name: recording.anchorNames[anchor], anchor: recording.anchors[anchor],
          distance: columns.distance[index], sigma: columns.sigma?[index])
      }
      var fix = try solve(measured)
      fix.epoch = (epoch.time.seconds, recording.tagNames[epoch.tag])
      if !json, place > 0 { Console.print("") }
      Console.print(try json ? fix.json() : fix.text())
    }
  }

  /// A distance that was measured to an anchor.
  private struct Measured {
    var name: String
    var anchor: Anchor
    var distance: Double
    var sigma: Double?
  }

  private func solve(_ measured: [Measured]) throws -> LocatedPosition {
    let metres = measured.map {
      MeasuredDistance.absence(of: $0.distance) == nil
        ? $0.anchor.corrected($0.distance) : $0.distance
    }
    let sigmas = measured.map { range -> Double in
      let own = range.sigma.flatMap { $0 > 0 && $0.isFinite ? $0 : nil } ?? position.rangeSigma
      return hypot(own, range.anchor.positionSigma ?? 0)
    }
    let prior = try position.positionPrior()
    let bounds = try position.positionBounds()
    do throws(TrilaterationError) {
      let fix = try Trilateration.solve(
        ranges: metres, anchors: measured.map { $0.anchor.position }, sigmas: sigmas, prior: prior,
        within: bounds, options: position.options())
      return LocatedPosition(names: measured.map { $0.name }, fix: fix)
    } catch {
      throw RecordingError.badData(
        path: anchors, line: nil, reason: "these anchors cannot be used: \(error)")
    }
  }
}
