import Foundation
import Testing

@testable import FathomReports

@Suite struct PaletteTests {
  /// Relative luminance of `#rrggbb` [WCAG 2.2].
  private func luminance(_ colour: String) throws -> Double {
    let number = try #require(Int(colour.dropFirst(), radix: 16))
    let parts = [16, 8, 0].map { shift in
      let value = Double((number >> shift) & 255) / 255
      return value <= 0.04045 ? value / 12.92 : pow((value + 0.055) / 1.055, 2.4)
    }
    return 0.2126 * parts[0] + 0.7152 * parts[1] + 0.0722 * parts[2]
  }

  private func contrast(_ left: String, _ right: String) throws -> Double {
    let values = [try luminance(left), try luminance(right)].sorted()
    return (values[1] + 0.05) / (values[0] + 0.05)
  }

  @Test func everyColourIdentifiesItsCase() {
    #expect(Set(Palette.allCases.map(\.light)).count == Palette.allCases.count)
  }

  /// Text has a contrast of at least 4.5 to 1, lines and signs of at least 2.2 to 1 (sky blue on
  /// white has the least).
  ///
  /// The levels of a map are areas and exempt.
  @Test(arguments: Palette.allCases.filter { !Palette.levels.contains($0) })
  func coloursContrastWithTheBackground(_ colour: Palette) throws {
    let least = [.ink, .muted].contains(colour) ? 4.5 : colour == .grid ? 1.2 : 2.2
    #expect(try contrast(colour.light, "#ffffff") >= least)
    #expect(try contrast(colour.dark, "#0d1117") >= least)
  }

  /// Successive levels are distinguishable: darker on a light background, lighter on a dark one.
  @Test func levelsAreMonotonic() throws {
    for (lower, upper) in zip(Palette.levels, Palette.levels.dropFirst()) {
      #expect(try luminance(lower.light) > luminance(upper.light))
      #expect(try luminance(lower.dark) < luminance(upper.dark))
      #expect(try contrast(lower.light, upper.light) >= 1.15)
      #expect(try contrast(lower.dark, upper.dark) >= 1.08)
    }
  }

  @Test func styleSheetContainsEveryColour() {
    let sheet = Palette.styleSheet(scope: "svg")
    for colour in Palette.allCases {
      #expect(sheet.contains("svg [stroke=\"\(colour.light)\"]{stroke:var(--\(colour.rawValue))}"))
      #expect(sheet.contains("--\(colour.rawValue):\(colour.dark)"))
    }
  }
}
