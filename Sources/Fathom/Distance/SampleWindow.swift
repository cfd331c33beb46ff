/// The newest samples of a link, in order of arrival and in order of value.
///
/// Storage is allocated once. Inserting a sample costs time proportional to the capacity.
struct SampleWindow: Sendable {
  let capacity: Int
  private(set) var count = 0
  /// Values by slot; slots are filled from 0 and then reused cyclically.
  var values: [Double]
  private(set) var times: [Timestamp]
  private(set) var weights: [Double]
  /// The slots in ascending order of value, with equal values in order of arrival; `count` are
  /// valid.
  private var order: [Int]
  private var next = 0

  init(capacity: Int) {
    precondition(capacity >= 1, "the capacity is less than 1")
    self.capacity = capacity
    values = Array(repeating: 0, count: capacity)
    times = Array(repeating: Timestamp(nanoseconds: 0), count: capacity)
    weights = Array(repeating: 0, count: capacity)
    order = Array(repeating: 0, count: capacity)
  }

  mutating func removeAll() {
    count = 0
    next = 0
  }

  /// Inserts a sample, replacing the oldest one in a full window, and returns its slot.
  @discardableResult
  mutating func insert(_ value: Double, at time: Timestamp, weight: Double = 1) -> Int {
    let slot = next
    if count == capacity { removeFromOrder(slot) }
    values[slot] = value
    times[slot] = time
    weights[slot] = weight
    var place = count
    while place > 0, values[order[place - 1]] > value {
      order[place] = order[place - 1]
      place -= 1
    }
    order[place] = slot
    count += 1
    next = slot + 1 == capacity ? 0 : slot + 1
    return slot
  }

  private mutating func removeFromOrder(_ slot: Int) {
    count -= 1
    var place = 0
    while order[place] != slot { place += 1 }
    while place < count {
      order[place] = order[place + 1]
      place += 1
    }
  }

  /// Restores the order after changes to `values` by insertion sort, which is fast for nearly
  /// sorted data.
  mutating func restoreOrder() {
    for end in 0..<count {
      let slot = order[end]
      var place = end
      while place > 0, values[order[place - 1]] > values[slot] {
        order[place] = order[place - 1]
        place -= 1
      }
      order[place] = slot
    }
  }

  /// Returns the slot of the sample at `rank` in ascending order.
  func slot(rank: Int) -> Int { order[rank] }

  private func sorted(_ rank: Int) -> Double { values[order[rank]] }

  /// The median of the values, or the mean of the two middle ones; the window must not be empty.
  var median: Double {
    let low = sorted((count - 1) / 2)
    return low + (sorted(count / 2) - low) / 2
  }

  /// Returns the seconds from the median time of the window to `now`; the window must not be empty.
  ///
  /// The median of a distance that changes at a constant rate is its value at this instant.
  func medianAge(at now: Timestamp) -> Double {
    let oldest = count < capacity ? 0 : next
    let low = times[(oldest + (count - 1) / 2) % capacity]
    let high = times[(oldest + count / 2) % capacity]
    return now.seconds(since: high) + high.seconds(since: low) / 2
  }

  /// Returns the median absolute deviation from `center`, the median; the window must not be empty.
  ///
  /// In sorted order the deviations grow from the middle outwards. Merging both sides yields them
  /// in ascending order without further storage.
  func medianDeviation(from center: Double) -> Double {
    var right = 0
    while right < count, sorted(right) < center { right += 1 }
    var left = right - 1
    var low = 0.0
    var high = 0.0
    for rank in 0...count / 2 {
      let below = left >= 0 ? center - sorted(left) : .infinity
      let above = right < count ? sorted(right) - center : .infinity
      if below <= above { left -= 1 } else { right += 1 }
      low = rank <= (count - 1) / 2 ? min(below, above) : low
      high = min(below, above)
    }
    return low + (high - low) / 2
  }
}
