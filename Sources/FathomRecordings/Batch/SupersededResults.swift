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
