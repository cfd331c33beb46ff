import Foundation
import Testing

@testable import FathomRecordings

@Suite struct SettingTests {
  /// Settings of which none has its default.
  private static var all: ProcessingSettings {
    var settings = ProcessingSettings()
    (settings.method, settings.rateHz, settings.epochWindowS) = (.smooth, 10, 0.5)
    (settings.heightM, settings.heightSigmaM, settings.side) = (1, 0.1, .below)
    (settings.boundsM, settings.zones) = ([[0, 0], [1, 1]], ZoneSettings(areas: []))
    (settings.smoothing, settings.rangeSigmaM, settings.rangeBiasM) = (.median, 0.3, 0.2)
    (settings.keptAnchors, settings.angleSigmaRad, settings.deviceFrame) = (["A"], 0.2, .robot)
    (settings.headingSigmaRad, settings.accelerationDensity) = (0.3, 2)
    settings.extraColumns = [.alternative]
    return settings
  }

  /// A summary has all settings side by side, and the table has their keys.
  @Test func everySettingIsInTheTableAndSurvivesJSON() throws {
    let text = Array(ResultWriter.json(Self.all, formatting: []).utf8)
    #expect(try SettingsText.processing(text) == Self.all)
    let object = try #require(
      JSONSerialization.jsonObject(with: Data(text)) as? [String: Any])
    let keys = Set(object.keys).subtracting(["range_sigma_is_given"])
    #expect(keys == Set(ProcessingSettings.table.map(\.key)))
    let facts = Set(TagFacts.CodingKeys.allCases.map(\.stringValue.inSnakeCase))
    #expect(facts.isSubset(of: keys))
  }

  /// The limits of a setting are the same in all files and, in its own unit, of an option.
  @Test func limitsAreTheSameAtEveryDoor() {
    for setting in ProcessingSettings.table where setting.key.hasSuffix("_m") {
      guard let limits = setting.limits, setting.option != "bounds" else { continue }
      for value in [limits.lowerBound, limits.upperBound, limits.upperBound * 1.001] {
        let height = setting.key == "height_m" ? "" : "\"height_m\": 1, "
        let text = Array("{\(height)\"\(setting.key)\": \(value)}".utf8)
        let isValid = limits.contains(value)
        #expect(((try? SettingsText.processing(text)) != nil) == isValid, "\(setting.key) \(value)")
        guard ["height_m", "height_sigma_m"].contains(setting.key) else { continue }
        let info = try? RecordingInfo(ByteSource(path: "recording.json", stored: text))
        #expect((info != nil) == isValid, "\(setting.key) \(value)")
      }
    }
  }

  @Test func messagesNameTheDoor() {
    var settings = ProcessingSettings()
    settings.headingSigmaRad = 4
    #expect(settings.fault(at: .keys) == "heading_sigma_rad must be from 1e-06 to 3.14159")
    #expect(settings.fault(at: .options) == "--heading-sigma must be from 5.72958e-05 to 180")
    settings.headingSigmaRad = 180 * Double.pi / 180
    #expect(settings.fault(at: .options) == nil)
    settings.boundsM = [[0, 0, .nan], [1, 1, 1]]
    #expect(settings.fault(at: .options)?.hasPrefix("--bounds must be the least x,y,z") == true)
    settings.boundsM = nil
    settings.rateHz = .nan
    #expect(settings.fault(at: .keys) == "rate_hz must be from 0.001 to 1000000")
  }

  @Test func optionsAreDistinct() {
    let options = ProcessingSettings.table.map(\.option)
    #expect(Set(options).count == options.count)
    let reading = RecordingOptions.table.map(\.option)
    #expect(Set(reading).count == reading.count)
    // Only the rate is an option of both: that of positions, and of epochs without times.
    #expect(Set(options).intersection(reading) == ["rate"])
  }
}
