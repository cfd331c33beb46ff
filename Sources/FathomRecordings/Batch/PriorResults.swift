import Foundation

/// What an earlier run has left of a recording's results.
enum PriorResults: Sendable, Equatable {
  /// Nothing.
  case absent
  /// All files, whole, of the same input, version and settings.
  case complete(RecordingSummary)
  /// Something else, for the reason given.
  case outdated(String)

  /// Looks at what is there of the recording at `path`, whose results are `paths`.
  ///
  /// Cheap questions come first: names and sizes before content, of which every byte is read then.
  ///
  /// ## Edge cases
  /// Standard input cannot be compared without being used up, so its results are always outdated. Paths
  /// count: a recording called by another path is another one, since its summary names it.
  ///
  /// - Parameters:
  ///   - path: a folder, a ranges file or `-`.
  ///   - anchors: an anchors file, instead of the folder's own.
  ///   - request: what is asked for now.
  ///   - paths: the files that it has in any case, the summary last.
  /// - Throws: ``RecordingError`` where a folder has nothing to read.
  init(
    of path: String, anchors: String?, request: RecordingRequest, paths: [String]
  ) throws(RecordingError) {
    guard let summaryPath = paths.last, OutputFile.conflict(among: paths) != nil else {
      self = .absent
      return
    }
    guard OutputFile.conflict(among: [summaryPath]) != nil else {
      self = .outdated("there was no summary of it")
      return
    }
    guard let summary = try? ResultReader.summary(summaryPath) else {
      self = .outdated("its summary could not be read")
      return
    }
    let sources = try RecordingFiles(path, anchors: anchors).sources
    let reason =
      Self.change(of: request, in: summary) ?? Self.change(of: sources, in: summary)
      ?? Self.damage(to: paths.dropLast(), in: Self.folder(of: summaryPath), by: summary)
    self = reason.map { .outdated($0) } ?? .complete(summary)
  }

  /// Why another version or other settings than asked for made the results; nil where they did not.
  private static func change(
    of request: RecordingRequest, in summary: RecordingSummary
  ) -> String? {
    if summary.version != FathomVersion.current {
      return "its results were by version \(summary.version)"
    }
    return summary.request == request ? nil : "its results were made with other settings"
  }

  /// Which of the files read has changed; nil where none has.
  private static func change(of sources: [String], in summary: RecordingSummary) -> String? {
    guard !sources.contains("-") else { return "standard input is not compared" }
    guard sources == summary.sources.map(\.path) else { return "other files belong to it" }
    for source in summary.sources where FileIdentity.size(of: source.path) != source.bytes {
      return "\(source.path) has changed"
    }
    for source in summary.sources {
      guard let found = try? FileIdentity(of: source.path), found.bytes == source.bytes,
        found.xxh3 == source.xxh3
      else { return "\(source.path) has changed" }
    }
    return nil
  }

  /// Which of the results is not what was written; nil where all are.
  private static func damage(
    to paths: ArraySlice<String>, in folder: String, by summary: RecordingSummary
  ) -> String? {
    let names = paths.map { $0.split(separator: "/").last.map(String.init) ?? $0 }
    guard let results = summary.results, results.prefix(names.count).map(\.name) == names,
      results.dropFirst(names.count).allSatisfy({ isOther($0.name, of: summary) })
    else { return "its summary does not list its results" }
    let others = results.dropFirst(names.count).map { OutputFile.path(of: $0.name, in: folder) }
    let paths = paths + others
    for (path, result) in zip(paths, results) where FileIdentity.size(of: path) != result.bytes {
      return "\(path) is not as it was written"
    }
    for (path, result) in zip(paths, results) {
      guard let found = try? FileIdentity(of: path), found.xxh3 == result.xxh3 else {
        return "\(path) is not as it was written"
      }
    }
    return nil
  }

  /// Whether a result that not every recording has can be called `name`: zones or a track.
  private static func isOther(_ name: String, of summary: RecordingSummary) -> Bool {
    if name == "\(summary.recording).\(ResultWriter.zonesEnding)" { return true }
    return name.hasPrefix("\(summary.recording).positions.") && name.hasSuffix(".tum")
      && !name.contains("/")
  }

  /// The folder that `path` lies in; empty for the working one.
  static func folder(of path: String) -> String {
    path.lastIndex(of: "/").map { String(path[...$0]) } ?? ""
  }
}

/// Files of an earlier run that new results of the same recording do not replace, since they are
/// written in other forms or of other tags.
///
/// Left where they are, they would pass for part of the new results.
enum SupersededResults {
  /// The files that the summary at `summaryPath` lists and that are still as they were written, but for
  /// those at `paths`.
  ///
  /// - Parameters:
  ///   - summaryPath: the summary of the earlier run, where there is one.
  ///   - paths: where the new results go.
  /// - Returns: The paths of the files to remove; none where there is no summary to go by.
  static func paths(of summaryPath: String, replacedBy paths: [String]) -> [String] {
    guard let summary = try? ResultReader.summary(summaryPath) else { return [] }
    let folder = PriorResults.folder(of: summaryPath)
    return (summary.results ?? []).compactMap { result in
      // Whatever a summary says, nothing but results of its recording goes.
      guard isResult(result.name, of: summary.recording) else { return nil }
      let path = OutputFile.path(of: result.name, in: folder)
      guard !paths.contains(path), FileIdentity.size(of: path) == result.bytes,
        let found = try? FileIdentity(of: path), found.xxh3 == result.xxh3
      else { return nil }
      return path
    }
  }

  private static func isResult(_ name: String, of recording: String) -> Bool {
    name.hasPrefix("\(recording).") && !name.contains("/")
      && ResultWriter.endings.contains { name.hasSuffix($0) }
  }
}
