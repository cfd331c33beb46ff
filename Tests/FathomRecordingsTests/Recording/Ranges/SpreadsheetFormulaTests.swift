import FathomRecordings
import Testing

@Suite struct SpreadsheetFormulaTests {
  @Test(arguments: ["=cmd()", "=", "@SUM(A1)", "+1+2", "-A1", "-1+2", "\t=1", "\r", "+x"])
  func detectsFormulas(_ name: String) {
    #expect(SpreadsheetFormula.isFormula(name))
  }

  @Test(arguments: ["", "A1", "1+2", "-1", "+2.5", "-1e3", "-", "+", "a=b", "'=1", " =1"])
  func namesAndNumbersAreNotFormulas(_ name: String) {
    #expect(!SpreadsheetFormula.isFormula(name))
  }

  @Test func noteListsFormulas() {
    #expect(SpreadsheetFormula.note(on: ["A", "-1"]) == nil)
    #expect(
      SpreadsheetFormula.note(on: ["A", "=1"])
        == "spreadsheets interpret these names as formulas: \"=1\"; import the results as text")
  }
}
