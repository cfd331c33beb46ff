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
        fathom locate --anchors anchors.csv --range A=3.2 --range B=4.1 --height 1

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
    parsing: .unconditional,
    help: ArgumentHelp("Known height: the position is solved in the plane.", valueName: "metres"))
  var height: Double?

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("Standard deviation of the ranges.", valueName: "metres"))
  var rangeSigma = RangingDefaults.rangeSigma

  @Flag(help: "Print everything as JSON.")
  var json = false

  func validate() throws {
    if ranges.isEmpty { throw ValidationError("at least one --range is needed") }
    try require(height, "--height", in: -1e7...1e7)
    try require(rangeSigma, "--range-sigma", in: 1e-6...1e6)
    var names: Set<String> = []
    for range in ranges {
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
      let anchor = declared.anchors[index]
      names.append(name)
      metres.append(
        MeasuredDistance.absence(of: distance) == nil ? anchor.corrected(distance) : distance)
      positions.append(anchor.position)
      sigmas.append(hypot(rangeSigma, anchor.positionSigma ?? 0))
    }
    var options = Trilateration.Options()
    options.height = height
    do throws(TrilaterationError) {
      let fix = try Trilateration.solve(
        ranges: metres, anchors: positions, sigmas: sigmas, options: options)
      return LocatedPosition(names: names, fix: fix)
    } catch {
      throw RecordingError.badData(
        path: anchors, line: nil, reason: "these anchors cannot be used: \(error)")
    }
  }
}
