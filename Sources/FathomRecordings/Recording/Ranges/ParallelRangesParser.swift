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
    case take(RangesChunkParser, upTo: Int)
  }

  /// Parses rows of the current block, as far as its chunks can be parsed independently, while the
  /// next block is read.
  ///
  /// - Parameters:
  ///   - text: text of the file; it stays at its current block.
  ///   - chunk: the chunk in context, positioned in that block; advanced past the parsed rows.
  ///   - queue: receives the rows, one table per chunk.
  /// - Returns: The next block; nil when this is the last one or cannot be divided.
  func take(
    _ text: inout TextBlocks, from chunk: inout RangesChunkParser,
    into queue: inout RangesTableQueue
  ) -> TextBlocks.Ahead? {
    let block = text.block
    let path = text.path
    let ends = ends(in: block, from: chunk.place.position)
    guard let end = ends.last else { return nil }
    var jobs: [Job] = text.isLast ? [] : [.read(text.ahead(taking: end))]
    let known = (tags: chunk.names.tags.count, anchors: chunk.names.anchors.count)
    var names = chunk.names
    names.tags = NameTable(behind: names.tags)
    names.anchors = NameTable(behind: names.anchors)
    jobs.append(.take(chunk, upTo: ends[0]))
    for (begin, end) in zip(ends, ends.dropFirst()) {
      let place = RangesPosition(position: begin, line: 1)
      let next = RangesChunkParser(
        chunk.format, at: place, names: names, into: queue.emptyTable(), isInContext: false)
      jobs.append(.take(next, upTo: end))
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
      case .take(var chunk, let end):
        // The chunk in context finds an excess of names again and reports it.
        do throws(RecordingError) {
          try chunk.takeRows(of: block, upTo: end, isLast: false, path: path)
        } catch {}
        job = .take(chunk, upTo: end)
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
      case .take(let next, let end):
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
  /// - Parameters:
  ///   - next: the chunk parsed from the current position on.
  ///   - known: number of names that it knew at its start.
  /// - Returns: False, with nothing changed, when both chunks have too many names together.
  mutating func join(
    _ next: consuming RangesChunkParser, known: (tags: Int, anchors: Int)
  ) -> Bool {
    let newTags = next.names.tags.names(from: known.tags)
    let newAnchors = next.names.anchors.names(from: known.anchors)
    let reason = RecordingLimits.reasonTooMany(
      tags: names.tags.count + names.tags.newCount(of: newTags),
      anchors: names.anchors.count + names.anchors.newCount(of: newAnchors))
    guard !next.hasTooManyNames, reason == nil else { return false }
    let tagPlaces = NameIndexMap(behind: known.tags, names.tags.places(of: newTags))
    let anchorPlaces = NameIndexMap(behind: known.anchors, names.anchors.places(of: newAnchors))
    if let tag = next.names.onlyTag { names.onlyTag = tagPlaces[tag] }
    if let anchor = next.names.onlyAnchor { names.onlyAnchor = anchorPlaces[anchor] }
    let linesBefore = place.line - 1

    // Removing the other reference prevents a copy on write.
    file = RangesTable(layout: format.layout)
    swap(&file, &next.file)
    tagPlaces.renumber(&file.ranges.tag)
    anchorPlaces.renumber(&file.ranges.anchor)
    tagPlaces.renumber(&file.tagRanges.tag)
    for index in file.tagRanges.line.indices { file.tagRanges.line[index] += linesBefore }
    file.ranges.line.withUnsafeMutableBufferPointer { lines in
      for index in lines.indices { lines[index] &+= linesBefore }
    }
    for index in file.events.indices {
      file.events[index].line += linesBefore
      file.events[index].tag = tagPlaces[file.events[index].tag]
      file.events[index].anchor = file.events[index].anchor.map { anchorPlaces[$0] }
    }
    file.rejected.advance(byLines: linesBefore)
    file.packedRejected.advance(byLines: linesBefore)
    undeclared.append(contentsOf: next.undeclared, afterLines: linesBefore)
    place = RangesPosition(
      position: next.place.position, line: next.place.line + linesBefore)
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
struct RangesTableQueue {
  private let layout: RangesLayout
  /// Waiting tables, the last one first.
  private var waiting: [RangesTable] = []
  /// Emptied tables.
  private var spare: [RangesTable] = []

  /// Creates an empty queue for a file of the given layout.
  init(layout: RangesLayout) { self.layout = layout }

  /// Returns an empty table.
  mutating func emptyTable() -> RangesTable { spare.popLast() ?? RangesTable(layout: layout) }

  /// Appends the rows of the chunk in context to the queue.
  mutating func append(_ chunk: inout RangesChunkParser) {
    var file = emptyTable()
    // Blocks have equal lengths, so that about as many rows follow.
    file.ranges.reserveCapacity(chunk.file.ranges.count * 17 / 16)
    swap(&file, &chunk.file)
    waiting.insert(file, at: 0)
  }

  /// Returns the next table with all names so far; nil when the queue is empty.
  ///
  /// A waiting table has no names: a second reference to the names would cause a copy when they
  /// grow.
  mutating func next(names: RangesNames) -> RangesTable? {
    guard var file = waiting.popLast() else { return nil }
    file.tagNames = names.tags.names
    file.anchorNames = names.anchors.names
    return file
  }

  /// Moves all tables to the end of `file`, without names, on `width` threads.
  mutating func move(to file: inout RangesTable, width: Int) {
    waiting.reverse()
    file.append(waiting, width: width)
    while var table = waiting.popLast() {
      table.removeAll()
      spare.append(table)
    }
  }
}
