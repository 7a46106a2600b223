import CGit2
import Glibc

/// The lines in which two texts differ, found by the library's copy of git's own algorithm.
package struct TextDifference: Hashable, Sendable {
  /// A line of a hunk.
  package struct Line: Hashable, Sendable {
    /// Where the line stands.
    ///
    /// Raw values are the marks of a unified diff.
    package enum Origin: UInt8, Sendable {
      case context = 0x20
      case removed = 0x2D
      case added = 0x2B
    }

    package let origin: Origin
    /// The line with the newline that ends it; the last line of a text may have none.
    package let content: [UInt8]
    /// The line's number in the old text, from 1; `nil` for an added line.
    package let oldNumber: Int?
    /// The line's number in the new text, from 1; `nil` for a removed line.
    package let newNumber: Int?
  }

  /// Changes that stand close together, with the unchanged lines around them.
  package struct Hunk: Hashable, Sendable {
    /// Number of the first line in the old text, from 1; where none is taken, the line before.
    package let oldStart: Int
    package let oldCount: Int
    package let newStart: Int
    package let newCount: Int
    /// The line that git prints: `@@ -1,3 +1,4 @@ heading`, with its newline.
    package let header: [UInt8]
    package let lines: [Line]
  }

  /// Lines `old` became lines `new`; numbers from 0, either range may be empty.
  package struct Region: Hashable, Sendable {
    package let old: Range<Int>
    package let new: Range<Int>

    package init(old: Range<Int>, new: Range<Int>) {
      self.old = old
      self.new = new
    }
  }

  package let hunks: [Hunk]

  /// Compares two texts, with that many unchanged lines around each change.
  ///
  /// Bytes are compared, so a changed line ending is a changed line.
  package init(from old: [UInt8], to new: [UInt8], context: Int = 3) throws(GitError) {
    let context = max(0, context)
    hunks = try Self.withPatch(old, new, context: UInt32(clamping: context)) {
      (patch) throws(GitError) in
      var hunks: [Hunk] = []
      for number in 0..<git_patch_num_hunks(patch) {
        hunks.append(try Self.hunk(number, of: patch))
      }
      return hunks
    }
  }

  /// The changed regions alone, in order; what lies between them is equal.
  package static func regions(from old: [UInt8], to new: [UInt8]) throws(GitError) -> [Region] {
    try withPatch(old, new, context: 0) { (patch) throws(GitError) in
      var regions: [Region] = []
      for number in 0..<git_patch_num_hunks(patch) {
        var raw: UnsafePointer<git_diff_hunk>?
        try GitError.check(git_patch_get_hunk(&raw, nil, patch, number), "git_patch_get_hunk")
        guard let hunk = raw?.pointee else { continue }
        regions.append(
          Region(
            old: range(hunk.old_start, hunk.old_lines), new: range(hunk.new_start, hunk.new_lines)))
      }
      return regions
    }
  }

  /// Whether git takes content for binary: a NUL among its first 8,000 bytes.
  package static func isBinary(_ content: [UInt8]) -> Bool {
    content.withUnsafeBytes { bytes in
      guard let base = bytes.baseAddress else { return false }
      return memchr(base, 0, min(bytes.count, 8000)) != nil
    }
  }

  /// A hunk without lines names the line before it.
  private static func range(_ start: Int32, _ count: Int32) -> Range<Int> {
    let first = count == 0 ? Int(start) : Int(start) - 1
    return first..<(first + Int(count))
  }

  private static func withPatch<Result>(
    _ old: [UInt8], _ new: [UInt8], context: UInt32,
    _ body: (OpaquePointer) throws(GitError) -> Result
  ) throws(GitError) -> Result {
    try Repository.start()
    var options = git_diff_options()
    git_diff_options_init(&options, UInt32(GIT_DIFF_OPTIONS_VERSION))
    options.flags = GIT_DIFF_FORCE_TEXT.rawValue | GIT_DIFF_INDENT_HEURISTIC.rawValue
    options.context_lines = context
    options.max_size = -1
    // The patch points into the texts, so it must be done with before they go.
    return try old.withUnsafeBufferPointer { (old) throws(GitError) in
      try new.withUnsafeBufferPointer { (new) throws(GitError) in
        let patch = try Handle("git_patch_from_buffers", free: git_patch_free) {
          git_patch_from_buffers(
            &$0, old.baseAddress, old.count, nil, new.baseAddress, new.count, nil, &options)
        }
        return try body(patch.pointer)
      }
    }
  }

  private static func hunk(_ number: Int, of patch: OpaquePointer) throws(GitError) -> Hunk {
    var raw: UnsafePointer<git_diff_hunk>?
    var count = 0
    try GitError.check(git_patch_get_hunk(&raw, &count, patch, number), "git_patch_get_hunk")
    guard let hunk = raw?.pointee else { preconditionFailure("a hunk that is there has values") }
    var lines: [Line] = []
    lines.reserveCapacity(count)
    for index in 0..<count {
      var line: UnsafePointer<git_diff_line>?
      try GitError.check(
        git_patch_get_line_in_hunk(&line, patch, number, index), "git_patch_get_line_in_hunk")
      // Other origins say that a newline is missing, which the content shows too.
      guard let line = line?.pointee else { continue }
      let mark = UInt8(bitPattern: line.origin)
      if let origin = Line.Origin(rawValue: mark) { lines.append(Line(line, origin)) }
    }
    let header = withUnsafeBytes(of: hunk.header) { Array($0.prefix(hunk.header_len)) }
    return Hunk(
      oldStart: Int(hunk.old_start), oldCount: Int(hunk.old_lines),
      newStart: Int(hunk.new_start), newCount: Int(hunk.new_lines), header: trimmed(header),
      lines: lines)
  }

  /// A hunk's header with its heading as git cuts it: at 80 bytes, then spaces at its end, then half
  /// a character; the library leaves the spaces.
  ///
  /// A heading that is 1 to 3 bytes short lost half a character, and git leaves a space before that.
  private static func trimmed(_ header: [UInt8]) -> [UInt8] {
    let mark = Array(" @@ ".utf8)
    guard let start = header.indices.first(where: { header[$0...].starts(with: mark) }) else {
      return header
    }
    var heading = header[(start + mark.count)...]
    if heading.last == 0x0A { heading.removeLast() }
    if 77...79 ~= heading.count { return header }
    while heading.last == 0x20 || heading.last == 0x09 { heading.removeLast() }
    return header[..<heading.startIndex] + heading + [0x0A]
  }
}

extension TextDifference.Line {
  fileprivate init(_ line: git_diff_line, _ origin: Origin) {
    self.init(
      origin: origin,
      content: Array(UnsafeRawBufferPointer(start: line.content, count: line.content_len)),
      oldNumber: line.old_lineno > 0 ? Int(line.old_lineno) : nil,
      newNumber: line.new_lineno > 0 ? Int(line.new_lineno) : nil)
  }
}
