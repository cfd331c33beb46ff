import Fathom
import Foundation
import TestSupport
import Testing

@testable import FathomRecordings

/// A user of the library alone, with a calibrated `Tracker` or `TrackSmoother` and all measurements in order
/// of time, gets the positions of `process`.
@Suite struct EngineDoorTests {
  private static let datasets = ["drone-3d", "phone-accessory", "robot-2d"]

  @Test(arguments: datasets, [PositionMethod.filter, .smooth])
  func givesThePositionsOfProcess(_ name: String, _ method: PositionMethod) throws {
    try compare(Reference.packageRoot.appending(path: "Datasets/\(name)"), method)
  }

  @Test(
    .needsReference("datasets"), .releaseOnly, arguments: [PositionMethod.filter, .smooth])
  func givesThePositionsOfProcessForPublicRecordings(_ method: PositionMethod) throws {
    let parent = Reference.url("datasets")
    var count = 0
    for name in try FileManager.default.contentsOfDirectory(
      atPath: parent.path(percentEncoded: false))
    where FileManager.default.fileExists(atPath: parent.appending(path: "\(name)/ranges.csv").path)
    {
      if try compare(parent.appending(path: name), method) { count += 1 }
    }
    #expect(count > 20)
  }

  /// Compares the positions of all tags; returns whether there were any to compare.
  @discardableResult
  private func compare(_ folder: URL, _ method: PositionMethod) throws -> Bool {
    let recording = try RecordingReader.read(folder.path(percentEncoded: false))
    var settings = ProcessingSettings()
    settings.method = method
    let timeline = Timeline(recording)
    settings = settings.completed(for: recording, timeline: timeline)
    let outline = RecordingOutline(recording).diagnosed(recording.rangeSample(timeline), settings)
    // Directions need the frame of the tag, ranges between tags both tags, and heights of rows the rows.
    guard !outline.anchors.isEmpty, outline.usableAttitudes == nil, !outline.hasHeights,
      outline.tagRanges.count == 0, recording.ranges.count < 200_000
    else { return false }
    let expected = recording.processed(with: settings).positions
    let rangesByTag = recording.rangesByTag().map(outline.usable)
    let common = outline.commonCalibration(settings, tags: rangesByTag.count) { rangesByTag[$0] }
    for (tag, name) in recording.tagNames.enumerated() {
      let rows = expected.tag.indices.filter { expected.tag[$0] == name }
        .map { expected.row(at: $0) }
      let found = StageCalibration(
        tag: tag, of: outline, on: rangesByTag[tag], settings, common: common,
        readings: nil, calibrates: true, hasRowHeights: false)
      let configuration = found.calibration.configuration
      let anchors = found.calibration.corrected(outline.anchors)
      let measurements = self.measurements(of: tag, in: recording, timeline, outline, found)
      let estimates =
        method == .filter
        ? tracked(measurements, try Tracker(anchors: anchors, configuration: configuration), rows)
        : smoothed(
          measurements, try TrackSmoother(anchors: anchors, configuration: configuration), rows)
      let wrong = zip(rows, estimates).filter { row, estimate in
        row.status == .starting
          ? estimate != nil
          : row.position != estimate?.position || row.covariance != estimate?.covariance
      }
      #expect(
        wrong.isEmpty,
        "\(folder.lastPathComponent), \(name): \(wrong.count) of \(rows.count) positions differ")
    }
    return true
  }

  /// The measurements of a tag in order of time, ranges last within an instant.
  private func measurements(
    of tag: Int, in recording: Recording, _ timeline: Timeline, _ outline: RecordingOutline,
    _ found: StageCalibration
  ) -> [TimedMeasurement] {
    var result: [TimedMeasurement] = []
    var sensors = SensorQueue(found.sensors)
    var filter = RangeFilter(outline.excluded)
    func add(_ measurement: TimedMeasurement) {
      while let reading = sensors.next(upTo: measurement.time) { result.append(reading) }
      result.append(measurement)
    }
    for entry in timeline.entries {
      switch entry {
      case .range(let index) where Int(recording.ranges.tag[index]) == tag:
        let range = recording.ranges.measurement(at: index)
        guard filter.admits(range.distance, to: range.anchor) else { continue }
        add(.range(found.calibration.rssiBiasCurve?.corrected(range) ?? range))
      case .event(let index):
        let event = recording.events[index]
        guard Int(event.tag) == tag, event.event.isInterruption, event.anchor == nil else {
          continue
        }
        add(.interruption(event.time))
      default: break
      }
    }
    while let reading = sensors.next(upTo: Timestamp(nanoseconds: .max)) { result.append(reading) }
    return result
  }

  private func tracked(
    _ measurements: [TimedMeasurement], _ tracker: Tracker, _ rows: [PositionRow]
  ) -> [TrackEstimate?] {
    var tracker = tracker
    var next = 0
    return rows.map { row in
      while next < measurements.count, measurements[next].time <= row.time {
        _ = tracker.update(measurements[next])
        next += 1
      }
      return tracker.estimate(at: row.time)
    }
  }

  private func smoothed(
    _ measurements: [TimedMeasurement], _ smoother: TrackSmoother, _ rows: [PositionRow]
  ) -> [TrackEstimate?] {
    let track = smoother.smoothed(measurements)
    return rows.map { track?.estimate(at: $0.time, configuration: smoother.configuration) }
  }
}
