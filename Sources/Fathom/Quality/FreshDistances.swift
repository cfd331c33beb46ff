/// A compact form of a list of (time, distance) from which elements are removed by age.
///
/// It answers two questions: are at least `needed` elements left, and which is the last one? It
/// keeps only the elements that can affect the answers, for times in any order.
///
/// A removal removes all elements before some instant. While times do not decrease, these are the
/// first of the list, and only the last `needed` elements matter: a ring keeps them at constant
/// cost. After a time decreases, ``FreshLayers`` keeps the elements until the list is empty.
struct FreshDistances: Sendable {
  /// An element of the list.
  struct Element: Sendable {
    /// The time of appending, in seconds; infinity for NaN, since no removal reaches either.
    var time: Double
    var distance: Float
  }

  /// The last elements while times do not decrease.
  private var ring: [Element]
  /// The slot of the oldest element.
  private var first = 0
  private var count = 0
  /// The elements that matter after a time has decreased; nil before.
  private var layers: FreshLayers?

  /// Creates an empty list; `needed` is at least 1.
  init(needed: Int) {
    ring = Array(repeating: Element(time: 0, distance: 0), count: needed)
  }

  /// Whether at least `needed` elements are left.
  @inline(__always)
  var isEnough: Bool { layers?.isEnough ?? (count == ring.count) }

  /// The distance of the last element of the list.
  @inline(__always)
  var last: Float? {
    if let layers { return layers.last }
    return count > 0 ? ring[slot(count - 1)].distance : nil
  }

  @inline(__always)
  mutating func append(_ distance: Float, at time: Double) {
    let element = Element(time: time.isNaN ? .infinity : time, distance: distance)
    if layers == nil {
      if count == 0 || ring[slot(count - 1)].time <= element.time {
        if count == ring.count {
          ring[first] = element
          first = slot(1)
        } else {
          ring[slot(count)] = element
          count += 1
        }
        return
      }
      layOut()
    }
    layers?.append(element)
  }

  /// Removes every element whose time is less than `instant`; none if `instant` is NaN.
  @inline(__always)
  mutating func removeAll(before instant: Double) {
    if layers != nil {
      layers?.removeAll(before: instant)
      if layers?.isEmpty == true { removeAll() }
      return
    }
    while count > 0, ring[first].time < instant {
      first = slot(1)
      count -= 1
    }
  }

  mutating func removeAll() {
    layers = nil
    count = 0
  }

  /// The slot of the element at `index`, counted from the oldest.
  @inline(__always)
  private func slot(_ index: Int) -> Int {
    let slot = first + index
    return slot < ring.count ? slot : slot - ring.count
  }

  /// Moves the elements from the ring to layers.
  @inline(never)
  private mutating func layOut() {
    var layers = FreshLayers(needed: ring.count)
    for index in 0..<count { layers.append(ring[slot(index)]) }
    self.layers = layers
  }
}

/// The elements that ``FreshDistances`` keeps of a list whose times decrease.
///
/// A removal removes all elements before some instant, so an element outlives every older one. An
/// element with `needed` later elements that are not older has become irrelevant: while it is in
/// the list, those are too; they are enough without it, and it is not the last. Each of the last
/// `needed` survivors of a removal has fewer such successors. The count of kept elements therefore
/// reaches `needed` exactly when the count of all elements does.
///
/// Layers group the kept elements by their number of successors that are not older. Within a layer
/// times decrease strictly in list order: an element with a later, not older one in its layer would
/// have at least one successor more. Both the elements removed by age and the elements that gain a
/// successor are therefore at the end of every layer. Each element moves at most `needed` times, so
/// the amortised cost is constant for any order of times.
struct FreshLayers: Sendable {
  typealias Element = FreshDistances.Element

  private var layers: [[Element]]
  private var count = 0

  /// Creates an empty list; `needed` is at least 1.
  init(needed: Int) { layers = Array(repeating: [], count: needed) }

  /// Whether no element is left.
  var isEmpty: Bool { count == 0 }

  /// Whether at least `needed` elements are left.
  var isEnough: Bool { count >= layers.count }

  /// The distance of the last element of the list.
  ///
  /// The last element has no successors, so it is at the end of the first layer.
  var last: Float? { layers[0].last?.distance }

  mutating func append(_ element: Element) {
    for index in layers.indices.reversed() {
      var start = layers[index].count
      while start > 0, layers[index][start - 1].time <= element.time { start -= 1 }
      let moved = layers[index].count - start
      guard moved > 0 else { continue }
      if index + 1 < layers.count {
        for place in start..<start + moved { layers[index + 1].append(layers[index][place]) }
      } else {
        count -= moved
      }
      layers[index].removeLast(moved)
    }
    layers[0].append(element)
    count += 1
  }

  /// Removes every element whose time is less than `instant`; none if `instant` is NaN.
  mutating func removeAll(before instant: Double) {
    for index in layers.indices {
      while let end = layers[index].last, end.time < instant {
        layers[index].removeLast()
        count -= 1
      }
    }
  }
}
