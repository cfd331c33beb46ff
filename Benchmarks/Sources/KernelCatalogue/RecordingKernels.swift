import FathomRecordings
import Foundation

/// Returns the kernels that read, process and format recordings: all of `fathom process` except
/// disk output.
///
/// One item is one row.
///
/// The recordings are those in the repository. The scanner and the number parser have no public
/// API; they account for most of `read`.
func recordingKernels() -> [Kernel] {
  ["robot-2d", "drone-3d"].flatMap(kernels)
}

private func kernels(of name: String) -> [Kernel] {
  let folder = URL(filePath: #filePath).deletingLastPathComponent()
    .appending(path: "../../../Datasets/\(name)").standardizedFileURL
    .path(percentEncoded: false)
  guard let recording = try? RecordingReader.read(folder) else { return [] }
  let rows = recording.rowsRead

  var kernels = [
    Kernel("recording: read \(name)", items: rows) {
      Double((try? RecordingReader.read(folder))?.rowsRead ?? 0)
    },
    Kernel("recording: inspect \(name)", items: rows) {
      Double((try? RecordingInspection(path: folder))?.rowsRead ?? 0)
    },
  ]
  if let compressed = compressedCopy(of: folder + "/ranges.csv", name: name) {
    kernels.append(
      Kernel("recording: read \(name), compressed", items: rows) {
        Double((try? RecordingReader.read(compressed))?.rowsRead ?? 0)
      })
  }
  for method in PositionMethod.allCases {
    var settings = ProcessingSettings()
    settings.method = method
    let processed = recording.processed(with: settings)
    kernels += [
      Kernel("recording: process \(name), \(method.rawValue)", items: rows) { [settings] in
        Double(recording.processed(with: settings).positions.count)
      },
      Kernel("recording: write \(name), \(method.rawValue)", items: rows) {
        // Only the tables are counted, because the summary contains paths that depend on the
        // machine.
        ResultWriter.files(of: processed, in: "results")
          .filter { $0.path.hasSuffix(".csv") }
          .reduce(0) { $0 + Double($1.bytes.count) }
      },
    ]
  }
  return kernels
}

/// Returns the path of a temporary copy of the file compressed by gzip; nil without gzip.
private func compressedCopy(of path: String, name: String) -> String? {
  let copy = FileManager.default.temporaryDirectory
    .appending(path: "fathom-benchmark-\(name)-ranges.csv.gz")
  let process = Process()
  process.executableURL = URL(filePath: "/usr/bin/env")
  process.arguments = ["gzip", "--no-name", "--stdout", path]
  guard FileManager.default.createFile(atPath: copy.path(percentEncoded: false), contents: nil),
    let output = try? FileHandle(forWritingTo: copy)
  else { return nil }
  process.standardOutput = output
  guard (try? process.run()) != nil else { return nil }
  process.waitUntilExit()
  guard process.terminationStatus == 0 else { return nil }
  return copy.path(percentEncoded: false)
}
