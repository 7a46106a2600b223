import CMarkdown

/// A note as cmark-gfm reads it: CommonMark with tables, task lists, struck text, plain addresses and
/// footnotes.
///
/// Front matter, the lines between two lines of three hyphens at the start, is no Markdown and kept
/// apart.
package final class MarkdownDocument: @unchecked Sendable {
  // Unchecked: the tree is built before anyone else has this object and never changed afterwards;
  // cmark-gfm's functions for reading a node touch nothing else.
  let root: OpaquePointer?
  /// The lines of the front matter, hyphens included.
  let frontMatter: [UInt8]
  /// How many lines stand before what was parsed.
  let lineOffset: Int

  /// Reads a note; bytes that are not UTF-8 are replaced, nothing is an error.
  package init(_ note: [UInt8]) {
    let length = Self.frontMatterLength(note)
    frontMatter = Array(note[..<length])
    lineOffset = frontMatter.count { $0 == 0x0A }
    root = Self.parse(note[length...])
  }

  deinit { cmark_node_free(root) }

  private static let options = CMARK_OPT_VALIDATE_UTF8 | CMARK_OPT_FOOTNOTES

  private static func parse(_ text: ArraySlice<UInt8>) -> OpaquePointer? {
    cmark_gfm_core_extensions_ensure_registered()
    guard let parser = cmark_parser_new(Int32(options)) else { return nil }
    defer { cmark_parser_free(parser) }
    for name in ["table", "strikethrough", "autolink", "tasklist"] {
      guard let known = cmark_find_syntax_extension(name) else { continue }
      cmark_parser_attach_syntax_extension(parser, known)
    }
    text.withUnsafeBytes { bytes in
      cmark_parser_feed(
        parser, bytes.baseAddress?.assumingMemoryBound(to: CChar.self), bytes.count)
    }
    return cmark_parser_finish(parser)
  }

  /// The bytes up to and with the line that ends the front matter; 0 without one.
  private static func frontMatterLength(_ note: [UInt8]) -> Int {
    // What is longer is no front matter, but two rules far apart.
    let limit = min(note.count, 64 << 10)
    var position = 0
    var isFirst = true
    while position < limit {
      let end = note[position...].firstIndex(of: 0x0A).map { $0 + 1 } ?? note.count
      var line = note[position..<end]
      while let last = line.last, last == 0x0A || last == 0x0D || last == 0x20 {
        line = line.dropLast()
      }
      let isMark = line.elementsEqual("---".utf8) || !isFirst && line.elementsEqual("...".utf8)
      if isFirst, !isMark { return 0 }
      if !isFirst, isMark { return end }
      // A rule with text below is a rule: what follows a front matter's first line names a value.
      if position > 0, line.isEmpty, position <= 5 { return 0 }
      (isFirst, position) = (false, end)
    }
    return 0
  }
}

/// A node of a document, which must be kept meanwhile.
struct MarkdownNode {
  let pointer: OpaquePointer

  init?(_ pointer: OpaquePointer?) {
    guard let pointer else { return nil }
    self.pointer = pointer
  }

  enum Kind {
    case document, quote, list, item, task, codeBlock, htmlBlock, paragraph, heading, rule, footnote
    case table, tableRow, tableHeader, tableCell
    case text, softBreak, lineBreak, code, html, emphasis, strong, struck, link, image
    case footnoteReference, other
  }

  var kind: Kind {
    switch cmark_node_get_type(pointer) {
    case CMARK_NODE_DOCUMENT: .document
    case CMARK_NODE_BLOCK_QUOTE: .quote
    case CMARK_NODE_LIST: .list
    case CMARK_NODE_ITEM: name == "tasklist" ? .task : .item
    case CMARK_NODE_CODE_BLOCK: .codeBlock
    case CMARK_NODE_HTML_BLOCK: .htmlBlock
    case CMARK_NODE_PARAGRAPH: .paragraph
    case CMARK_NODE_HEADING: .heading
    case CMARK_NODE_THEMATIC_BREAK: .rule
    case CMARK_NODE_FOOTNOTE_DEFINITION: .footnote
    case CMARK_NODE_FOOTNOTE_REFERENCE: .footnoteReference
    case CMARK_NODE_TEXT: .text
    case CMARK_NODE_SOFTBREAK: .softBreak
    case CMARK_NODE_LINEBREAK: .lineBreak
    case CMARK_NODE_CODE: .code
    case CMARK_NODE_HTML_INLINE: .html
    case CMARK_NODE_EMPH: .emphasis
    case CMARK_NODE_STRONG: .strong
    case CMARK_NODE_LINK: .link
    case CMARK_NODE_IMAGE: .image
    default: extensionKind
    }
  }

  /// The types of extensions are numbered when these are registered, and known by their names.
  private var extensionKind: Kind {
    switch name {
    case "table": .table
    case "table_row": .tableRow
    case "table_header": .tableHeader
    case "table_cell": .tableCell
    case "strikethrough": .struck
    default: .other
    }
  }

  private var name: String { Self.text(cmark_node_get_type_string(pointer)) }

  var firstChild: MarkdownNode? { MarkdownNode(cmark_node_first_child(pointer)) }
  var next: MarkdownNode? { MarkdownNode(cmark_node_next(pointer)) }
  var literal: String { Self.text(cmark_node_get_literal(pointer)) }
  var address: String { Self.text(cmark_node_get_url(pointer)) }
  var line: Int { Int(cmark_node_get_start_line(pointer)) }
  var headingLevel: Int { Int(cmark_node_get_heading_level(pointer)) }
  var isTight: Bool { cmark_node_get_list_tight(pointer) != 0 }
  var isOrdered: Bool { cmark_node_get_list_type(pointer) == CMARK_ORDERED_LIST }
  var start: Int { Int(cmark_node_get_list_start(pointer)) }
  var hasParenthesis: Bool { cmark_node_get_list_delim(pointer) == CMARK_PAREN_DELIM }
  var isFenced: Bool {
    var (length, offset): (Int32, Int32) = (0, 0)
    var character = CChar(0)
    return cmark_node_get_fenced(pointer, &length, &offset, &character) != 0
  }
  var isChecked: Bool { cmark_gfm_extensions_get_tasklist_item_checked(pointer) }

  /// `l`, `c`, `r`, or 0 for each column of a table.
  var alignments: [UInt8] {
    let count = Int(cmark_gfm_extensions_get_table_columns(pointer))
    guard let values = cmark_gfm_extensions_get_table_alignments(pointer) else {
      return Array(repeating: 0, count: count)
    }
    return (0..<count).map { values[$0] }
  }

  /// This node and all below, each when it begins and those with children when they end.
  func walk(_ body: (MarkdownNode, _ isEntered: Bool) -> Void) {
    // cmark's own iterator needs no stack, however deep a hostile note is nested.
    let iterator = cmark_iter_new(pointer)
    defer { cmark_iter_free(iterator) }
    while true {
      let event = cmark_iter_next(iterator)
      guard event != CMARK_EVENT_DONE, let node = MarkdownNode(cmark_iter_get_node(iterator)) else {
        return
      }
      body(node, event == CMARK_EVENT_ENTER)
    }
  }

  private static func text(_ text: UnsafePointer<CChar>?) -> String {
    text.map { String(cString: $0) } ?? ""
  }
}
