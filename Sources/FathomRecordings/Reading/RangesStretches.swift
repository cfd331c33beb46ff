/// Stretches of a ranges file that were read and are still to be given out.
///
/// Memory of those that were given out and emptied serves the next ones.
struct RangesStretches {
  private let layout: RangesLayout
  /// The last one first.
  private var waiting: [RangesFile] = []
  /// Those that were emptied.
  private var spare: [RangesFile] = []

  /// No stretches of a file of the given layout.
  init(layout: RangesLayout) { self.layout = layout }

  /// An empty stretch.
  mutating func emptyFile() -> RangesFile { spare.popLast() ?? RangesFile(layout: layout) }

  /// Puts the rows that the piece in context has taken behind those that wait.
  mutating func append(_ piece: inout RangesPiece) {
    var file = emptyFile()
    // Blocks are equally long: about as many rows will follow.
    file.ranges.reserveCapacity(piece.file.ranges.count * 17 / 16)
    swap(&file, &piece.file)
    waiting.insert(file, at: 0)
  }

  /// Gives out the next stretch, with all names so far; nil where none waits.
  ///
  /// A stretch that waits has no names: whoever else holds them makes them be copied when they grow.
  mutating func next(names: PlainRanges.Names) -> RangesFile? {
    guard var file = waiting.popLast() else { return nil }
    file.tagNames = names.tags.names
    file.anchorNames = names.anchors.names
    return file
  }

  /// Gives out all stretches to the end of `file`, without names, on `width` threads.
  mutating func move(to file: inout RangesFile, width: Int) {
    waiting.reverse()
    file.append(waiting, width: width)
    while var stretch = waiting.popLast() {
      stretch.removeAll()
      spare.append(stretch)
    }
  }
}
