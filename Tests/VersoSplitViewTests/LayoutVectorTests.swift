import Testing
import VersoSplitView

@Suite struct LayoutVectorTests {
  @Test(arguments: LayoutVector.all)
  func `a given input has the given layout`(vector: LayoutVector) throws {
    #expect(vector.lines(of: Layout(try vector.request())) == vector.expected)
  }

  @Test func `there are 49 given layouts`() {
    #expect(LayoutVector.all.map(\.number) == Array(1...49))
    #expect(LayoutVector.all.allSatisfy { $0.expected.count >= 1 && !$0.input.isEmpty })
  }
}

/// One given layout.
struct LayoutVector: Sendable, CustomTestStringConvertible {
  let number: Int
  let label: String
  let input: [String]
  let expected: [String]
  var testDescription: String { "\(number) \(label)" }

  /// All that stand in ``LayoutVectors/text``.
  static let all: [LayoutVector] = {
    var blocks: [[Substring]] = []
    for line in LayoutVectors.text.split(separator: "\n") {
      if line.hasPrefix(" ") {
        blocks[blocks.count - 1].append(line.drop { $0 == " " })
      } else {
        blocks.append([line])
      }
    }
    return blocks.map(LayoutVector.init)
  }()

  private init(_ block: [Substring]) {
    let head = block[0].split(separator: " ", maxSplits: 1)
    number = Int(head[0]) ?? 0
    label = String(head[1])
    input = block[1].split(separator: " ").map(String.init)
    expected = block.dropFirst(2).map(String.init)
  }

  struct Unknown: Error { let word: String }

  func request() throws -> LayoutRequest {
    var request = LayoutRequest()
    for word in input { try apply(word, to: &request) }
    return request
  }

  private func apply(_ word: String, to request: inout LayoutRequest) throws {
    let parts = word.split(separator: "=").map(String.init)
    switch (parts[0], parts.count == 2 ? parts[1] : nil) {
    case ("triple", nil): request.configuration.preset = .triple
    case ("double", nil): request.configuration.preset = .double
    case ("normal", nil): request.configuration.style = .normal
    case ("sticky", nil): request.configuration.style = .sticky
    case ("drawer", nil): request.configuration.style = .drawer
    case ("none", nil): request.deepest = .primary
    case ("folder", nil): request.deepest = .supplementary
    case ("file", nil): request.deepest = .secondary
    case ("shown", nil): request.sidebarHidden = false
    case ("hidden", nil): request.sidebarHidden = true
    case ("presented", nil): request.isPresented = true
    case ("rtl", nil): request.configuration.direction = .rightToLeft
    case ("edge", "trailing"?): request.configuration.edge = .trailing
    case ("dims", let value?): request.configuration.dimsSecondary = value == "yes"
    case ("pWidth", let value?): request.configuration.widths.primary.cells = Int(value)
    case ("sWidth", let value?): request.configuration.widths.supplementary.cells = Int(value)
    case ("mode", let value?):
      request.preferredMode = try #require(DisplayMode(rawValue: value))
    default: request.size = try size(word)
    }
  }

  private func size(_ word: String) throws -> CellSize {
    let numbers = word.split(separator: "x").compactMap { Int($0) }
    guard numbers.count == 2 else { throw Unknown(word: word) }
    return CellSize(width: numbers[0], height: numbers[1])
  }

  /// A layout in the form in which it is given.
  func lines(of layout: Layout) -> [String] {
    let dividers = layout.dividers.map { "\($0.x)" }.joined(separator: ",")
    let head = [
      layout.widthClass.map { "\($0)" } ?? "tooSmall", layout.mode.rawValue,
      layout.isCollapsed ? "collapsed" : "-", "top=\(layout.top.map { "\($0)" } ?? "-")",
      "button=\(layout.showsSidebarButton ? "yes" : "no")",
      "dividers=\(dividers.isEmpty ? "-" : dividers)",
    ]
    return [head.joined(separator: " ")]
      + Column.allCases.compactMap { column in layout[column].map { line(of: column, $0) } }
  }

  private func line(of column: Column, _ placement: Layout.Placement) -> String {
    let frame = placement.frame
    let dim = placement.dim == 0 ? "0" : "\(placement.dim)"
    return "\(column) \(frame.x),\(frame.y) \(frame.width)x\(frame.height)"
      + " \(placement.isVisible ? "visible" : "hidden") dim=\(dim) z=\(placement.z)"
      + " \(placement.isInteractive ? "live" : "inert")"
  }
}
