/// What `.git/info/exclude` says after Verso has set a directory up.
///
/// The lines name only litter that lives long; names that exist for a moment are caught by time, as
/// a note may be called `4913` too. They stand in a block of their own at the top of the file, so
/// that a user's own lines come later and win, and the block can be taken out again.
package enum DefaultExcludes {
  /// The first line of the block.
  package static let begin = "# verso: begin"
  /// The last line of the block.
  package static let end = "# verso: end"

  /// The block, a line each.
  package static let lines: [String] = [
    begin,
    "# Verso leaves these out of the history. Edit the list freely: it stays as you leave it.",
    "# Editors: swap, backup and lock files",
    ".*.sw?", "*~", ".#*", "\\#*#", "*.kate-swp", ".~lock.*#", "~$*", ".goutputstream-*",
    "*.vsctmp",
    "# Tools that synchronise",
    ".syncthing.*.tmp", "~syncthing~*", ".stfolder", ".stversions", ".dropbox", ".dropbox.cache",
    ".unison*",
    "# Downloads that are not complete",
    "*.part", "*.crdownload", "*.filepart",
    "# File systems and desktops",
    ".nfs*", ".fuse_hidden*", ".Trash-*", ".DS_Store", "Thumbs.db", "desktop.ini",
    "# Obsidian: window layout, cache and trash",
    ".obsidian/workspace*", ".obsidian/cache", ".trash/",
    end,
  ]

  /// Puts the block at the top of the file.
  ///
  /// - Parameter existing: The content of `info/exclude`; empty where there is none.
  /// - Returns: `existing` itself where it has the block, in whatever state: what a user took out of
  ///   the block stays out.
  package static func adding(to existing: [UInt8]) -> [UInt8] {
    // git skips a byte order mark only at the very start.
    let (mark, content) = splitting(existing)
    if rows(of: content).contains(where: { matches($0, begin) }) { return existing }
    return mark + Array((lines.joined(separator: "\n") + "\n").utf8) + content
  }

  /// Takes the block out and leaves everything else byte for byte.
  ///
  /// Where the end marker is gone, only lines that ``lines`` holds are removed after the first, so
  /// that nothing of a user's is taken along.
  ///
  /// - Parameter existing: The content of `info/exclude`.
  /// - Returns: `existing` itself where it has no block.
  package static func removing(from existing: [UInt8]) -> [UInt8] {
    let (mark, content) = splitting(existing)
    let rows = rows(of: content)
    var kept = Array(mark)
    var position = 0
    while position < rows.count {
      guard matches(rows[position], begin) else {
        kept += rows[position]
        position += 1
        continue
      }
      let rest = rows[(position + 1)...]
      if let last = rest.firstIndex(where: { matches($0, end) || matches($0, begin) }),
        matches(rows[last], end)
      {
        position = last + 1
      } else {
        position = rest.firstIndex { row in !lines.contains { matches(row, $0) } } ?? rows.count
      }
    }
    return kept
  }

  /// A byte order mark, or nothing, and the rest.
  private static func splitting(
    _ bytes: [UInt8]
  ) -> (mark: ArraySlice<UInt8>, content: ArraySlice<UInt8>) {
    let length = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0
    return (bytes[..<length], bytes[length...])
  }

  /// The lines of a file, each with its line end.
  private static func rows(of bytes: ArraySlice<UInt8>) -> [ArraySlice<UInt8>] {
    var rows: [ArraySlice<UInt8>] = []
    var rest = bytes
    while let newline = rest.firstIndex(of: UInt8(ascii: "\n")) {
      rows.append(rest[...newline])
      rest = rest[(newline + 1)...]
    }
    return rest.isEmpty ? rows : rows + [rest]
  }

  /// Whether a row is that line, its end and spaces before it aside.
  private static func matches(_ row: ArraySlice<UInt8>, _ line: String) -> Bool {
    var text = row
    while let last = text.last, [0x0A, 0x0D, 0x20, 0x09].contains(last) { text.removeLast() }
    return text.elementsEqual(line.utf8)
  }
}
