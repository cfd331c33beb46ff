import ArgumentParser
import FathomEvaluation
import FathomRecordings
import Foundation

/// `fathom benchmark`: compares methods over recordings.
struct Benchmark: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "benchmark",
    abstract: "Compare methods over recordings: accuracy, consistency, availability, speed.",
    discussion: """
      Accuracy needs truth.csv in the recording. In the tables, * marks methods that are \
      statistically tied with the best (bootstrap over blocks of time). In the ranking, = marks \
      methods that share a rank. Speed depends on this machine and its load.

      Examples:
        fathom benchmark Datasets/robot-2d Datasets/drone-3d
        fathom benchmark walk/ --methods fix,filter --json results.json
        fathom benchmark walk/ --baseline results.json
      """)

  @Argument(help: "Recordings: folders with ranges.csv, and truth.csv for accuracy.")
  var recordings: [String] = []

  @Option(
    "Methods by name, or positions, filters, distances, qualities, all; see --list.",
    value: "a,b,...")
  var methods = "positions,distances,qualities"

  @Option(
    name: .customLong("repeat"), parsing: .unconditional,
    help: ArgumentHelp("Number of timed runs of each method.", valueName: "number"))
  var repeats = 5

  @Option("File for the results as JSON; - prints them.", value: "file")
  var json: String?

  @Flag(help: "Replace the JSON file if it already exists.")
  var force = false

  @Option(
    "Results of an earlier run to compare with; exit code 1 if something is worse.", value: "file")
  var baseline: String?

  @Option("Allowed increase of errors against the baseline.", in: "percent")
  var tolerance = 2.0

  @Option("Allowed increase of the time per range; by default not compared.", in: "percent")
  var timeTolerance: Double?

  @Flag(help: "List the methods with their settings.")
  var list = false

  @OptionGroup(title: "Reading") var reading: ReadingArguments

  @OptionGroup(title: "Reading") var epochs: RateArgument

  func validate() throws {
    if recordings.isEmpty, !list { throw ValidationError("no recording is given") }
    if recordings.contains("") { throw ValidationError("a recording's name is empty") }
    if !(1...1000).contains(repeats) { throw ValidationError("--repeat must be from 1 to 1000") }
    try require(tolerance, "--tolerance", in: 0...1e6)
    try require(timeTolerance, "--time-tolerance", in: 0...1e6)
    if let clash = RecordingBatch.clash(among: recordings) {
      throw ValidationError("\(clash.first) and \(clash.second) have the same name: \(clash.name)")
    }
    _ = try chosenMethods()
  }

  func run() throws {
    if list {
      listMethods()
      return
    }
    try reportingErrors {
      if let json, json != "-", !force { try OutputFile.requireNew([json]) }
      let earlier = try baseline.map { BenchmarkBaseline(try BenchmarkFile.read($0)) }
      let (benchmark, failures) = measure(
        try chosenMethods(), options: try reading.options(rate: epochs.rate))
      try write(benchmark)
      for failure in failures { FailureReport(failure).print() }
      let isWorse = earlier.map { compare(benchmark.results, with: $0) } ?? false
      if let first = failures.first { throw ExitCode(first.exitCode) }
      if benchmark.results.isEmpty {
        let reason = "nothing was measured: no method applies to these recordings"
        throw FailureReport(reason, exitCode: 65).print()
      }
      if isWorse { throw ExitCode.failure }
    }
  }

  private func chosenMethods() throws -> [BenchmarkMethod] {
    do {
      return try MethodRegistry.methods(
        named: methods.split(separator: ",").map { $0.trimmingCharacters(in: .whitespaces) })
    } catch {
      let known = MethodRegistry.all.map(\.name).joined(separator: ", ")
      throw ValidationError("--methods: there is no method \"\(error.name)\"; use one of \(known)")
    }
  }

  /// Runs the methods over all recordings, without those that cannot be read, whose errors are
  /// returned.
  private func measure(
    _ methods: [BenchmarkMethod], options: RecordingOptions
  ) -> (benchmark: MethodBenchmark, failures: [RecordingError]) {
    var benchmark = MethodBenchmark(methods, repeats: repeats)
    var failures: [RecordingError] = []
    let bar = ProgressBar(total: recordings.count * methods.count)
    for path in recordings {
      do throws(RecordingError) {
        let subject = try BenchmarkCase.read(path, anchors: reading.anchors, options: options)
        let rows = subject.recording.ranges.count
        let before = benchmark.results.count
        benchmark.run(on: subject) { bar?.advance(rows: rows) }
        if benchmark.results.count == before {
          bar?.clear()
          Console.message(
            "\(subject.recording.name): note: none of these methods applies to this recording"
              + (subject.recording.anchors.isEmpty
                ? "; methods for positions need anchors (--anchors FILE)" : ""))
        }
        if subject.truth == nil, !subject.hasTrueDistances {
          bar?.clear()
          Console.message(
            "\(subject.recording.name): note: there is no truth.csv; only speed is measured")
        }
      } catch {
        failures.append(error)
      }
    }
    bar?.end()
    return (benchmark, failures)
  }

  private func write(_ benchmark: MethodBenchmark) throws {
    let bytes = BenchmarkFile.bytes(of: benchmark.results)
    if let json, json != "-" {
      try withAtomicFileWriter { try $0.write([OutputFile(path: json, bytes: bytes)]) }
    } else if json == "-" {
      Console.write(String(decoding: bytes, as: UTF8.self), to: .standardOutput)
      return
    }
    let tables = BenchmarkTables(results: benchmark.results, links: benchmark.links)
    for name in recordings.map(RecordingReader.name(of:)) {
      let text = tables.text(of: name)
      if !text.isEmpty { Console.print(text + "\n") }
    }
    for kind in BenchmarkMethod.Kind.allCases {
      if let summary = benchmark.ranking(of: kind) { Console.print(summary.text(of: kind) + "\n") }
    }
  }

  /// Prints every figure that is worse than in the earlier results; returns whether there is one.
  private func compare(_ results: [BenchmarkResult], with earlier: BenchmarkBaseline) -> Bool {
    var allowed = BenchmarkBaseline.Tolerance()
    allowed.error = tolerance / 100
    allowed.time = timeTolerance.map { $0 / 100 }
    let (regressions, compared) = earlier.regressions(in: results, tolerance: allowed)
    for regression in regressions {
      let before = regression.before.map { $0.text(decimals: 4) } ?? "-"
      let now = regression.now.map { $0.text(decimals: 4) } ?? "-"
      Console.message(
        "\(regression.recording): \(regression.method): \(regression.figure) was \(before),"
          + " is \(now)"
      )
    }
    Console.message(
      "\(compared) of \(results.count) results compared with the baseline, "
        + (regressions.isEmpty
          ? "none is worse" : "\(regressions.count.counted("figure")) worse"))
    return !regressions.isEmpty
  }

  private func listMethods() {
    let rows = MethodRegistry.all.map { method in
      let settings = method.parameters.map { parameter in
        let unit = parameter.unit.isEmpty ? "" : " \(parameter.unit)"
        let value = parameter.value.isInfinite ? "infinity" : parameter.value.plainText
        return "\(parameter.name) \(value)\(unit)"
      }
      return [method.name, method.kind.rawValue, method.summary, settings.joined(separator: ", ")]
    }
    Console.print(TextTable(["method", "kind", "description", "settings"], rows: rows).text)
  }
}
