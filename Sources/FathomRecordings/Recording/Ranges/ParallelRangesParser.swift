import Fathom

/// The blocks of a ranges file in chunks, each on a thread of its own.
struct ParallelRangesParser {
  /// On how many threads.
  let width: Int
  /// Bytes of a chunk that one thread takes in one go.
  let size: Int

  /// What one thread does.
  private enum Job {
    case idle
    case read(TextBlocks.Ahead)
    case take(RangesChunkParser, upTo: Int)
  }

  /// Takes rows of the block at hand, as far as chunks of it can be read on their own, and
  /// meanwhile reads the next block.
  ///
  /// - Parameters:
  ///   - text: the file; it stays at its block.
  ///   - chunk: the chunk in context, which stands in that block; afterwards behind the rows taken.
  ///   - queue: what the rows are appended to, a stretch a chunk.
  /// - Returns: the next block; nil where this is the last one, or cannot be cut.
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
      // What is in two places is copied when it changes.
      let mine = job
      job = .idle
      switch consume mine {
      case .idle: break
      case .read(var ahead):
        ahead.read()
        job = .read(ahead)
      case .take(var chunk, let end):
        // Too many names are met again by the chunk in context.
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
        // A row ran over the end of its chunk, or could not be judged: the others began in its
        // middle.
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

  /// Where a block is cut into chunks from `start` on, which is behind line feeds; empty where
  /// there is none.
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
  /// Takes over what `next` has read on its own, which follows this chunk.
  ///
  /// - Parameters:
  ///   - next: what was read from where this chunk stands.
  ///   - known: the numbers of names that it began with.
  /// - Returns: false, with nothing changed, where the names of both are too many.
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

    // What is in two places is copied when it changes.
    file = RangesTable(layout: format.layout)
    swap(&file, &next.file)
    tagPlaces.renumber(&file.ranges.tag)
    anchorPlaces.renumber(&file.ranges.anchor)
    file.ranges.line.withUnsafeMutableBufferPointer { lines in
      for index in lines.indices { lines[index] &+= linesBefore }
    }
    for index in file.events.indices {
      file.events[index].line += linesBefore
      file.events[index].tag = tagPlaces[file.events[index].tag]
      file.events[index].anchor = file.events[index].anchor.map { anchorPlaces[$0] }
    }
    for index in file.rejected.indices { file.rejected[index].line += linesBefore }
    if let (line, name, rows) = next.undeclared {
      let first = undeclared ?? (line + linesBefore, name, 0)
      undeclared = (first.line, first.name, first.rows + rows)
    }
    place = RangesPosition(
      position: next.place.position, line: next.place.line + linesBefore)
    return true
  }
}

/// The places of names in a file by those in a chunk of it that was read on its own.
private struct NameIndexMap {
  /// Names that the chunk knew beforehand keep their places.
  private let known: Int32
  /// The places of the others.
  private let places: [Int32]

  init(behind known: Int, _ places: [Int32]) {
    self.known = Int32(known)
    self.places = places
  }

  subscript(place: Int32) -> Int32 { place < known ? place : places[Int(place - known)] }

  /// Changes the places in a column.
  func renumber(_ column: inout [Int32]) {
    if places.elementsEqual(known..<known + Int32(places.count)) { return }
    for index in column.indices { column[index] = self[column[index]] }
  }
}

/// Stretches of a ranges file that were read and are still to be given out.
///
/// Memory of those that were given out and emptied serves the next ones.
struct RangesTableQueue {
  private let layout: RangesLayout
  /// The last one first.
  private var waiting: [RangesTable] = []
  /// Those that were emptied.
  private var spare: [RangesTable] = []

  /// No stretches of a file of the given layout.
  init(layout: RangesLayout) { self.layout = layout }

  /// An empty stretch.
  mutating func emptyTable() -> RangesTable { spare.popLast() ?? RangesTable(layout: layout) }

  /// Puts the rows that the chunk in context has taken behind those that wait.
  mutating func append(_ chunk: inout RangesChunkParser) {
    var file = emptyTable()
    // Blocks are equally long: about as many rows will follow.
    file.ranges.reserveCapacity(chunk.file.ranges.count * 17 / 16)
    swap(&file, &chunk.file)
    waiting.insert(file, at: 0)
  }

  /// Gives out the next stretch, with all names so far; nil where none waits.
  ///
  /// A stretch that waits has no names: whoever else holds them makes them be copied when they grow.
  mutating func next(names: RangesNames) -> RangesTable? {
    guard var file = waiting.popLast() else { return nil }
    file.tagNames = names.tags.names
    file.anchorNames = names.anchors.names
    return file
  }

  /// Gives out all stretches to the end of `file`, without names, on `width` threads.
  mutating func move(to file: inout RangesTable, width: Int) {
    waiting.reverse()
    file.append(waiting, width: width)
    while var stretch = waiting.popLast() {
      stretch.removeAll()
      spare.append(stretch)
    }
  }
}
