import Fathom
import FathomRecordings
import Foundation

/// What a browser shows of a stream: gathers results, and sends them a few times a second.
package final class LivePage: @unchecked Sendable {
  /// The browsers that watch.
  let viewers = PageViewers()
  private let history = Locked(PageHistory())
  private let shownPicture = Locked<FloorPlan.Picture?>(nil)
  // All below are used only by the thread of the stream.
  private var tags: [String: PageTag] = [:]
  private var changed: Set<String> = []
  private var news: [String] = []
  private var gone: [String] = []
  private var tagCount = 0
  private var input = PageInput()
  private var sent = ContinuousClock.now
  private var sentLinks = ContinuousClock.now

  /// The interval between frames, in seconds: the usual rate of a tag.
  private static let interval = Duration.milliseconds(100)
  /// The interval between tables of links, in seconds: as fast as numbers can be read.
  private static let linksInterval = Duration.milliseconds(500)
  /// Positions of a trail that a browser gets that joins later.
  private static let trail = 150
  /// Tags beyond this number are left out: a plan of more cannot be read.
  private static let mostTags = 512

  /// Creates a page without content.
  package init() {}

  /// The picture of the floor plan; nil without one.
  var picture: FloorPlan.Picture? { shownPicture.withLock { $0 } }

  /// The positions so far, as JSON.
  var historyText: [UInt8] {
    // Formatted outside of the lock: the stream does not wait for a browser.
    Array(history.withLock { $0 }.text.utf8)
  }

  /// Shows anchors, zones and the floor plan before the first line.
  func begin(_ pipeline: LivePipeline) {
    shownPicture.withLock { $0 = pipeline.floorPlan?.picture }
    sendSite(pipeline)
  }

  /// Counts the lines in `bytes`, which are processed next.
  func read(_ bytes: [UInt8]) { input.read(bytes, at: .now) }

  /// Passes results on to the browsers.
  func publish(_ results: LiveResults, _ pipeline: inout LivePipeline) {
    input.add(results, at: .now).forEach(note)
    for index in 0..<results.positions.count { add(results.positions, index) }
    let zones = results.zoneEvents
    for index in 0..<zones.count {
      let kind = zones.event[index]
      if kind == .entered {
        tags[zones.tag[index]]?.zones.insert(zones.zone[index])
      } else {
        tags[zones.tag[index]]?.zones.remove(zones.zone[index])
      }
      changed.insert(zones.tag[index])
      note("\(zones.tag[index]) \(kind.rawValue) \(zones.zone[index])")
    }
    // Around anchors at fixed places they are no news: every tag passes them.
    for link in results.linkEvents where pipeline.anchors.isEmpty {
      note("\(link.tag) \(link.kind) the zone of \(link.radiusM) m around \(link.anchor)")
    }
    for message in results.messages { note(message) }
    for name in results.forgotten where tags.removeValue(forKey: name) != nil { gone.append(name) }
    tick(&pipeline)
  }

  /// Sends what has changed, if the last frame is long enough ago.
  func tick(_ pipeline: inout LivePipeline) {
    let now = ContinuousClock.now
    if now - sent < Self.interval { return }
    // Distances and positions of a frame belong together: a position that is due is awaited.
    if pipeline.isOpen, now - sent < Self.interval * 2 { return }
    sent = now
    let hasLinks = now - sentLinks >= Self.linksInterval
    if hasLinks { sentLinks = now }
    if viewers.isEmpty, !hasLinks { return }
    if let reason = input.add(pipeline.unrecognised, at: now) { note(reason) }
    // A device log may state its anchors.
    if hasLinks { sendSite(pipeline) }
    send(hasLinks: hasLinks, isEnd: false, &pipeline)
  }

  /// Tells the browsers that the stream has ended, and waits up to a second until they know.
  func end(_ pipeline: inout LivePipeline) {
    for line in pipeline.summary { note(line) }
    note("the stream has ended")
    send(hasLinks: true, isEnd: true, &pipeline)
    viewers.end(within: 1)
  }

  /// Adds a line to the news.
  func note(_ text: String) {
    news.append(text)
    if news.count > 50 { news.removeFirst() }
  }

  private func add(_ positions: PositionColumns, _ index: Int) {
    let name = positions.tag[index]
    if tags[name] == nil {
      if tags.count >= Self.mostTags { return }
      tags[name] = PageTag(number: tagCount)
      tagCount += 1
    }
    changed.insert(name)
    tags[name]?.add(positions, index, trail: Self.trail)
    let (position, covariance) = (positions.position[index], positions.covariance[index])
    let status = positions.status[index]
    guard position.x.isFinite, position.y.isFinite, status != .relative else { return }
    history.withLock {
      $0.add(
        name, positions.time[index], position,
        sigma: max(0, covariance[0, 0] + covariance[1, 1]).squareRoot(), status)
    }
  }

  private func sendSite(_ pipeline: LivePipeline) {
    var json = JSONText()
    json.object {
      $0.array("anchors") { list in
        for (name, anchor) in pipeline.anchors {
          list.element {
            $0.add("n", name)
            $0.add("p", anchor.position, digits: 3)
          }
        }
      }
      $0.array("zones") { list in
        for area in pipeline.zoneAreas {
          list.element {
            $0.add("n", area.name)
            $0.add("c", area.cornersM.map { $0.map { JSONText.number($0, digits: 3) } })
          }
        }
      }
      if let plan = pipeline.floorPlan?.placement {
        $0.object("plan") {
          $0.add("scale", plan.metresPerPixel, digits: 6)
          $0.add("origin", plan.originM)
        }
      }
    }
    viewers.set(site: json.text)
  }

  private func send(hasLinks: Bool, isEnd: Bool, _ pipeline: inout LivePipeline) {
    var shared = JSONText()
    writeCounts(pipeline, to: &shared)
    if hasLinks { Self.writeLinks(&pipeline, to: &shared) }
    if hasLinks { Self.writeDiagnoses(pipeline, to: &shared) }
    if isEnd { shared.add("end", 1, digits: 0) }
    var frame = JSONText()
    frame.object {
      $0.add(members: shared)
      $0.array("tags") { list in
        for name in changed.sorted() {
          guard let tag = tags[name] else { continue }
          list.element { tag.write(name, to: &$0) }
        }
      }
      $0.array("gone") { list in for name in gone { list.element(name) } }
      $0.array("news") { list in for text in news { list.element(text) } }
    }
    changed.removeAll()
    gone.removeAll()
    viewers.keep(news: news)
    news.removeAll()
    viewers.send(frame.text)
    guard hasLinks else { return }
    // For a browser that joins later: all trails.
    var state = JSONText()
    state.object {
      $0.add(members: shared)
      $0.array("tags") { list in
        for (name, tag) in tags.sorted(by: { $0.key < $1.key }) {
          list.element {
            tag.write(name, to: &$0)
            $0.add("trail", tag.trail)
          }
        }
      }
    }
    viewers.keep(state: state.text)
  }

  /// Writes the time of the stream, and what came.
  private func writeCounts(_ pipeline: LivePipeline, to json: inout JSONText) {
    json.add("t", pipeline.now?.seconds ?? 0, digits: 3)
    let first = history.withLock { $0.rows.first?.time }
    if let first { json.add("first", first.seconds, digits: 3) }
    input.write(at: .now, to: &json)
  }

  private static func writeDiagnoses(_ pipeline: LivePipeline, to json: inout JSONText) {
    json.array("diagnoses") { list in
      for diagnosis in pipeline.diagnoses {
        list.element {
          $0.add("code", diagnosis.code.rawValue)
          $0.add("text", "\(diagnosis.message): \(diagnosis.suggestion)")
        }
      }
    }
  }

  /// Links in a table that are shown at most.
  private static let mostLinks = 400

  private static func writeLinks(_ pipeline: inout LivePipeline, to json: inout JSONText) {
    let (tagNames, anchorNames) = (pipeline.tagNames, pipeline.anchorNames)
    let count = min(pipeline.links.all.count, mostLinks)
    let now = pipeline.now ?? Timestamp(nanoseconds: 0)
    var rows: [(LiveLinks.Link, LinkQuality)] = []
    for place in 0..<count {
      let quality = pipeline.quality(ofLink: place)
      rows.append((pipeline.links.all[place], quality))
    }
    json.array("links") { list in
      for (link, quality) in rows {
        list.element {
          $0.add("tag", tagNames[link.tag])
          $0.add("anchor", anchorNames[link.anchor])
          $0.add("d", link.distance, digits: 3)
          $0.add("s", link.smoothed, digits: 3)
          $0.add("rate", quality.rate ?? .nan, digits: 1)
          $0.add("loss", quality.loss ?? .nan, digits: 3)
          $0.add("score", quality.score ?? .nan, digits: 2)
          $0.add("rssi", link.rssi, digits: 1)
          $0.add("fp", link.firstPathRSSI, digits: 1)
          $0.add("age", now.seconds(since: link.time), digits: 2)
          $0.add("use", link.decision?.word ?? "late")
        }
      }
    }
  }
}

/// A tag as the page shows it.
private struct PageTag {
  /// The number of tags before it, which decides its colour.
  let number: Int
  var zones: Set<String> = []
  private var time = Timestamp(nanoseconds: 0)
  /// The time of the last position that is not a prediction; nil before the first.
  private var measured: Timestamp?
  private var position = Vector<3>(repeating: .nan)
  private var covariance = Matrix<3, 3>(repeating: .nan)
  private var alternative: Vector<3>?
  private var status = PositionColumns.Status.starting
  /// The last positions, x and y.
  private(set) var trail: [[String]] = []

  init(number: Int) { self.number = number }

  mutating func add(_ positions: PositionColumns, _ index: Int, trail most: Int) {
    time = positions.time[index]
    position = positions.position[index]
    covariance = positions.covariance[index]
    alternative = positions.alternatives[index]
    status = positions.status[index]
    if status != .coasting { measured = time }
    guard position.x.isFinite, position.y.isFinite, status != .relative else { return }
    trail.append([
      JSONText.number(position.x, digits: 3), JSONText.number(position.y, digits: 3),
    ])
    if trail.count >= 2 * most { trail.removeFirst(most) }
  }

  func write(_ name: String, to json: inout JSONText) {
    json.add("n", name)
    json.add("k", Double(number), digits: 0)
    json.add("t", time.seconds, digits: 3)
    if let measured { json.add("h", measured.seconds, digits: 3) }
    json.add("p", position, digits: 3)
    json.add("c", [covariance[0, 0], covariance[0, 1], covariance[1, 1], covariance[2, 2]])
    json.add("s", status.word)
    if let alternative { json.add("a", alternative, digits: 3) }
    if !zones.isEmpty {
      json.array("z") { list in for zone in zones.sorted() { list.element(zone) } }
    }
  }
}
