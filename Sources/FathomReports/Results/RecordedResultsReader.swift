import Fathom
import FathomRecordings
import Foundation

/// Where a report looks for what results do not hold: the recording, its anchors, its truth.
public struct ReportSources: Sendable, Equatable {
  /// A truth file or a folder with one, instead of the recording's own.
  public var truth: String?
  /// An anchors file, instead of the one that was processed.
  public var anchors: String?
  /// A folder of recordings, or one recording's folder, instead of the paths in the summary.
  public var recordings: String?

  /// Everything where the summary says that it is.
  public init(truth: String? = nil, anchors: String? = nil, recordings: String? = nil) {
    self.truth = truth
    self.anchors = anchors
    self.recordings = recordings
  }
}

/// Reads results and finds the recording that they were made from.
struct RecordedResultsReader {
  var sources: ReportSources

  /// Reads the results whose files begin with `stem`, and all that is found beside them.
  ///
  /// What the user named must be there; what is only looked for may be missing, see
  /// ``RecordedResults/absences``.
  func read(_ stem: String) throws(RecordingError) -> RecordedResults {
    let summary = try ResultReader.summary("\(stem).summary.json")
    var results = RecordedResults(
      origin: stem, summary: summary,
      positions: try ResultReader.positions("\(stem).positions.csv"),
      distances: try ResultReader.distances("\(stem).distances.csv"))
    let ranges = rangesFile(of: results)
    try addAnchors(to: &results)
    try addTruth(to: &results, ranges: ranges)
    addFixes(to: &results, ranges: ranges)
    results.evaluate()
    return results
  }

  // MARK: The recording

  /// Places at which `path`, as `process` was given it, may be found now.
  private func places(of path: String, _ results: RecordedResults) -> [String] {
    var places: [String] = []
    if let folder = sources.recordings {
      let parts = path.split(separator: "/").map(String.init)
      if let file = parts.last {
        places += [folder, OutputFile.path(of: results.name, in: folder)].map {
          OutputFile.path(of: file, in: $0)
        }
      }
      return places
    }
    places.append(path)
    if !path.hasPrefix("/") {
      let folder = Self.folder(of: results.origin)
      places += [
        OutputFile.path(of: path, in: folder), OutputFile.path(of: "../\(path)", in: folder),
      ]
    }
    return places
  }

  private func existing(_ path: String, _ results: RecordedResults) -> String? {
    path == "-"
      ? nil : places(of: path, results).first { FileManager.default.fileExists(atPath: $0) }
  }

  /// The ranges file that the results were made from.
  private func rangesFile(of results: RecordedResults) -> String? {
    results.summary.sources.first.flatMap { existing($0.path, results) }
  }

  private static func folder(of path: String) -> String {
    let folder = path.split(separator: "/", omittingEmptySubsequences: false).dropLast()
      .joined(separator: "/")
    return folder.isEmpty ? (path.hasPrefix("/") ? "/" : ".") : folder
  }

  /// Whether `ranges` is the ranges file of a recording's folder, not a file by itself.
  private static func isOfFolder(_ ranges: String) -> Bool {
    ["ranges.csv", "ranges.csv.gz"].contains { ranges.hasSuffix("/\($0)") }
  }

  /// The anchors file that was processed; nil where there was none.
  private func anchorsSource(of results: RecordedResults) -> String? {
    results.summary.sources.dropFirst().map(\.path).first { !$0.hasSuffix("recording.json") }
  }

  private func addAnchors(to results: inout RecordedResults) throws(RecordingError) {
    var declared = DeclaredAnchors()
    if let path = sources.anchors {
      declared = try AnchorsReader.read(path)
    } else if let source = anchorsSource(of: results), !results.isRelative {
      guard let path = existing(source, results) else {
        results.absences[.anchors] =
          "The anchors file \(source) was not found (--anchors or --recordings names another place)."
        return
      }
      do throws(RecordingError) {
        declared = try AnchorsReader.read(path)
      } catch {
        results.absences[.anchors] = "The anchors cannot be read: \(error)."
      }
    }
    for (name, anchor) in zip(declared.names, declared.anchors) { results.anchors[name] = anchor }
  }

  private func addTruth(
    to results: inout RecordedResults, ranges: String?
  ) throws(RecordingError) {
    if let path = sources.truth {
      results.truth = try Self.truth(named: path)
    } else if let ranges, Self.isOfFolder(ranges) {
      do throws(RecordingError) {
        results.truth = try TruthReader.read(folder: Self.folder(of: ranges))
      } catch {
        results.absences[.truth] = "Truth cannot be read: \(error)."
      }
    }
    if let count = results.truth?.rejected.count, count > 0 {
      results.notes.append(
        "\(count == 1 ? "1 row" : "\(count) rows") of truth could not be used and are left out.")
    }
    guard results.truth?.tracks.isEmpty != false else { return }
    results.truth = nil
    guard results.absences[.truth] == nil else { return }
    results.absences[.truth] =
      ranges == nil && sources.truth == nil
      ? "Truth was not looked for, since the recording was not found (--truth or --recordings names"
        + " its place)."
      : "The recording has no truth, so there are no errors to show (--truth names another place)."
  }

  /// The truth in the file or folder that the user named.
  private static func truth(named path: String) throws(RecordingError) -> Truth {
    var isFolder = ObjCBool(false)
    let exists = FileManager.default.fileExists(atPath: path, isDirectory: &isFolder)
    guard exists, isFolder.boolValue else { return try TruthReader.read(path) }
    guard let truth = try TruthReader.read(folder: path) else {
      throw .noInput(path: path, reason: "there is no truth.csv in this folder")
    }
    return truth
  }

  // MARK: Fixes

  /// Computes the fixes of single epochs from the recording.
  private func addFixes(to results: inout RecordedResults, ranges: String?) {
    guard results.summary.settings.method != .fix, results.hasWorldPositions else { return }
    guard let ranges else {
      results.absences[.fixes] = "The recording was not found, so raw fixes are not shown."
      return
    }
    do throws(RecordingError) {
      let anchors = sources.anchors ?? anchorsSource(of: results).flatMap { existing($0, results) }
      let recording = try RecordingReader.read(
        Self.isOfFolder(ranges) ? Self.folder(of: ranges) : ranges, anchors: anchors)
      let bytes = recording.sources.first?.bytes
      if let was = results.summary.sources.first?.bytes, let bytes, was != bytes {
        results.notes.append(
          "The ranges file has another size than when it was processed (\(bytes) bytes, was \(was));"
            + " raw fixes and truth are of the present files.")
      }
      var settings = results.summary.settings
      settings.method = .fix
      settings.rateHz = nil
      settings.epochWindowS = nil
      results.fixes = recording.processed(with: settings).positions
    } catch {
      results.absences[.fixes] = "Raw fixes are not shown: \(error)."
    }
  }
}
