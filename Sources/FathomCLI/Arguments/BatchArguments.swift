import ArgumentParser
import FathomRecordings
import Foundation

/// The options of `process` that select the recordings of a batch and name their results.
struct BatchArguments: ParsableArguments {
  @Flag(
    help: """
      Search folders for recordings: folders with ranges.csv at any depth. Hidden folders and links \
      to folders are left out.
      """)
  var recursive = false

  @Option(
    parsing: .unconditionalSingleValue,
    help: ArgumentHelp(
      """
      With --recursive: only recordings whose relative path matches; also finds single files, as \
      in '*.csv'. * and ? stand for characters of one name, ** for any folders; without a slash, \
      any name of the path may match. Can be repeated.
      """,
      valueName: "pattern"))
  var include: [PathPattern] = []

  @Option(
    parsing: .unconditionalSingleValue,
    help: ArgumentHelp(
      "With --recursive: leave out folders and files that match. Can be repeated.",
      valueName: "pattern"))
  var exclude: [PathPattern] = []

  @Option("Recordings from a file, one path per line; - reads standard input.", value: "file")
  var recordingsFrom: String?

  @Option(
    """
    Names of the results: folder, path (joined by underscores), or a pattern with {name}, \
    {parent} or {path}; by default folder, with --recursive path.
    """, value: "naming")
  var nameBy: RecordingNaming?

  /// The naming to use.
  var naming: RecordingNaming { nameBy ?? (recursive ? .path : .folder) }

  func validate() throws {
    if !recursive, !include.isEmpty || !exclude.isEmpty {
      throw ValidationError("--include and --exclude need --recursive")
    }
  }

  /// Returns the recordings: those of `given` and of the list, or those in them; with `--recursive`
  /// each once.
  ///
  /// The folder `output` of the results is not searched.
  func recordings(_ given: [String], output: String) throws(RecordingError) -> [String] {
    var paths = given
    if let recordingsFrom {
      let listed = try RecordingList.read(recordingsFrom)
      // A file of another kind would give an error for each of its lines.
      if !listed.contains(where: { FoundFile.isFolderOrArchive($0) || FoundFile.isRegular($0) }) {
        throw .noInput(
          path: recordingsFrom,
          reason: "no line is the path of a recording; the first is \(Excerpt.quoted(listed[0]))")
      }
      paths += listed
    }
    guard recursive else { return paths }
    var search = RecordingSearch()
    (search.includes, search.excludes, search.output) = (include, exclude, output)
    var found: [String] = []
    var seen: Set<String> = []
    for path in paths {
      for path in FoundFile.isFolder(path) ? try search.recordings(in: path) : [path]
      where seen.insert(path).inserted { found.append(path) }
    }
    return found
  }
}

extension PathPattern: ExpressibleByArgument {
  /// Creates the pattern `argument`.
  public init?(argument: String) { self.init(argument) }
}

extension RecordingNaming: ExpressibleByArgument {
  /// Creates the naming that `argument` describes.
  public init?(argument: String) { self.init(argument) }
}
