import FathomEvaluation
import FathomRecordings
import Foundation
import TestSupport
import Testing

/// Compares the traces of every method on the recordings in Datasets/ with the committed ones.
///
/// An intended change includes new traces, which `make golden-traces` writes. Their differences are
/// reviewed like any other change.
@Suite struct GoldenTraceTests {
  private static let datasets = ["drone-3d", "phone-accessory", "robot-2d"]
  private static let folder = Reference.packageRoot.appending(
    path: "Tests/FathomEvaluationTests/GoldenTraces")
  private static let isRecording =
    ProcessInfo.processInfo.environment["FATHOM_RECORD_GOLDEN_TRACES"] != nil

  private func traces(of dataset: String) throws -> [String: GoldenTrace] {
    let path = Reference.packageRoot.appending(path: "Datasets/\(dataset)")
    let recording = try RecordingReader.read(path.path(percentEncoded: false))
    var traces: [String: GoldenTrace] = [:]
    // A particle filter amplifies the last bit of a logarithm, which differs between machines.
    for method in MethodRegistry.all where method.name != "particles" {
      guard let pass = method.pass(over: recording) else { continue }
      pass.run(0..<pass.count)
      traces[method.name] = GoldenTrace(pass.output(), of: recording)
    }
    return traces
  }

  @Test(arguments: datasets)
  func traceMatchesTheCommittedOne(dataset: String) throws {
    let folder = Self.folder.appending(path: dataset)
    let traces = try traces(of: dataset)
    if Self.isRecording {
      try? FileManager.default.removeItem(at: folder)
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
      for (method, trace) in traces {
        try Data((trace.lines.joined(separator: "\n") + "\n").utf8)
          .write(to: folder.appending(path: "\(method).csv"))
      }
    }
    let files = try FileManager.default.contentsOfDirectory(
      atPath: folder.path(percentEncoded: false))
    #expect(Set(files) == Set(traces.keys.map { "\($0).csv" }))
    for (method, trace) in traces {
      let file = folder.appending(path: "\(method).csv")
      let text = try String(contentsOf: file, encoding: .utf8)
      let difference = trace.difference(from: text)
      #expect(difference == nil, "\(dataset), \(method): make golden-traces if this is meant")
    }
  }

  @Test func detectsADifference() throws {
    let trace = try #require(try traces(of: "robot-2d")["filter"])
    let text = trace.lines.joined(separator: "\n") + "\n"
    #expect(trace.difference(from: text) == nil)
    #expect(trace.difference(from: text + "more\n") != nil)
    // A tenth of a millimetre may be rounding; two tenths are a change.
    let cells = trace.lines[100].split(separator: ",")
    let x = try #require(Double(cells[2]))
    func moved(by metres: Double) -> String {
      var moved = cells.map(String.init)
      moved[2] = "\(x + metres)"
      var lines = trace.lines
      lines[100] = moved.joined(separator: ",")
      return lines.joined(separator: "\n")
    }
    #expect(trace.difference(from: moved(by: 1e-4)) == nil)
    #expect(trace.difference(from: moved(by: 2e-4))?.hasPrefix("line 101:") == true)
  }
}
