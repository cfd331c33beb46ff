/// The table of a batch, written as `batch.csv`: one row per recording, with the content of
/// `batch.json` that a spreadsheet needs.
package enum BatchTable {
  /// The name of its file.
  package static let fileName = "batch.csv"

  /// The header, a stable interface.
  package static let header =
    "name,path,status,rows_read,rows_used,rows_rejected,tags,start_s,end_s,positions,uncertain,"
    + "starting,noise_m,mean_nis,diagnoses,warnings,started,seconds,exit_code,error"

  /// Returns the table of `recordings`.
  ///
  /// Positions are those with coordinates; those of them that are ambiguous or inconsistent are
  /// also counted as uncertain. Values that do not exist are empty.
  static func text(of recordings: [BatchManifest.Entry]) -> [UInt8] {
    var text = CSVBuffer(header: header, rows: recordings.count)
    for entry in recordings {
      text.append(entry.name)
      text.append(entry.path)
      text.append(word: entry.status.rawValue)
      append(entry.rows?.read, to: &text)
      append(entry.rows?.used, to: &text)
      append(entry.rows?.rejected, to: &text)
      append(entry.tags, to: &text)
      text.append(entry.time?.startS ?? .nan, decimals: 3)
      text.append(entry.time?.endS ?? .nan, decimals: 3)
      append(entry.positionCounts?.located, to: &text)
      append(entry.positionCounts?.uncertain, to: &text)
      append(entry.positionCounts?.starting, to: &text)
      text.append(entry.noiseM ?? .nan, decimals: 4)
      text.append(entry.meanNis ?? .nan, decimals: 3)
      text.append((entry.diagnoses ?? [:]).keys.sorted().joined(separator: ";"))
      append(entry.warnings, to: &text)
      text.append(entry.started ?? "")
      let timing = entry.timing
      text.append(timing.map { $0.readS + $0.processS + $0.writeS } ?? .nan, decimals: 3)
      append(entry.failure?.exitCode, to: &text)
      // One line, so that a row is a line for every program.
      text.append((entry.failure?.message ?? "").replacing("\n", with: " "))
      text.endRow()
    }
    return text.bytes
  }

  private static func append(_ value: Int?, to text: inout CSVBuffer) {
    if let value { text.append(value) } else { text.append("") }
  }

  /// Returns whether the file at `path` is a table of a batch, which a new one may replace.
  package static func isTable(_ path: String) -> Bool {
    guard FoundFile.isRegular(path),
      let source = try? ByteSource(path: path, mostBytes: BatchManifest.longest)
    else { return false }
    return source.bytes.starts(with: Array("name,path,status,".utf8))
  }
}

extension BatchManifest.Entry {
  /// The number of positions with coordinates, of those that are ambiguous or inconsistent, and of
  /// instants before the first position; nil without results.
  package var positionCounts: (located: Int, uncertain: Int, starting: Int)? {
    guard let positions else { return nil }
    func count(_ status: PositionColumns.Status) -> Int { positions[status.word] ?? 0 }
    let all = positions.values.reduce(0, +)
    return (
      all - count(.starting), count(.ambiguous) + count(.inconsistent), count(.starting)
    )
  }
}
