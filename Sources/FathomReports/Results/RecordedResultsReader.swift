import Fathom
import FathomRecordings

/// The paths of the files that a report needs in addition to results: recording, anchors and truth.
public struct ReportSources: Sendable, Equatable {
  /// A truth file or a folder with one, instead of the recording's own.
  public var truth: String?
  /// An anchors file, instead of the processed one.
  public var anchors: String?
  /// A folder of recordings, or one recording's folder, instead of the paths in the summary.
  public var recordings: String?

  /// Creates sources; paths that are nil follow from the summary.
  public init(truth: String? = nil, anchors: String? = nil, recordings: String? = nil) {
    self.truth = truth
    self.anchors = anchors
    self.recordings = recordings
  }
}

/// A reader of results and of the recording that they come from.
struct RecordedResultsReader {
  var sources: ReportSources

  /// Reads the results whose files begin with `stem`, and the related files.
  ///
  /// Files that the user named must exist. Other files may be missing; see
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
    addRecording(to: &results, ranges: ranges)
    results.evaluate()
    return results
  }

  // MARK: The recording

  /// Returns the possible present paths of `path`, which was an argument of `process`.
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
      let folder = OutputFile.folder(of: results.origin)
      places += [
        OutputFile.path(of: path, in: folder), OutputFile.path(of: "../\(path)", in: folder),
      ]
    }
    return places
  }

  /// A path in a summary can be a pipe of the shell that no longer exists, or another one now.
  private func existing(_ path: String, _ results: RecordedResults) -> String? {
    path == "-" ? nil : places(of: path, results).first(where: FoundFile.isRegular)
  }

  /// Returns the ranges file of the results.
  private func rangesFile(of results: RecordedResults) -> String? {
    results.summary.sources.first.flatMap { existing($0.path, results) }
  }

  /// Returns whether `ranges` is the file of ranges or time differences of a recording's folder, not a
  /// single file.
  private static func isOfFolder(_ ranges: String) -> Bool {
    RecordedResults.measurementFiles.contains { ranges.hasSuffix("/\($0)") }
  }

  /// Returns the processed anchors file, or nil.
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
          "The anchors file \(source) was not found (set its path with --anchors or --recordings)."
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
        results.truth = try TruthReader.read(folder: OutputFile.folder(of: ranges))
      } catch {
        results.absences[.truth] = "Truth cannot be read: \(error)."
      }
    }
    if let count = results.truth?.rejected.total, count > 0 {
      results.notes.append(
        "\(count == 1 ? "1 row" : "\(count) rows") of truth rejected.")
    }
    guard results.truth?.tracks.isEmpty != false else { return }
    results.truth = nil
    guard results.absences[.truth] == nil else { return }
    results.absences[.truth] =
      ranges == nil && sources.truth == nil
      ? "Truth was not looked for, because the recording was not found (set its path with --truth"
        + " or --recordings)."
      : "The recording has no truth, so there are no errors to show (set its path with --truth)."
  }

  /// Reads the truth in the file or folder that the user named.
  private static func truth(named path: String) throws(RecordingError) -> Truth {
    guard FoundFile.isFolderOrArchive(path) else { return try TruthReader.read(path) }
    guard let truth = try TruthReader.read(folder: path) else {
      throw .noInput(path: path, reason: "there is no truth.csv in this folder")
    }
    return truth
  }

  // MARK: The ranges

  /// Reads the recording and adds what results do not have: fixes of single epochs, and true distances.
  private func addRecording(to results: inout RecordedResults, ranges: String?) {
    let hasFixes = results.summary.settings.method != .fix && results.hasWorldPositions
    guard let ranges else {
      if hasFixes {
        results.absences[.fixes] = "The recording was not found, so raw fixes are not shown."
      }
      return
    }
    guard hasFixes || results.truth == nil else { return }
    do throws(RecordingError) {
      let anchors = sources.anchors ?? anchorsSource(of: results).flatMap { existing($0, results) }
      let recording = try RecordingReader.read(
        Self.isOfFolder(ranges) ? OutputFile.folder(of: ranges) : ranges, anchors: anchors,
        options: results.summary.request?.reading ?? RecordingOptions())
      let bytes = recording.sources.first?.bytes
      if let was = results.summary.sources.first?.bytes, let bytes, was != bytes {
        results.notes.append(
          "The size of the ranges file has changed since processing (\(bytes) bytes, was \(was)):"
            + " raw fixes and truth come from the present files.")
      }
      if results.truth == nil { addTrueDistances(of: recording, to: &results) }
      guard hasFixes else { return }
      var settings = results.summary.settings
      settings.method = .fix
      settings.rateHz = nil
      settings.epochWindowS = nil
      results.fixes = recording.processed(with: settings).positions
    } catch {
      if hasFixes { results.absences[.fixes] = "Raw fixes are not shown: \(error)." }
    }
  }

  /// Adds the true distances of the ranges to the rows of the same time, tag and anchor.
  private func addTrueDistances(of recording: Recording, to results: inout RecordedResults) {
    guard let known = recording.ranges[.trueDistance] else { return }
    struct Key: Hashable {
      var time: Timestamp
      var tag: String
      var anchor: String
    }
    var byKey: [Key: Double] = [:]
    let ranges = recording.ranges
    for row in ranges.time.indices where !known[row].isNaN {
      let key = Key(
        time: ranges.time[row], tag: recording.tagNames[Int(ranges.tag[row])],
        anchor: recording.anchorNames[Int(ranges.anchor[row])])
      byKey[key] = known[row]
    }
    guard !byKey.isEmpty else { return }
    let distances = results.distances
    results.trueDistances = distances.time.indices.map { row in
      byKey[
        Key(time: distances.time[row], tag: distances.tag[row], anchor: distances.anchor[row])]
        ?? .nan
    }
  }
}
