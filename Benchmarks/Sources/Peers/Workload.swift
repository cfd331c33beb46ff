import Foundation

/// The input of every implementation, as written by `peers/workloads.py`.
struct Workload {
  let folder: String
  /// x, y, z of eight anchors, metres.
  let anchors: [Double]
  /// Eight ranges per epoch, metres.
  let ranges: [Double]
  /// The ranges without outliers, metres.
  let clean: [Double]
  /// Measured positions of one series, metres.
  let series: [Double]
  /// Measured positions of 1024 series, metres: all series of the first step, then of the next.
  let bank: [Double]
  /// One range every 12.5 ms, to the anchors in turn, metres.
  let walk: [Double]

  init(folder: String) throws {
    self.folder = folder
    anchors = try Self.numbers(in: folder + "/anchors.f64")
    ranges = try Self.numbers(in: folder + "/ranges.f64")
    clean = try Self.numbers(in: folder + "/clean.f64")
    series = try Self.numbers(in: folder + "/series.f64")
    bank = try Self.numbers(in: folder + "/bank.f64")
    walk = try Self.numbers(in: folder + "/walk.f64")
  }

  private static func numbers(in path: String) throws -> [Double] {
    let data = try Data(contentsOf: URL(filePath: path))
    return data.withUnsafeBytes { Array($0.bindMemory(to: Double.self)) }
  }
}

/// Returns the processor time of all threads of this process, seconds.
func processorSeconds() -> Double {
  var now = timespec()
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now)
  return Double(now.tv_sec) + 1e-9 * Double(now.tv_nsec)
}

/// Returns the time of a monotonic clock, seconds.
func wallSeconds() -> Double {
  var now = timespec()
  clock_gettime(CLOCK_MONOTONIC, &now)
  return Double(now.tv_sec) + 1e-9 * Double(now.tv_nsec)
}

/// Writes doubles to the file at `path`.
///
/// Writes from the array's own memory. With a temporary copy, the C library would return memory to
/// the system after every round, and the next measured round would pay for new pages.
func write(_ numbers: [Double], to path: String) throws {
  guard let file = fopen(path, "wb") else { throw POSIXError(.init(rawValue: errno) ?? .EIO) }
  defer { fclose(file) }
  let written = numbers.withUnsafeBytes { fwrite($0.baseAddress, 1, $0.count, file) }
  guard written == 8 * numbers.count else { throw POSIXError(.EIO) }
}

/// Prints a line and flushes it, because standard output is a pipe.
func answer(_ line: String) {
  FileHandle.standardOutput.write(Data((line + "\n").utf8))
}
