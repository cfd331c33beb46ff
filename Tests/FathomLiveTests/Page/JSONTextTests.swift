import Fathom
import Foundation
import Testing

@testable import FathomLive

@Suite struct JSONTextTests {
  @Test func numbersHaveFewDigits() {
    for (value, digits, text) in [
      (1.0, 3, "1"), (-0.0005, 3, "-0.001"), (0.05, 2, "0.05"), (-12.3456, 2, "-12.35"),
      (.nan, 3, "null"), (.infinity, 3, "null"), (1e300, 3, "null"), (2.5, 0, "3"), (0, 3, "0"),
    ] { #expect(JSONText.number(value, digits: digits) == text) }
  }

  @Test func namesOfRadiosAreEscaped() throws {
    let name = "a\"b\\c\n\u{2028}</script>\u{1}ü"
    var json = JSONText()
    json.object {
      $0.add("n", name)
      $0.array("list") { list in
        list.element("x")
        list.element { $0.add("v", Vector<3>(repeating: .nan), digits: 2) }
      }
      $0.add("after", 1, digits: 0)
    }
    #expect(!json.text.contains("\n"))
    let object = try #require(
      try JSONSerialization.jsonObject(with: Data(json.text.utf8)) as? [String: Any])
    #expect(object["n"] as? String == name)
    #expect((object["list"] as? [Any])?.count == 2)
  }
}
