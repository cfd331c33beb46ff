import FathomRecordings
import Testing

@testable import FathomCLI

@Suite struct ProgressBarTests {
  private func progress(
    recordings: Int = 1, bytes: Int = 0, skippedBytes: Int = 0, rows: Int = 0
  ) -> BatchProgress {
    var progress = BatchProgress()
    progress.recordings = recordings
    progress.bytes = bytes
    progress.skippedBytes = skippedBytes
    progress.rows = rows
    return progress
  }

  @Test func countsItemsWithoutBytes() {
    var line = ProgressLine(total: 4, bytes: nil)
    #expect(line.text(after: 0) == "[....................] 0/4")
    line.advance(by: progress(rows: 500))
    #expect(line.text(after: 5) == "[#####...............] 1/4, 100 rows/s, 15 s left")
    line.advance(by: progress(recordings: 3, rows: 500))
    #expect(line.text(after: 10) == "[####################] 4/4, 100 rows/s, 0 s left")
  }

  /// The sizes of recordings differ, so their number does not measure progress.
  @Test func measuresShareByBytes() {
    var line = ProgressLine(total: 3, bytes: 10_000_000)
    line.advance(by: progress(bytes: 1_000_000, rows: 10))
    line.advance(by: progress(bytes: 1_500_000, rows: 10))
    #expect(
      line.text(after: 100)
        == "[#####...............] 2/3, 2.5 of 10.0 MB, 5 min left")
  }

  /// Skipped recordings take no time and must not shorten the estimate for the others.
  @Test func excludesSkippedBytes() {
    var line = ProgressLine(total: 3, bytes: 200_000_000)
    line.advance(by: progress(skippedBytes: 100_000_000))
    #expect(line.text(after: 1) == "[....................] 1/3, 0.0 of 100 MB")
    line.advance(by: progress(bytes: 50_000_000, rows: 50))
    #expect(
      line.text(after: 10) == "[##########..........] 2/3, 50.0 of 100 MB, 5 rows/s, 10 s left")
    // The size of standard input is not known in advance.
    line.advance(by: progress(bytes: 500_000_000))
    #expect(
      line.text(after: 20_000)
        == "[####################] 3/3, 550 of 550 MB, 0 s left")
  }

  /// Work without items shows the time so far, until its share is known.
  @Test func showsTimeWhileShareIsUnknown() {
    var line = ProgressLine(total: 1, bytes: nil)
    #expect(line.text(after: 12.2) == "[....................] 13 s so far")
    line.share = 0.25
    #expect(line.text(after: 20) == "[#####...............] 60 s left")
  }

  @Test func formatsLongTimesInMinutesAndHours() {
    var line = ProgressLine(total: 1000, bytes: nil)
    line.advance(by: progress())
    #expect(line.text(after: 1).hasSuffix(" 17 min left"))
    #expect(line.text(after: 60).hasSuffix(" 16 h 39 min left"))
  }
}
