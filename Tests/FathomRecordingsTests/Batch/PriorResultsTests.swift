import Foundation
import Testing

@testable import FathomRecordings

/// Checks how a resumed batch classifies the results of an earlier run.
@Suite struct PriorResultsTests {
  private static let rows = "time_s,tag,anchor,range_cm\n0,T,A,250\n0.1,T,A,260\n0.2,T,A,240\n"

  /// A folder with a processed recording.
  private final class Place {
    let folder: String
    var batch: RecordingBatch
    var path: String { "\(folder)/walk" }

    init() async throws {
      let url = FileManager.default.temporaryDirectory.appending(path: "fathom-\(UUID())")
      folder = url.path(percentEncoded: false)
      try FileManager.default.createDirectory(
        at: url.appending(path: "walk"), withIntermediateDirectories: true)
      batch = RecordingBatch(output: "\(folder)/out")
      batch.options.columns = ["distance_m": "range_cm"]
      batch.options.distanceUnit = .centimetres
      batch.settings.rangeSigmaM = 0.1 + 0.2
      try write("walk/ranges.csv", PriorResultsTests.rows)
      try write("walk/recording.json", #"{"height_m": 1.5}"#)
      try await batch.process(path)
    }

    func write(_ name: String, _ text: String) throws {
      try Data(text.utf8).write(to: URL(filePath: "\(folder)/\(name)"))
    }

    func text(_ name: String) throws -> String {
      try String(contentsOf: URL(filePath: "\(folder)/\(name)"), encoding: .utf8)
    }

    /// Returns the prior results for the current batch.
    func found() throws -> PriorResults {
      try PriorResults(
        of: path, anchors: batch.anchors, request: batch.request,
        paths: ResultWriter.paths(of: "walk", in: batch.output))
    }
  }

  /// Runs `body` with a temporary folder.
  private func withPlace(_ body: (Place) throws -> Void) async throws {
    let place = try await Place()
    defer { try? FileManager.default.removeItem(atPath: place.folder) }
    try body(place)
  }

  @Test func unchangedResultsAreComplete() async throws {
    try await withPlace { place throws in
      guard case .complete(let summary) = try place.found() else {
        Issue.record("\(try place.found())")
        return
      }
      #expect(summary.rows.read == 3)
      // The request is stored apart from the values of the recording.
      #expect(summary.settings.heightM == 1.5 && summary.request?.settings.heightM == nil)
      #expect(summary.request == place.batch.request)
      #expect(
        summary.sources.map(\.path)
          == ["ranges.csv", "recording.json"].map {
            "\(place.path)/\($0)"
          })
      #expect(
        summary.results?.map(\.name) == [
          "walk.positions.csv", "walk.distances.csv", "walk.rejected.csv",
        ])
    }
  }

  @Test func missingResultsAreAbsent() async throws {
    try await withPlace { place throws in
      place.batch.output += "/elsewhere"
      #expect(try place.found() == .absent)
    }
  }

  @Test(arguments: ["positions.csv", "distances.csv", "rejected.csv"])
  func damagedResultsAreOutdated(_ ending: String) async throws {
    try await withPlace { place throws in
      let name = "out/walk.\(ending)"
      let whole = try place.text(name)
      let outdated = PriorResults.outdated("\(place.folder)/\(name) differs from what was written")
      // Same size, shorter, missing.
      try place.write(name, whole.dropLast() + "!")
      #expect(try place.found() == outdated)
      try place.write(name, String(whole.dropLast()))
      #expect(try place.found() == outdated)
      try FileManager.default.removeItem(atPath: "\(place.folder)/\(name)")
      #expect(try place.found() == outdated)
      try place.write(name, whole)
      #expect(try place.found() != outdated)
    }
  }

  @Test func invalidSummaryIsOutdated() async throws {
    try await withPlace { place throws in
      let name = "out/walk.summary.json"
      let whole = try place.text(name)
      try place.write(name, "")
      #expect(try place.found() == .outdated("its summary could not be read"))
      try place.write(name, String(whole.dropLast(10)))
      #expect(try place.found() == .outdated("its summary could not be read"))
      try place.write(name, whole.replacing("\"results\"", with: "\"outputs\""))
      #expect(try place.found() == .outdated("its summary does not list its results"))
      try place.write(
        name, whole.replacing("\"\(FathomVersion.current)\"", with: "\"0.0.1\""))
      #expect(try place.found() == .outdated("its results were written by version 0.0.1"))
      try FileManager.default.removeItem(atPath: "\(place.folder)/\(name)")
      #expect(try place.found() == .outdated("its summary was missing"))
    }
  }

  @Test func otherSettingsAreOutdated() async throws {
    let other = PriorResults.outdated("its results were made with other settings")
    try await withPlace { place throws in
      let batch = place.batch
      place.batch.settings.method = .smooth
      #expect(try place.found() == other)
      place.batch = batch
      // The same height as in the recording.
      place.batch.settings.heightM = 1.5
      #expect(try place.found() == other)
      place.batch = batch
      place.batch.settings.rangeSigmaM = 0.3
      #expect(try place.found() == other, "0.1 + 0.2 is not 0.3")
      place.batch = batch
      place.batch.options.columns = [:]
      #expect(try place.found() == other)
      place.batch = batch
      place.batch.options.zeroIsDistance = true
      #expect(try place.found() == other)
      place.batch = batch
      place.batch.isStrict = true
      #expect(try place.found() == other)
      place.batch = batch
      #expect(try place.found() != other)
    }
  }

  @Test func changedSourcesAreOutdated() async throws {
    try await withPlace { place throws in
      let outdated = PriorResults.outdated("\(place.path)/ranges.csv has changed")
      try place.write("walk/ranges.csv", Self.rows + "0.3,T,A,240\n")
      #expect(try place.found() == outdated)
      try place.write("walk/ranges.csv", Self.rows.replacing("240", with: "241"))
      #expect(try place.found() == outdated)
      try place.write("walk/ranges.csv", Self.rows)
      #expect(try place.found() != outdated)
      try place.write("walk/recording.json", #"{"height_m": 1.6}"#)
      #expect(try place.found() == .outdated("\(place.path)/recording.json has changed"))
      try FileManager.default.removeItem(atPath: "\(place.path)/recording.json")
      #expect(try place.found() == .outdated("its set of input files has changed"))
      try place.write("walk/anchors.csv", "id,x,y,z\nA,0,0,0\n")
      #expect(try place.found() == .outdated("its set of input files has changed"))
      try FileManager.default.removeItem(atPath: place.path)
      #expect(try place.found() == .outdated("its set of input files has changed"))
    }
  }

  @Test func standardInputIsOutdated() async throws {
    try await withPlace { place throws in
      let found = try PriorResults(
        of: "-", anchors: nil, request: place.batch.request,
        paths: ResultWriter.paths(of: "walk", in: place.batch.output))
      #expect(found == .outdated("standard input cannot be compared"))
    }
  }
}
