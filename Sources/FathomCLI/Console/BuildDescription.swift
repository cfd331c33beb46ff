import CTool
import FathomRecordings
import FathomReports

/// What `fathom --version` prints: the version alone on the first line, then how the tool was built and what it
/// found.
enum BuildDescription {
  /// The lines below the version.
  static var features: [String] {
    var libraries: [String] = []
    if let blas = fathom_blas_description() {
      // The first two words are name and version; the others, options of its build.
      let words = String(cString: blas).split(separator: " ")
      libraries.append(words.prefix(2).joined(separator: " ") + " (LAPACK)")
    }
    libraries.append("zlib \(Gzip.libraryVersion)")
    let hasGnuplot = (try? Gnuplot.found()) != nil
    libraries.append(
      hasGnuplot ? "gnuplot found" : "no gnuplot in PATH (report and geometry -o FILE.html need it)"
    )
    return [
      "\(build) build\(source), \(platform), \(compiler)", libraries.joined(separator: ", "),
    ]
  }

  /// All lines.
  static var text: String { ([FathomVersion.current] + features).joined(separator: "\n") }

  private static var build: String {
    #if DEBUG
      "debug"
    #else
      "release"
    #endif
  }

  /// The commit that was built, after a blank; empty if the build did not state it.
  private static var source: String {
    guard let commit = fathom_commit().map({ String(cString: $0) }) else { return "" }
    let changed = "-dirty"
    return commit.hasSuffix(changed)
      ? " of commit \(commit.dropLast(changed.count)) with changes" : " of commit \(commit)"
  }

  private static var platform: String {
    #if os(Linux)
      let system = "Linux"
    #elseif os(macOS)
      let system = "macOS"
    #else
      let system = "unknown system"
    #endif
    #if arch(x86_64)
      return "\(system) x86_64"
    #elseif arch(arm64)
      return "\(system) arm64"
    #else
      return system
    #endif
  }

  private static var compiler: String {
    #if compiler(>=6.5)
      "Swift 6.5 or later"
    #elseif compiler(>=6.4)
      "Swift 6.4"
    #elseif compiler(>=6.3)
      "Swift 6.3"
    #else
      "Swift 6.2"
    #endif
  }
}
