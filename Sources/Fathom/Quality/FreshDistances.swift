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
