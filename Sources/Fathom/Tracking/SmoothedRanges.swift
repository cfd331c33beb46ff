/// Smoothed distances of links; see `AsyncSequence.smoothed(by:)`.
public struct SmoothedRanges<
  Base: AsyncSequence, Tag: Hashable & Sendable, Site: Hashable & Sendable,
  Smoother: DistanceSmoother
>: AsyncSequence where Base.Element == LiveRange<Tag, Site> {
  /// A link and its smoothed distance.
  public typealias Element = (tag: Tag, anchor: Site, distance: SmoothedDistance)

  let base: Base
  let makeSmoother: @Sendable () -> Smoother

  /// Returns an iterator with its own smoothers.
  public func makeAsyncIterator() -> Iterator {
    Iterator(base: base.makeAsyncIterator(), makeSmoother: makeSmoother)
  }

  /// The identifiers of a link.
  struct Link: Hashable, Sendable {
    var tag: Tag
    var anchor: Site
  }

  /// An iterator over smoothed distances.
  public struct Iterator: AsyncIteratorProtocol {
    var base: Base.AsyncIterator
    let makeSmoother: @Sendable () -> Smoother
    var smoothers: [Link: Smoother] = [:]

    /// Returns the next distance; nil at the end of the ranges.
    public mutating func next() async throws -> Element? {
      while let range = try await base.next() {
        if let found = smoothed(range) { return found }
      }
      return nil
    }

    /// Returns the next distance; nil at the end of the ranges.
    public mutating func next(
      isolation actor: isolated (any Actor)?
    ) async throws(Base.Failure) -> Element? {
      while let range = try await base.next(isolation: actor) {
        if let found = smoothed(range) { return found }
      }
      return nil
    }

    private mutating func smoothed(_ range: LiveRange<Tag, Site>) -> Element? {
      let link = Link(tag: range.tag, anchor: range.anchor)
      // Known first: the default value must not be made while the dictionary is accessed.
      if smoothers[link] == nil { smoothers[link] = makeSmoother() }
      let found = smoothers[link]?.update(range.distance, at: range.time)
      return found.map { (range.tag, range.anchor, $0) }
    }
  }
}

extension SmoothedRanges: Sendable where Base: Sendable {}
