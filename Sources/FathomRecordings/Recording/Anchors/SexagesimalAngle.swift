/// A latitude or longitude in degrees, minutes and seconds, as maps and receivers write it.
///
/// Examples: `52°30'10.2"N`, `N 52° 30.17'`, `-13 24 20`, `13.405 E`. Minutes and seconds are below 60.
struct SexagesimalAngle {
  /// The angle, degrees; negative to the south and to the west.
  let degrees: Double

  /// Reads `text`; nil if it is not such an angle.
  init?(_ text: String) {
    var numbers: [Double] = []
    var digits = ""
    var (isNegative, hemisphere) = (false, Character?.none)
    func isPart(_ character: Character) -> Bool {
      character.isASCII && character.isNumber || character == "."
    }
    for character in text + " " {
      if isPart(character) {
        digits.append(character)
        continue
      }
      if !digits.isEmpty {
        guard let number = Double(digits) else { return nil }
        numbers.append(number)
        digits = ""
      }
      switch character {
      case "-" where numbers.isEmpty && !isNegative: isNegative = true
      case "N", "S", "E", "W":
        if hemisphere != nil { return nil }
        hemisphere = character
      case "+", " ", "\t", "°", "º", "'", "′", "’", "\"", "″", "”", ":": break
      default: return nil
      }
    }
    guard (1...3).contains(numbers.count), numbers.dropFirst().allSatisfy({ $0 < 60 }),
      !(isNegative && hemisphere != nil)
    else { return nil }
    // Only the last of them can have a fraction.
    guard numbers.dropLast().allSatisfy({ $0 == $0.rounded() }) else { return nil }
    let size = numbers.reversed().reduce(0) { $0 / 60 + $1 }
    degrees = isNegative || hemisphere == "S" || hemisphere == "W" ? -size : size
  }
}
