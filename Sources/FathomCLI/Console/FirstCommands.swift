import FathomRecordings
import FathomReports
import Foundation

/// What `fathom` prints without arguments: three commands that work in the working folder.
///
/// Looks for a recording, results or anchors, at most two folders deep and among so few files that the answer
/// comes at once.
struct FirstCommands {
  private let folder: String
  /// Entries of folders that may still be looked at.
  private var entriesLeft = 2000
  /// Files that may still be read to see whether they are recordings.
  private var readsLeft = 8

  /// A longer file is taken for what its name says, or left out.
  private static let longestRead = 4 << 20
  private static let deepest = 2

  /// Prepares the search in `folder`.
  init(in folder: String) { self.folder = folder }

  /// The text.
  var text: String {
    var search = self
    let (what, commands) = search.commands()
    return """
      fathom \(FathomVersion.current): positions and distances with uncertainties from ultra-wideband ranges

      \(what):
      \(commands.map { "  \($0)" }.joined(separator: "\n"))

      fathom --help lists all subcommands, fathom help process the options of one.
      """
  }

  /// Returns what was found, and three commands for it.
  mutating func commands() -> (what: String, commands: [String]) {
    var found = Found()
    search(&found)
    if let recording = found.recording {
      return ("\(Excerpt.plain(recording, limit: 200)) is a recording", commands(for: recording))
    }
    if let results = found.results {
      let path = Excerpt.shellWord(results)
      let output = Excerpt.shellWord(free("report", ".html"))
      let first = found.positions.map(Excerpt.shellWord) ?? path
      return (
        "\(Excerpt.plain(results, limit: 200)) has results",
        [
          "fathom inspect \(first)", "fathom report \(path) -o \(output)", "fathom help evaluate",
        ]
      )
    }
    if let anchors = found.anchors {
      let path = Excerpt.shellWord(anchors)
      return (
        "\(Excerpt.plain(anchors, limit: 200)) has anchors, and no ranges were found",
        [
          "fathom inspect \(path)", "fathom geometry \(path) --height 1", "fathom help process",
        ]
      )
    }
    return ("There is no recording here; these commands need no files", Self.withoutFiles)
  }

  /// Commands that read what they need from a pipe.
  static let withoutFiles = [
    "printf 'id,x,y\\nA,0,0\\nB,6,0\\nC,0,4\\n' | fathom locate --anchors - --range A=3 --range B=4.2 --range C=3.4",
    "printf 'id,x,y\\nA,0,0\\nB,6,0\\nC,0,4\\n' | fathom geometry -",
    "printf 'time_s,tag,anchor,distance_m\\n0,T,A,3.0\\n1,T,A,3.1\\n' | fathom inspect -",
  ]

  private func commands(for recording: String) -> [String] {
    let path = Excerpt.shellWord(recording)
    let output = free("results")
    let name = RecordingReader.name(of: place(recording))
    let folder = place(recording)
    func has(_ names: [String]) -> Bool {
      FoundFile.isFolder(folder) && (try? FoundFile.first(of: names, in: folder)) ?? nil != nil
    }
    var last = "fathom help stream"
    if has(RecordingFile.truth), has(RecordingFile.anchors) {
      let positions = Excerpt.shellWord(OutputFile.path(of: "\(name).positions.csv", in: output))
      last = "fathom evaluate \(positions) \(path)"
    } else if (try? Gnuplot.found()) != nil {
      last = "fathom report \(output) -o \(free("report", ".html"))"
    }
    return ["fathom inspect \(path)", "fathom process \(path) -o \(output)", last]
  }

  /// Returns a name that is free in the folder: `results`, `results-2`.
  private func free(_ name: String, _ ending: String = "") -> String {
    let names = [name + ending] + (2...99).map { "\(name)-\($0)\(ending)" }
    return names.first { OutputFile.conflict(among: [place($0)]) == nil } ?? name + ending
  }

  /// Returns the path by which the program reaches `relative`.
  private func place(_ relative: String) -> String {
    folder == "." ? relative : OutputFile.path(of: relative, in: folder)
  }

  // MARK: Search

  private struct Found {
    var recording: String?
    var results: String?
    var positions: String?
    var anchors: String?
  }

  /// Looks at folders in the order of their depth, then by name; ends with the first recording.
  private mutating func search(_ found: inout Found) {
    var folders = ["."]
    for depth in 0...Self.deepest {
      var deeper: [String] = []
      for folder in folders where found.recording == nil {
        let names = entries(of: folder)
        if names.contains(where: RecordingFile.measurements.contains), isReadable(folder) {
          found.recording = folder
          return
        }
        for name in names {
          let path = folder == "." ? name : "\(folder)/\(name)"
          if name.hasSuffix(".summary.json"), found.results == nil {
            found.results = folder
            let stem = String(path.dropLast(".summary.json".count))
            let positions = "\(stem).positions.csv"
            if FoundFile.isRegular(place(positions)) { found.positions = positions }
          }
          if found.anchors == nil, RecordingFile.anchors.contains(name) { found.anchors = path }
          if FoundFile.isFolder(place(path)) {
            if depth < Self.deepest { deeper.append(path) }
          } else if depth < Self.deepest, isCandidate(name), isReadable(path) {
            found.recording = path
            return
          }
        }
      }
      folders = deeper
    }
  }

  /// Returns the names in `folder` that are not hidden, sorted; at most as many as are left.
  private mutating func entries(of folder: String) -> [String] {
    guard let list = opendir(place(folder)) else { return [] }
    defer { closedir(list) }
    var names: [String] = []
    while entriesLeft > 0, let entry = readdir(list) {
      entriesLeft -= 1
      let name = withUnsafePointer(to: &entry.pointee.d_name) { pointer in
        pointer.withMemoryRebound(to: CChar.self, capacity: 1) { String(validatingCString: $0) }
      }
      if let name, !name.hasPrefix(".") { names.append(name) }
    }
    return names.sorted()
  }

  /// Whether a file called `name` can be a recording of its own.
  private func isCandidate(_ name: String) -> Bool {
    let plain = name.hasSuffix(".gz") ? String(name.dropLast(3)) : name
    let endings = [".csv", ".jsonl", ".ndjson", ".log", ".txt", ".tsv", ".json"]
    return endings.contains(where: plain.hasSuffix) && !RecordingFile.tables.contains(plain)
      && !ResultWriter.endings.contains { plain.hasSuffix($0.hasPrefix(".") ? $0 : ".\($0)") }
  }

  /// Whether the recording at `path` has ranges or time differences; a long one is taken on trust.
  private mutating func isReadable(_ path: String) -> Bool {
    let isFolder = FoundFile.isFolder(place(path))
    let batch = RecordingBatch(output: "")
    guard batch.bytes(of: place(path)) <= Self.longestRead else { return isFolder }
    guard readsLeft > 0 else { return false }
    readsLeft -= 1
    guard let recording = try? RecordingReader.read(place(path)) else { return false }
    return (try? recording.requireUsableRows()) != nil
  }
}
