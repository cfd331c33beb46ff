import FathomRecordings
import Foundation

/// What to try if an input is refused because it is something else: another table, results, or a folder of
/// recordings.
enum InputAdvice {
  /// Returns `error` with what its file or folder is and what to try; unchanged if that is unknown.
  static func completing(_ error: RecordingError) -> RecordingError {
    let advice =
      switch error {
      case .noInput(let path, let reason): advice(on: path, missing: reason)
      case .badData(let path, _, let reason): advice(on: path, refused: reason)
      case .cannotWrite, .writingFailed: String?.none
      }
    return advice.map(error.adding) ?? error
  }

  private static func advice(on path: String, missing reason: String) -> String? {
    if path == "-" {
      return reason == String(cString: strerror(EBADF)) ? "standard input is closed" : nil
    }
    if reason == String(cString: strerror(ENOENT)) { return MissingInput.advice(on: path) }
    guard FoundFile.isFolder(path) else { return nil }
    if reason == String(cString: strerror(EISDIR)) { return advice(onFolder: path) }
    guard reason.contains("there is no ranges.csv") else { return nil }
    var search = FolderSearch(in: path)
    let found = search.found()
    if let recording = found.recording, recording != "." {
      let place = search.place(recording)
      let all = FoundFile.isFolder(place) ? " (process --recursive finds all)" : ""
      return "try \(Excerpt.shellWord(place))\(all)"
    }
    if let results = found.results {
      let place = Excerpt.shellWord(search.place(results))
      return "it has results: try fathom report \(place) -o report.html"
    }
    return nil
  }

  /// Returns which files in a folder could be meant where a file is needed.
  private static func advice(onFolder path: String) -> String? {
    let names = ((try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []).sorted()
    let own = ["truth.csv", "anchors.csv", "scenario.yaml"].filter(names.contains)
    let positions = names.filter { $0.hasSuffix(".positions.csv") }.prefix(3)
    let files = (own + positions).map { Excerpt.shellWord(OutputFile.path(of: $0, in: path)) }
    return files.isEmpty ? nil : "name a file, such as \(files.joined(separator: " or "))"
  }

  private static func advice(on path: String, refused reason: String) -> String? {
    guard path != "-", reason.contains("lacks"), !reason.contains(" this is ") else { return nil }
    // Where anchors are wanted; the names that were found can contain any other.
    if reason.contains("lacks x, y;") || reason.contains("lacks id;") {
      if let kind = TableInspection.kind(ofFileAt: path), kind != .anchors {
        return "this file has \(kind.title), not anchors"
      }
      return TableInspection.hasRanges(path) ? "this file has ranges, not anchors" : nil
    }
    if reason.contains("distance_m") {
      if let own = OwnFile(path) { return own.advice }
      guard let kind = TableInspection.kind(ofFileAt: path) else { return nil }
      let word = Excerpt.shellWord(path)
      let isTrack = kind == .truth || kind == .positions
      return "this file has \(kind.title), not ranges; try fathom inspect \(word)"
        + (isTrack ? ", or fathom convert \(word) --to tum -o FOLDER" : "")
    }
    return nil
  }
}

/// A file that Fathom writes or reads beside tables: what it is, and the command that uses it.
struct OwnFile {
  private let what: String
  private let command: String

  /// Recognises the file at `path` by its name; nil for another one.
  init?(_ path: String) {
    let name = path.split(separator: "/").last.map(String.init) ?? path
    let folder = Excerpt.shellWord(OutputFile.folder(of: path))
    let word = Excerpt.shellWord(path)
    switch name {
    case "batch.json", "batch.csv":
      (what, command) = ("the outcomes of a batch", "fathom report \(folder) -o report.html")
    case "recording.json":
      (what, command) = ("what is known of a recording", "fathom inspect \(folder)")
    case _ where name.hasSuffix(".summary.json"):
      (what, command) = ("the summary of results", "fathom report \(word) -o report.html")
    case _ where name.hasSuffix(".rejected.csv"):
      (what, command) = (
        "the rejected rows of a recording, with line, column and reason", "fathom inspect RECORDING"
      )
    case _ where name.hasSuffix("scenario.yaml") || name.hasSuffix("scenario.yml"):
      (what, command) = ("a scenario", "fathom simulate \(word) -o simulated")
    default: return nil
    }
  }

  /// What a refusal says besides.
  var advice: String { "this is \(what), not a recording; try \(command)" }
}
