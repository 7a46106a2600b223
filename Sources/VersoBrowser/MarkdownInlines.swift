import VersoModel

/// The text within a block, as spans.
struct MarkdownInlines {
  private(set) var spans: [Span] = []
  private var style: Style
  private let base: Style
  private var depths: [MarkdownNode.Kind: Int] = [:]
  /// Where the text of links that are open begins.
  private var links: [Int] = []

  /// Reads a paragraph, a heading or a cell of a table.
  init(of block: MarkdownNode, _ style: Style = .init()) {
    (self.style, base) = (style, style)
    block.walk { node, isEntered in
      if node.pointer != block.pointer { take(node, isEntered) }
    }
  }

  private mutating func take(_ node: MarkdownNode, _ isEntered: Bool) {
    let kind = node.kind
    switch kind {
    case .text: add(node.literal, style)
    case .softBreak: spans.append(Span(" ", style))
    // The only line feed in a span: what is written is made safe.
    case .lineBreak: spans.append(Span("\n", style))
    case .code: add(node.literal, Style(.code, on: .code, style.marks))
    case .html: add(node.literal, Style(.html, on: style.ground, style.marks))
    // It is no leaf to cmark, and so ends as well.
    case .footnoteReference where isEntered:
      add("[^\(node.literal)]", Style(.link, on: style.ground))
    case .emphasis, .strong, .struck: change(kind, by: isEntered ? 1 : -1)
    case .link: isEntered ? openLink(kind) : closeLink(node)
    case .image: isEntered ? openImage() : closeImage(node)
    default: break
    }
  }

  private mutating func add(_ text: String, _ style: Style) {
    let safe = SafeText.text(text.replacing("\n", with: " ").replacing("\t", with: " "))
    if !safe.isEmpty { spans.append(Span(safe, style)) }
  }

  private mutating func change(_ kind: MarkdownNode.Kind, by step: Int) {
    depths[kind, default: 0] += step
    func has(_ kind: MarkdownNode.Kind) -> Bool { depths[kind, default: 0] > 0 }
    style = base
    if has(.link) { style.label = .link }
    if has(.image) { style.label = .image }
    if has(.emphasis) { style.marks.insert(.italic) }
    if has(.strong) { style.marks.insert(.bold) }
    if has(.struck) { style.marks.insert(.struck) }
  }

  // MARK: Links and images

  private mutating func openLink(_ kind: MarkdownNode.Kind) {
    links.append(spans.count)
    change(.link, by: 1)
  }

  private mutating func closeLink(_ node: MarkdownNode) {
    change(.link, by: -1)
    let start = links.popLast() ?? 0
    let text = spans[start...].map(\.text).joined()
    addAddress(node.address, unlessIn: text)
  }

  private mutating func openImage() {
    change(.image, by: 1)
    links.append(spans.count)
    spans.append(Span("[image: ", style))
  }

  private mutating func closeImage(_ node: MarkdownNode) {
    let start = links.popLast() ?? 0
    // Without a text there is no colon either.
    if spans.count == start + 1 { spans[start].text = "[image" }
    spans.append(Span("]", style))
    change(.image, by: -1)
    addAddress(node.address, unlessIn: "")
  }

  /// Shows where a link leads, unless its text says so already or it stays within the note.
  private mutating func addAddress(_ address: String, unlessIn text: String) {
    let safe = SafeText.text(address)
    let bare =
      ["mailto:", "https://", "http://"].first { safe.hasPrefix($0) }
      .map { safe.dropFirst($0.count) } ?? safe[...]
    guard !safe.isEmpty, !safe.hasPrefix("#"), text != safe, text != bare else { return }
    spans.append(Span(" <\(safe)>", Style(.address, on: base.ground)))
  }
}
