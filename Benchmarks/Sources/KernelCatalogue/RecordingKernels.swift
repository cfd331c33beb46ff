import FathomRecordings
import Foundation

/// Reading a recording, and all of `fathom process` but the disk's part.
///
/// One item is one row.
///
/// The recordings are those that the repository carries. The scanner and the number parser have no
/// public door of their own: they are most of `read`.
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
        // The summary carries timings, whose digits vary: only the tables are counted.
        ResultWriter.files(of: processed, in: "results")
          .filter { $0.path.hasSuffix(".csv") }
          .reduce(0) { $0 + Double($1.bytes.count) }
      },
    ]
  }
  return kernels
}

/// A copy of the file compressed by gzip in the folder for temporary files; nil without gzip.
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
