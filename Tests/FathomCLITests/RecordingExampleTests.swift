import FathomRecordings
import Foundation
import TestSupport
import Testing

/// The example in the article Getting started that reads a recording.
@Suite struct RecordingExampleTests {
  @Test func articleShowsExampleAndOutput() throws {
    try ShownDocument.expect(
      ShownCode("article recording", in: #filePath), printing: try articleRecording(),
      in: "Sources/Fathom/Fathom.docc/Articles/GettingStarted.md")
  }

  /// Runs the example; returns the lines that it prints.
  private func articleRecording() throws -> [String] {
    var lines: [String] = []
    func print(_ line: String) { lines.append(line) }
    /// Resolves paths relative to the package, in whatever folder the tests run.
    enum RecordingReader {
      static func read(_ path: String) throws -> Recording {
        let place = Reference.packageRoot.appending(path: path).path(percentEncoded: false)
        return try FathomRecordings.RecordingReader.read(place)
      }
    }

    // MARK: Shown article recording
    let recording = try RecordingReader.read("Datasets/robot-2d")
    let processed = recording.processed()
    let positions = processed.positions
    print("\(positions.count) rows of positions, \(processed.rejected.count) rejected rows")
    for warning in processed.summary.warnings { print(warning) }
    // MARK: End

    return lines
  }
}
