import FathomEvaluation
import Testing

@testable import Fathom

@Suite struct LinkErrorsTests {
  @Test func everyLinkHasAPlaceOfItsOwnAndKeepsIt() {
    var links = LinkErrors(anchorCount: 30)
    var places: [Int: Int] = [:]
    for anchor in [7, 3, 29, 0, 12] {
      let (index, isNew) = links.place(of: anchor, at: instant(0))
      #expect(isNew)
      #expect(index >= 0 && index < TrackBelief.linkCapacity)
      #expect(!places.values.contains(index))
      places[anchor] = index
    }
    for (anchor, place) in places {
      let (index, isNew) = links.place(of: anchor, at: instant(1))
      #expect(index == place && !isNew)
    }
  }

  @Test func theLinkSilentForLongestGivesItsPlaceAway() {
    var links = LinkErrors(anchorCount: 20)
    var places: [Int] = []
    for anchor in 0..<16 {
      places.append(links.place(of: anchor, at: instant(Double(anchor))).index)
    }
    #expect(Set(places).count == 16)
    // Anchor 0 is heard of again, so that anchor 1 is the one to go.
    _ = links.place(of: 0, at: instant(16))
    let (index, isNew) = links.place(of: 16, at: instant(17))
    #expect(isNew && index == places[1])
    let back = links.place(of: 1, at: instant(18))
    #expect(back.isNew && back.index == places[2])
  }

  /// Against a plain list of who was heard of when.
  @Test func placesAreThoseOfTheSixteenHeardOfLast() {
    var generator = SeededGenerator(seed: 2121)
    var links = LinkErrors(anchorCount: 40)
    var recent: [(anchor: Int, place: Int)] = []
    for step in 0..<3000 {
      let anchor = Int(generator.uniform() * generator.uniform() * 40)
      let (index, isNew) = links.place(of: anchor, at: instant(0.01 * Double(step)))
      if let known = recent.firstIndex(where: { $0.anchor == anchor }) {
        #expect(!isNew && recent[known].place == index, "seed 2121, step \(step)")
        recent.remove(at: known)
      } else {
        #expect(isNew, "seed 2121, step \(step)")
        if recent.count == 16 {
          #expect(recent[0].place == index, "seed 2121, step \(step)")
          recent.removeFirst()
        }
        #expect(!recent.contains { $0.place == index }, "seed 2121, step \(step)")
      }
      recent.append((anchor, index))
    }
  }
}
