import CMarkdown

/// The headings of a note, by cmark-gfm.
package struct MarkdownOutline: Hashable, Sendable {
  /// One heading.
  package struct Heading: Hashable, Sendable {
    /// 1 to 6.
    package let level: Int
    /// Its text without marks.
    package let text: String
    /// Number of its line, from 1.
    package let line: Int

    package init(level: Int, text: String, line: Int) {
      self.level = level
      self.text = text
      self.line = line
    }
  }

  package let headings: [Heading]

  /// Reads a note; text that is not valid UTF-8 is repaired, nothing is an error.
  package init(_ note: [UInt8]) {
    cmark_gfm_core_extensions_ensure_registered()
    var found: [Heading] = []
    let document = note.withUnsafeBytes { bytes in
      cmark_parse_document(
        bytes.baseAddress?.assumingMemoryBound(to: CChar.self), bytes.count,
        Int32(CMARK_OPT_VALIDATE_UTF8))
    }
    defer { cmark_node_free(document) }
    var node = document.flatMap { cmark_node_first_child($0) }
    while let block = node {
      if cmark_node_get_type(block) == CMARK_NODE_HEADING {
        found.append(
          Heading(
            level: Int(cmark_node_get_heading_level(block)), text: Self.text(of: block),
            line: Int(cmark_node_get_start_line(block))))
      }
      node = cmark_node_next(block)
    }
    headings = found
  }

  private static func text(of node: OpaquePointer) -> String {
    var text = ""
    let iterator = cmark_iter_new(node)
    defer { cmark_iter_free(iterator) }
    while cmark_iter_next(iterator) != CMARK_EVENT_DONE {
      guard let part = cmark_iter_get_node(iterator),
        let literal = cmark_node_get_literal(part)
      else { continue }
      text += String(cString: literal)
    }
    return text
  }
}
