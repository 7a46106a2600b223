import Testing
import VersoSplitView

@Suite struct WidthClassTests {
  @Test(arguments: [
    (0, WidthClass.compact), (59, .compact), (60, .medium), (79, .medium), (80, .wide),
    (400, .wide), (-1, .compact),
  ])
  func `a width belongs to one class`(width: Int, expected: WidthClass) {
    #expect(WidthClass(width: width) == expected)
  }

  @Test func `regular means medium or wide`() {
    #expect(WidthClass.allCases.filter(\.isRegular) == [.medium, .wide])
    #expect(WidthClass.compact < .medium && WidthClass.medium < .wide)
  }
}
