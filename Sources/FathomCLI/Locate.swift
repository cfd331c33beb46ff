import ArgumentParser
import Fathom
import FathomRecordings
import Foundation

/// `fathom locate`: one position from ranges given by hand.
struct Locate: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "locate",
    abstract: "Compute one position from ranges to known anchors.",
    discussion: """
      Example:
        fathom locate --anchors anchors.csv --range A=3.20 --range B=4.05 --range C=5.11 --height 1

      Prints the position with its standard deviations, its mirror image where there is one, and \
      the verdict: unique, two, continuum, inconsistent or too_few.
      """)

  @Option(help: ArgumentHelp("Anchors file: id,x,y,z in metres.", valueName: "file"))
  var anchors: String

  @Option(
    name: .customLong("range"), parsing: .singleValue,
    help: ArgumentHelp("A measured distance; give one per anchor.", valueName: "id=metres"))
  var ranges: [String]

  @Option(
    help: ArgumentHelp("Known height: the position is solved in the plane.", valueName: "metres"))
  var height: Double?

  @Option(help: ArgumentHelp("Standard deviation of the ranges.", valueName: "metres"))
  var rangeSigma = RangingDefaults.rangeSigma

  @Flag(help: "Print everything as JSON.")
  var json = false

  func validate() throws {
    if ranges.isEmpty { throw ValidationError("at least one --range is needed") }
    if let height, !height.isFinite { throw ValidationError("--height wants a number of metres") }
    guard rangeSigma > 0, rangeSigma.isFinite else {
      throw ValidationError("--range-sigma wants a positive number of metres")
    }
    for range in ranges { _ = try parse(range) }
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
      let fix = try solve()
      Console.print(try json ? fix.json() : fix.text())
    } catch let error as RecordingError {
      Console.message("\(error)")
      throw ExitCode(error.exitCode)
    }
  }

  private func solve() throws -> LocatedPosition {
    let declared = try AnchorsReader.read(anchors)
    var names: [String] = []
    var metres: [Double] = []
    var positions: [Vector<3>] = []
    var sigmas: [Double] = []
    for range in ranges {
      let (name, distance) = try parse(range)
      guard let index = declared.names.firstIndex(of: name) else {
        throw RecordingError.badData(
          path: anchors, line: nil,
          reason:
            "there is no anchor \"\(name)\" (there are: \(declared.names.joined(separator: ", ")))")
      }
      if names.contains(name) { throw ValidationError("--range names \"\(name)\" twice") }
      let anchor = declared.anchors[index]
      let surveyed = anchor.positionSigma ?? 0
      names.append(name)
      metres.append(
        MeasuredDistance.absence(of: distance) == nil ? anchor.corrected(distance) : distance)
      positions.append(anchor.position)
      sigmas.append((rangeSigma * rangeSigma + surveyed * surveyed).squareRoot())
    }
    var options = Trilateration.Options()
    options.height = height
    let fix = try Trilateration.solve(
      ranges: metres, anchors: positions, sigmas: sigmas, options: options)
    return LocatedPosition(names: names, fix: fix)
  }
}
