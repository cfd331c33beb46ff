import Foundation

/// The results of a recording that an earlier run has left.
enum PriorResults: Sendable, Equatable {
  /// No results exist.
  case absent
  /// All files are complete and have the same input, version and settings.
  case complete(RecordingSummary)
  /// The files are incomplete or outdated, for the given reason.
  case outdated(String)

  /// Examines the existing results of the recording at `path`, a folder, a ranges file or `-`.
  ///
  /// Cheap checks come first: names and sizes, then content, of which every byte is read. `anchors`
  /// is a file that replaces the folder's own; `paths` are the files that every recording has, with
  /// the summary last.
  ///
  /// ## Edge cases
  /// Standard input cannot be compared without consuming it, so its results are always outdated. A
  /// recording given by another path counts as another recording, because its summary names the
  /// path.
  init(
    of path: String, anchors: String?, request: RecordingRequest, paths: [String]
  ) throws(RecordingError) {
    guard let summaryPath = paths.last, OutputFile.conflict(among: paths) != nil else {
      self = .absent
      return
    }
    guard OutputFile.conflict(among: [summaryPath]) != nil else {
      self = .outdated("its summary was missing")
      return
    }
    // A named pipe in its place would block.
    guard FoundFile.isRegular(summaryPath), let summary = try? ResultReader.summary(summaryPath)
    else {
      self = .outdated("its summary could not be read")
      return
    }
    let sources = try RecordingFiles(path, anchors: anchors).sources
    let reason =
      Self.change(of: request, in: summary) ?? Self.change(of: sources, in: summary)
      ?? Self.damage(to: paths.dropLast(), in: Self.folder(of: summaryPath), by: summary)
    self = reason.map { .outdated($0) } ?? .complete(summary)
  }

  /// Returns the reason if another version or other settings produced the results; otherwise nil.
  private static func change(
    of request: RecordingRequest, in summary: RecordingSummary
  ) -> String? {
    if summary.version != FathomVersion.current {
      return "its results were written by version \(summary.version)"
    }
    return summary.request == request ? nil : "its results were made with other settings"
  }

  /// Returns the reason if the set or the content of the input files has changed; otherwise nil.
  private static func change(of sources: [String], in summary: RecordingSummary) -> String? {
    guard !sources.contains("-") else { return "standard input cannot be compared" }
    guard sources == summary.sources.map(\.path) else {
      return "its set of input files has changed"
    }
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

  /// Returns the reason if a result file differs from what was written; otherwise nil.
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
      return "\(path) differs from what was written"
    }
    for (path, result) in zip(paths, results) {
      guard let found = try? FileIdentity(of: path), found.xxh3 == result.xxh3 else {
        return "\(path) differs from what was written"
      }
    }
    return nil
  }

  /// Returns whether `name` is the name of an optional result: zones or a track.
  private static func isOther(_ name: String, of summary: RecordingSummary) -> Bool {
    if name == "\(summary.recording).\(ResultWriter.zonesEnding)" { return true }
    return name.hasPrefix("\(summary.recording).positions.") && name.hasSuffix(".tum")
      && !name.contains("/")
  }

  /// Returns the folder of `path` with a trailing slash; an empty string for the working folder.
  static func folder(of path: String) -> String {
    path.lastIndex(of: "/").map { String(path[...$0]) } ?? ""
  }
}

/// Finds files of an earlier run that new results of the same recording do not replace, because
/// they have other formats or tags.
///
/// If they stayed, they would seem to belong to the new results.
enum SupersededResults {
  /// Returns the files that the summary of an earlier run lists, that are unchanged since they were
  /// written, and that are not among the new results `paths`; none without a readable summary.
  static func paths(of summaryPath: String, replacedBy paths: [String]) -> [String] {
    guard FoundFile.isRegular(summaryPath), let summary = try? ResultReader.summary(summaryPath)
    else { return [] }
    let folder = PriorResults.folder(of: summaryPath)
    return (summary.results ?? []).compactMap { result in
      // Removes only results of the recording, whatever the summary lists.
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
