import Fathom
import FathomRecordings
import Foundation
import Testing

@testable import FathomReports

/// A name that is harmful in every context without quoting.
let hostileName = "A'; system \"rm x\" <b>&amp;`id` $x {{y}} \u{1}é"

/// Returns simulated results: a tag on a straight line between four anchors, with truth.
///
/// - Parameters:
///   - name: name of the recording.
///   - anchor: name of the first anchor.
///   - tag: name of the tag.
///   - height: known height, metres; nil for a 3-D recording.
/// - Returns: the results with anchors, truth and fixes.
/// - Throws: errors of the processing.
func madeResults(
  _ name: String = "walk", anchor: String = "A", tag: String = "T", height: Double? = 1
) throws -> RecordedResults {
  let places: [(String, Vector<3>)] = [
    (anchor, Vector([0, 0, 2])), ("B", Vector([8, 0, 0.5])), ("C", Vector([8, 6, 2])),
    ("D", Vector([0, 6, 0.5])),
  ]
  var recording = Recording(name: name)
  recording.tagNames = [tag]
  recording.anchorNames = places.map(\.0)
  recording.anchors = places.map { Anchor(position: $0.1) }
  recording.facts.heightM = height
  recording.sources = [SourceFile(path: "\(name)/ranges.csv", bytes: 1)]
  var times: [Timestamp] = []
  var truth: [Vector<3>] = []
  for step in 0..<400 {
    let time = Timestamp(nanoseconds: Int64(step) * 50_000_000)
    let position = Vector<3>([2 + 0.01 * Double(step), 3, 1])
    times.append(time)
    truth.append(position)
    recording.ranges.time.append(time)
    recording.ranges.tag.append(0)
    recording.ranges.anchor.append(Int32(step % 4))
    // One range in forty is late by 3 m.
    recording.ranges.distance.append(
      (position - places[step % 4].1).length + (step % 40 == 39 ? 3 : 0.02 * Double(step % 3 - 1)))
    recording.ranges.line.append(step + 2)
  }
  recording.rowsRead = 400
  let processed = recording.processed()
  var results = RecordedResults(
    origin: name, summary: processed.summary, positions: processed.positions,
    distances: processed.distances)
  for (name, position) in places { results.anchors[name] = Anchor(position: position) }
  results.truth = Truth(tracks: ["": PositionTrack(times: times, positions: truth)])
  var settings = processed.summary.settings
  settings.method = .fix
  results.fixes = recording.processed(with: settings).positions
  results.evaluate()
  return results
}

/// A program that replaces gnuplot, in a folder of its own.
final class StandIn {
  let gnuplot: Gnuplot
  private let folder: URL

  /// Creates a shell script with the given lines.
  init(_ script: String, timeout: Double = 60) throws {
    folder = FileManager.default.temporaryDirectory.appending(path: "fathom-stand-in-\(UUID())")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    let file = folder.appending(path: "gnuplot")
    // Another process writes the script. A program started concurrently would inherit a descriptor
    // of this process that is open for writing, and a file open for writing cannot be executed
    // (ETXTBSY).
    let writer = try Process.run(
      URL(filePath: "/bin/sh"),
      arguments: [
        "-c", #"printf '%s\n' "$1" > "$2" && chmod 755 "$2""#, "sh", "#!/bin/sh\n\(script)",
        file.path,
      ])
    writer.waitUntilExit()
    try #require(writer.terminationStatus == 0)
    var gnuplot = Gnuplot(path: file.path)
    gnuplot.timeout = timeout
    self.gnuplot = gnuplot
  }

  deinit { try? FileManager.default.removeItem(at: folder) }

  /// A stand-in that draws a disc for every script.
  static func drawing() throws -> StandIn {
    try StandIn(
      """
      cat > /dev/null
      echo "<svg><g id=\\"gnuplot_canvas\\"><defs>"
      echo "</defs>"
      echo "<use xlink:href='#gpPt6' transform='translate(1.00,2.00) scale(1.50)' color='rgb(  0, 114, 178)'/>"
      echo "</g>"
      echo "</svg>"
      """)
  }
}

extension Trait where Self == ConditionTrait {
  /// Runs a test only when gnuplot is installed, and states the reason otherwise.
  static var needsGnuplot: Self {
    .enabled(
      if: (try? Gnuplot.found()) != nil, "gnuplot is not there: apt-get install gnuplot-nox")
  }
}
