package import VersoModel

/// The patterns of one ignore file (gitignore(5)).
///
/// Cheap to copy. For each name only the patterns that its first or last byte lets come into
/// question are tried, the later ones first.
package struct IgnoreRules: Sendable {
  private let memory: IgnoreMemory
  let view: IgnoreView

  /// Reads an ignore file.
  ///
  /// Nothing is an error: a pattern that is malformed matches nothing, as in git. A byte order mark
  /// at the start and a carriage return at the end of a line are skipped.
  ///
  /// - Parameters:
  ///   - bytes: The content of the file.
  ///   - base: The folder that the patterns are relative to: the one that holds the `.gitignore`,
  ///     and the root for `info/exclude` and `core.excludesFile`.
  ///   - ignoringCase: Whether ASCII letters match regardless of case (`core.ignoreCase`).
  package init(parsing bytes: [UInt8], base: RelativePath, ignoringCase: Bool = false) {
    memory = IgnoreMemory(
      lines: Self.lines(of: bytes), base: base, ignoringCase: ignoringCase)
    view = memory.view
  }

  /// Makes rules of patterns that another file holds, such as `.gitattributes`.
  ///
  /// - Parameters:
  ///   - patterns: Each with the number that stands for it in ``lines(matching:in:isFolder:)``.
  ///   - base: The folder that the patterns are relative to.
  ///   - ignoringCase: Whether ASCII letters match regardless of case (`core.ignoreCase`).
  package init(
    patterns: [(text: ArraySlice<UInt8>, number: Int)], base: RelativePath, ignoringCase: Bool
  ) {
    memory = IgnoreMemory(lines: patterns, base: base, ignoringCase: ignoringCase)
    view = memory.view
  }

  /// Finds all lines whose pattern matches, negated or not.
  ///
  /// - Parameters:
  ///   - name: One component.
  ///   - folder: The folder that holds it, in or below that of the rules.
  ///   - isFolder: Whether `name` is a folder.
  /// - Returns: Numbers of lines, the last first.
  package func lines(
    matching name: ArraySlice<UInt8>, in folder: RelativePath, isFolder: Bool
  ) -> [Int] {
    withExtendedLifetime(memory) {
      name.withUnsafeBufferPointer { name in
        folder.bytes.withUnsafeBufferPointer { folder in
          view.allMatches(name, folder: folder, isFolder: isFolder)
        }
      }
    }
  }

  /// Whether the file has no patterns.
  package var isEmpty: Bool { view.patterns.isEmpty }

  private static func lines(of bytes: [UInt8]) -> [(text: ArraySlice<UInt8>, number: Int)] {
    let content = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? bytes[3...] : bytes[...]
    var lines: [(ArraySlice<UInt8>, Int)] = []
    let all = content.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
    for (index, raw) in all.enumerated() where raw.first != UInt8(ascii: "#") {
      var line = raw
      if line.last == UInt8(ascii: "\r") { line.removeLast() }
      // git reads lines as C strings.
      if let end = line.firstIndex(of: 0) { line = line[..<end] }
      line = trimmed(line)
      if !line.isEmpty { lines.append((line, index + 1)) }
    }
    return lines
  }

  /// Removes trailing spaces, but not one after a backslash, and no tabs, as in git.
  private static func trimmed(_ line: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
    var end = line.startIndex
    var position = line.startIndex
    while position < line.endIndex {
      let byte = line[position]
      if byte == UInt8(ascii: "\\") {
        // git leaves a line alone that ends in a lone backslash.
        if position + 1 == line.endIndex { return line }
        position += 1
      }
      position += 1
      if byte != UInt8(ascii: " ") { end = position }
    }
    return line[..<end]
  }
}

/// Owner of the memory behind an ``IgnoreView``.
///
/// Unchecked: the memory is written by nobody after `init`.
private final class IgnoreMemory: @unchecked Sendable {
  let view: IgnoreView
  private let patterns: UnsafeMutableBufferPointer<IgnorePattern>
  private let bytes: UnsafeMutableBufferPointer<UInt8>
  private let starts: UnsafeMutableBufferPointer<Int32>
  private let candidates: UnsafeMutableBufferPointer<Int32>

  init(
    lines: [(text: ArraySlice<UInt8>, number: Int)], base: RelativePath, ignoringCase: Bool
  ) {
    var text: [UInt8] = []
    var patterns: [IgnorePattern] = []
    var slots: [[Int32]] = Array(repeating: [], count: IgnoreView.slotCount)
    for line in lines {
      var pattern = IgnorePattern(line.text, number: line.number)
      let start = line.text.startIndex + Int(pattern.start)
      let body = line.text[start..<(start + Int(pattern.length))]
      let condition = IgnorePattern.condition(body, flags: pattern.flags)
      slots[IgnoreView.slot(of: condition, ignoringCase: ignoringCase)].append(
        Int32(patterns.count))
      pattern.start = Int32(text.count)
      text += body
      patterns.append(pattern)
    }
    var starts: [Int32] = [0]
    var candidates: [Int32] = []
    for slot in slots {
      candidates += slot.reversed()
      starts.append(Int32(candidates.count))
    }
    self.patterns = Self.copy(patterns)
    bytes = Self.copy(text)
    self.starts = Self.copy(starts)
    self.candidates = Self.copy(candidates)
    view = IgnoreView(
      patterns: UnsafeBufferPointer(self.patterns), bytes: UnsafeBufferPointer(bytes),
      starts: UnsafeBufferPointer(self.starts), candidates: UnsafeBufferPointer(self.candidates),
      baseLength: base.isRoot ? 0 : base.bytes.count + 1, ignoringCase: ignoringCase)
  }

  private static func copy<T: BitwiseCopyable>(_ array: [T]) -> UnsafeMutableBufferPointer<T> {
    let memory = UnsafeMutableBufferPointer<T>.allocate(capacity: array.count)
    _ = memory.initialize(from: array)
    return memory
  }

  deinit {
    patterns.deallocate()
    bytes.deallocate()
    starts.deallocate()
    candidates.deallocate()
  }
}
