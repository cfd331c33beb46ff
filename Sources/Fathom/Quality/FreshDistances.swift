/// The part of a list of (time, distance) that can ever matter for "are at least `needed` left, and
/// which is the last?", when elements are removed by age and times come in any order.
///
/// Removal takes all elements before some instant. While times do not fall, those are the first of the
/// list, and only the last `needed` can ever matter: they are kept in a ring, at constant cost. Once a
/// time falls, ``FreshLayers`` takes over, until nothing is left.
struct FreshDistances: Sendable {
  /// A distance of the list.
  struct Element: Sendable {
    /// When the element was appended, seconds; infinity for NaN, which no removal reaches either.
    var time: Double
    var distance: Float
  }

  /// The last elements while times do not fall.
  private var ring: [Element]
  /// The slot of the oldest element.
  private var first = 0
  private var count = 0
  /// What matters since a time fell; nil while none has.
  private var layers: FreshLayers?

  /// An empty list; `needed` is at least 1.
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

  /// Removes every element whose time is less than `instant`; none where that is NaN.
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

  /// Goes over to layers, which hold what the ring does.
  @inline(never)
  private mutating func layOut() {
    var layers = FreshLayers(needed: ring.count)
    for index in 0..<count { layers.append(ring[slot(index)]) }
    self.layers = layers
  }
}

/// What ``FreshDistances`` keeps of a list whose times fall.
///
/// Removal takes all elements before some instant, so an element outlives another one that is not
/// older. Once an element has `needed` later ones in the list that are not older than it, it matters
/// no more: while it is there those are too, they are enough without it, and it is not the last. And
/// whoever is among the last `needed` survivors of a removal has fewer such successors, so that the
/// count of those kept reaches `needed` exactly when the count of all does.
///
/// The elements kept lie in layers by the number of successors that are not older. Within a layer
/// times fall strictly in list order: an element with a later, not older one in its layer would have
/// at least one successor more. So what is removed by age, and what a new element adds a successor to,
/// is the end of every layer. Each element moves at most `needed` times: amortised cost is constant,
/// for any order of times.
struct FreshLayers: Sendable {
  typealias Element = FreshDistances.Element

  private var layers: [[Element]]
  private var count = 0

  /// An empty list; `needed` is at least 1.
  init(needed: Int) { layers = Array(repeating: [], count: needed) }

  /// Whether no element is left.
  var isEmpty: Bool { count == 0 }

  /// Whether at least `needed` elements are left.
  var isEnough: Bool { count >= layers.count }

  /// The distance of the last element of the list.
  ///
  /// The last has no successors, so it lies in the first layer, and at its end.
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

  /// Removes every element whose time is less than `instant`; none where that is NaN.
  mutating func removeAll(before instant: Double) {
    for index in layers.indices {
      while let end = layers[index].last, end.time < instant {
        layers[index].removeLast()
        count -= 1
      }
    }
  }
}
