/// Entries of tags into zones and exits from them; see `AsyncSequence.zoneEvents(in:)`.
public struct TagZoneEvents<Base: AsyncSequence, Tag: Hashable & Sendable>: AsyncSequence
where Base.Element == LiveEstimate<Tag> {
  /// A tag and its event.
  public typealias Element = (tag: Tag, event: PositionZoneEvent)

  let base: Base
  let zones: PositionZones

  /// Returns an iterator with its own zones.
  public func makeAsyncIterator() -> Iterator {
    Iterator(base: base.makeAsyncIterator(), zones: zones)
  }

  /// An iterator over events.
  public struct Iterator: AsyncIteratorProtocol {
    var base: Base.AsyncIterator
    let zones: PositionZones
    var tags: [Tag: PositionZones] = [:]
    var pending: [Element] = []

    /// Returns the next event; nil at the end of the estimates.
    public mutating func next() async throws -> Element? {
      while pending.isEmpty {
        guard let found = try await base.next() else { return nil }
        record(found)
      }
      return pending.removeFirst()
    }

    /// Returns the next event; nil at the end of the estimates.
    public mutating func next(
      isolation actor: isolated (any Actor)?
    ) async throws(Base.Failure) -> Element? {
      while pending.isEmpty {
        guard let found = try await base.next(isolation: actor) else { return nil }
        record(found)
      }
      return pending.removeFirst()
    }

    private mutating func record(_ found: LiveEstimate<Tag>) {
      let new = zones
      pending += tags[found.tag, default: new].update(found.estimate).map { (found.tag, $0) }
    }
  }
}

extension TagZoneEvents: Sendable where Base: Sendable {}
