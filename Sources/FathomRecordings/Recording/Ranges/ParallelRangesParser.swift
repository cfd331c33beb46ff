import Fathom

/// A parser that divides the blocks of a ranges file into chunks and parses them in parallel.
struct ParallelRangesParser {
  /// Number of threads.
  let width: Int
  /// Size of a chunk, in bytes.
  let size: Int

  /// A job of one thread.
  private enum Job {
    case idle
    case read(TextBlocks.Ahead)
    case parse(RangesChunkParser, upTo: Int)
  }

  /// Parses rows of the current block, as far as its chunks can be parsed independently, while the
  /// next block is read.
  ///
  /// `text` stays at its current block; `chunk`, positioned there, is advanced past the parsed
  /// rows. `queue` receives one table per chunk. Returns the next block; nil when this is the last
  /// one or cannot be divided.
  func parse(
    _ text: inout TextBlocks, from chunk: inout RangesChunkParser,
    into queue: inout ParsedRangesQueue
  ) -> TextBlocks.Ahead? {
    let block = text.block
    let path = text.path
    let ends = ends(in: block, from: chunk.place.position)
    guard let end = ends.last else { return nil }
    var jobs: [Job] = text.isLast ? [] : [.read(text.ahead(taking: end))]
    var names = chunk.sink.names
    let known = (tags: names.tags.count, anchors: names.anchors.count)
    names.tags = NameTable(behind: names.tags)
    names.anchors = NameTable(behind: names.anchors)
    jobs.append(.parse(chunk, upTo: ends[0]))
    for (begin, end) in zip(ends, ends.dropFirst()) {
      let place = RangesPosition(position: begin, line: 1)
      let next = RangesChunkParser(
        chunk.format, at: place, names: names, into: queue.emptyTable(), isInContext: false)
      jobs.append(.parse(next, upTo: end))
    }
    performConcurrently(&jobs, width: width) { job in
      // Removing the other reference prevents a copy on write.
      let mine = job
      job = .idle
      switch consume mine {
      case .idle: break
      case .read(var ahead):
        ahead.read()
        job = .read(ahead)
      case .parse(var chunk, let end):
        // The chunk in context finds an excess of names again and reports it.
        do throws(RecordingError) {
          try chunk.processRows(of: block, upTo: end, isLast: false, path: path)
        } catch {}
        job = .parse(chunk, upTo: end)
      }
    }
    var ahead: TextBlocks.Ahead?
    var reached = chunk.place.position
    for index in jobs.indices {
      let job = jobs[index]
      jobs[index] = .idle
      switch consume job {
      case .idle: break
      case .read(let read): ahead = read
      case .parse(let next, let end):
        // When a row extended beyond its chunk or could not be parsed without context, the
        // following chunks began inside it and are dropped.
        guard reached == chunk.place.position else { continue }
        reached = end
        if next.isInContext {
          if next.hasTooManyNames { continue }
          chunk = next
        } else if !chunk.join(next, known: known) {
          continue
        }
        queue.append(&chunk)
      }
    }
    return ahead
  }

  /// Returns the ends of the chunks of a block from `start` on, each after a line feed; empty when
  /// there is no line feed.
  private func ends(in block: [UInt8], from start: Int) -> [Int] {
    block.withUnsafeBufferPointer { bytes in
      let lineFeed = UInt8(ascii: "\n")
      guard let last = bytes.lastIndex(of: lineFeed), last >= start else { return [] }
      var ends: [Int] = []
      var next = start + size
      while next < last {
        guard let end = bytes[next...].firstIndex(of: lineFeed) else { break }
        ends.append(end + 1)
        next = end + 1 + size
      }
      if ends.last != last + 1 { ends.append(last + 1) }
      return ends
    }
  }
}

extension RangesChunkParser {
  /// Appends the result of `next`, which was parsed independently and follows this chunk.
  ///
  /// `known` are the numbers of names that it knew at its start. Returns false, with nothing
  /// changed, when both chunks have too many names together.
  mutating func join(
    _ next: consuming RangesChunkParser, known: (tags: Int, anchors: Int)
  ) -> Bool {
    let linesBefore = place.line - 1
    guard !next.hasTooManyNames,
      sink.join(&next.sink, known: known, afterLines: linesBefore)
    else { return false }
    place = RangesPosition(
      position: next.place.position, line: next.place.line + linesBefore)
    return true
  }
}

extension RangeSink {
  /// Takes over the rows of `next`, the sink of an independent chunk that follows `lines` lines.
  ///
  /// - Returns: False, with nothing changed, when both have too many names together.
  fileprivate mutating func join(
    _ next: inout RangeSink, known: (tags: Int, anchors: Int), afterLines lines: Int
  ) -> Bool {
    let newTags = next.names.tags.names(from: known.tags)
    let newAnchors = next.names.anchors.names(from: known.anchors)
    let reason = RecordingLimits.reasonTooMany(
      tags: names.tags.count + names.tags.newCount(of: newTags),
      anchors: names.anchors.count + names.anchors.newCount(of: newAnchors))
    guard reason == nil else { return false }
    let tagPlaces = NameIndexMap(behind: known.tags, names.tags.places(of: newTags))
    let anchorPlaces = NameIndexMap(behind: known.anchors, names.anchors.places(of: newAnchors))
    if let tag = next.names.onlyTag { names.onlyTag = tagPlaces[tag] }
    if let anchor = next.names.onlyAnchor { names.onlyAnchor = anchorPlaces[anchor] }

    // Removing the other reference prevents a copy on write.
    rows = ParsedRanges(layout: rows.layout)
    swap(&rows, &next.rows)
    tagPlaces.renumber(&rows.ranges.tag)
    anchorPlaces.renumber(&rows.ranges.anchor)
    tagPlaces.renumber(&rows.tagRanges.tag)
    for index in rows.tagRanges.line.indices { rows.tagRanges.line[index] += lines }
    rows.ranges.line.withUnsafeMutableBufferPointer { column in
      for index in column.indices { column[index] &+= lines }
    }
    for index in rows.events.indices {
      rows.events[index].line += lines
      rows.events[index].tag = tagPlaces[rows.events[index].tag]
      rows.events[index].anchor = rows.events[index].anchor.map { anchorPlaces[$0] }
    }
    rows.rejected.advance(byLines: lines)
    rows.packedRejected.advance(byLines: lines)
    undeclared.append(contentsOf: next.undeclared, afterLines: lines)
    addLogged(of: next)
    return true
  }
}

/// A map from indices of names in an independently parsed chunk to those in the file.
private struct NameIndexMap {
  /// Number of names that the chunk knew at its start, which keep their indices.
  private let known: Int32
  /// Indices of the other names in the file.
  private let places: [Int32]

  init(behind known: Int, _ places: [Int32]) {
    self.known = Int32(known)
    self.places = places
  }

  subscript(place: Int32) -> Int32 { place < known ? place : places[Int(place - known)] }

  /// Replaces the indices in a column.
  func renumber(_ column: inout [Int32]) {
    if places.elementsEqual(known..<known + Int32(places.count)) { return }
    for index in column.indices { column[index] = self[column[index]] }
  }
}

/// A queue of parsed tables of a ranges file.
///
/// Memory of emptied tables is reused for the next ones.
struct ParsedRangesQueue {
  private let layout: RangesLayout
  /// Waiting tables, the last one first.
  private var waiting: [ParsedRanges] = []
  /// Emptied tables.
  private var spare: [ParsedRanges] = []

  /// Creates an empty queue for a file of the given layout.
  init(layout: RangesLayout) { self.layout = layout }

  /// Returns an empty table.
  mutating func emptyTable() -> ParsedRanges { spare.popLast() ?? ParsedRanges(layout: layout) }

  /// Appends the rows of the chunk in context to the queue.
  mutating func append(_ chunk: inout RangesChunkParser) {
    var file = emptyTable()
    // Blocks have equal lengths, so that about as many rows follow.
    file.ranges.reserveCapacity(chunk.sink.rows.ranges.count * 17 / 16)
    swap(&file, &chunk.sink.rows)
    waiting.insert(file, at: 0)
  }

  /// Returns the next table with all names so far; nil when the queue is empty.
  ///
  /// A waiting table has no names: a second reference to the names would cause a copy when they
  /// grow.
  mutating func next(names: RangesNames) -> ParsedRanges? {
    guard var file = waiting.popLast() else { return nil }
    file.tagNames = names.tags.names
    file.anchorNames = names.anchors.names
    return file
  }

  /// Moves all tables to the end of `file`, without names, on `width` threads.
  mutating func move(to file: inout ParsedRanges, width: Int) {
    waiting.reverse()
    file.append(waiting, width: width)
    while var table = waiting.popLast() {
      table.removeAll()
      spare.append(table)
    }
  }
}
