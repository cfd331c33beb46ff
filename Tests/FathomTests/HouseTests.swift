import Foundation
import TestSupport
import Testing

/// The rules for folders and dependencies, see CONTRIBUTING.md.
struct HouseTests {
  private let house: House

  init() throws {
    house = try House(sources: Reference.packageRoot.appending(path: "Sources"))
  }

  @Test func foldersDependOneWay() {
    #expect(house.folderCycles == [])
  }

  /// What is above uses what is below, and never the other way round.
  @Test func foldersDoNotUseTheFaceOfTheirParents() {
    for (folder, others) in house.folderDependencies {
      #expect(others.filter { folder.hasPrefix($0 + "/") } == [], "\(folder)")
    }
  }

  @Test func cyclesOfFilesAreSmallAndStayInOneFolder() {
    for cycle in house.fileCycles {
      #expect(cycle.count <= 7, "\(cycle.map(\.name))")
      #expect(Set(cycle.map(\.folder)).count == 1, "\(cycle.map(\.name))")
    }
  }

  @Test func foldersHoldAtMostSeventeenFiles() {
    #expect(house.folderSizes.count > 30)
    #expect(house.folderSizes.filter { $0.value > 17 } == [:])
  }

  @Test func pictureOfTheFoldersIsCurrent() throws {
    let file = Reference.packageRoot.appending(
      path: "Sources/Fathom/Fathom.docc/Resources/folders.svg")
    let svg = HousePicture(of: house).svg
    if ShownDocument.isRecording {
      try svg.write(to: file, atomically: true, encoding: .utf8)
    }
    #expect(
      try String(contentsOf: file, encoding: .utf8) == svg,
      "record it anew: make record-shown")
  }
}
