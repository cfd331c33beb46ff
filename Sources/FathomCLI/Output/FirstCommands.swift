import FathomRecordings
import FathomReports

/// What `fathom` prints without arguments: three commands that work in the working folder.
struct FirstCommands {
  private var search: FolderSearch

  /// Prepares the search in `folder`.
  init(in folder: String) { search = FolderSearch(in: folder) }

  /// The text.
  var text: String {
    let (what, commands) = commands()
    return """
      fathom \(FathomVersion.current): positions and distances with uncertainties from ultra-wideband ranges

      \(what):
      \(commands.map { "  \($0)" }.joined(separator: "\n"))

      fathom --help lists all subcommands, fathom help process the options of one.
      """
  }

  /// Returns what was found, and three commands for it.
  func commands() -> (what: String, commands: [String]) {
    var search = search
    let found = search.found()
    if let recording = found.recording {
      let name = recording == "." ? "This folder" : Excerpt.plain(recording, limit: 200)
      return ("\(name) is a recording", commands(for: recording))
    }
    if let results = found.results {
      let path = Excerpt.shellWord(results)
      return (
        "\(results == "." ? "This folder" : Excerpt.plain(results, limit: 200)) has results",
        [
          "fathom inspect \(Excerpt.shellWord(found.positions ?? results))",
          "fathom report \(path) -o \(free("report", ".html"))", "fathom help evaluate",
        ]
      )
    }
    if let anchors = found.anchors {
      let path = Excerpt.shellWord(anchors)
      return (
        "\(Excerpt.plain(anchors, limit: 200)) has anchors, and no ranges were found",
        ["fathom inspect \(path)", "fathom geometry \(path) --height 1", "fathom help process"]
      )
    }
    return ("There is no recording here; these commands need no files", Self.withoutFiles)
  }

  /// Commands that read what they need from a pipe.
  static let withoutFiles = [
    #"printf 'id,x,y\nA,0,0\nB,6,0\nC,0,4\n' | fathom locate --anchors - --range A=3 --range B=4.2 --range C=3.4"#,
    #"printf 'id,x,y\nA,0,0\nB,6,0\nC,0,4\n' | fathom geometry -"#,
    #"printf 'time_s,tag,anchor,distance_m\n0,T,A,3.0\n1,T,A,3.1\n' | fathom inspect -"#,
  ]

  private func commands(for recording: String) -> [String] {
    let path = Excerpt.shellWord(recording)
    let output = free(BatchSummary.usualOutput)
    let folder = search.place(recording)
    func has(_ names: [String]) -> Bool {
      FoundFile.isFolder(folder) && (try? FoundFile.first(of: names, in: folder)) != nil
    }
    var last = "fathom help stream"
    if has(RecordingFile.truth), has(RecordingFile.anchors) {
      let name = RecordingReader.name(of: folder)
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
    return names.first { OutputFile.conflict(among: [search.place($0)]) == nil } ?? name + ending
  }
}
