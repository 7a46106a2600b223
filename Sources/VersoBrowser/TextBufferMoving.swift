extension TextBuffer {
  /// A movement of the caret that needs no layout.
  package enum Movement: Sendable, CaseIterable {
    case left, right
    case wordLeft, wordRight
    case lineStart, lineEnd
    /// The first character of the line that is no blank, or its start where the caret is there.
    case indentation
    case documentStart, documentEnd
  }

  /// Moves the caret.
  ///
  /// - Parameter extending: Whether the selection grows or shrinks with it; without, it is dropped,
  ///   and a step to the side goes to its end on that side.
  package mutating func move(_ movement: Movement, extending: Bool = false) {
    if !extending, let selection, movement == .left || movement == .right {
      return place(movement == .left ? selection.lowerBound : selection.upperBound, false)
    }
    place(target(of: movement), extending)
  }

  /// Puts the caret at a grapheme.
  package mutating func move(to offset: Int, extending: Bool = false) {
    place(storage.boundary(atOrAfter: offset), extending)
  }

  mutating func place(_ offset: Int, _ extending: Bool) {
    history.seal()
    anchor = extending ? anchor ?? caret : nil
    caret = offset
    goal = nil
  }

  private func target(of movement: Movement) -> Int {
    let line = storage.content(ofLine: storage.line(at: caret))
    switch movement {
    case .left: return storage.boundary(before: caret)
    case .right: return storage.boundary(after: caret)
    case .wordLeft: return wordStart(before: caret)
    case .wordRight: return wordStart(after: caret)
    case .lineStart: return line.lowerBound
    case .lineEnd: return line.upperBound
    case .indentation:
      let head = storage.bytes(in: line.lowerBound..<min(line.upperBound, line.lowerBound + 4096))
      let blanks = head.prefix { $0 == 0x20 || $0 == 0x09 }.count
      let first = storage.boundary(atOrAfter: line.lowerBound + blanks)
      return caret == first ? line.lowerBound : first
    case .documentStart: return 0
    case .documentEnd: return count
    }
  }

  /// The start of the next word; a line's end is a place to stop at.
  func wordStart(after offset: Int) -> Int {
    let line = storage.content(ofLine: storage.line(at: offset))
    if offset >= line.upperBound { return storage.boundary(after: offset) }
    var at = offset
    var previous: TextCluster.WordClass?
    scan: while at < line.upperBound {
      let window = storage.bytes(in: at..<min(line.upperBound, at + 512))
      var clusters = TextCluster.all(in: window[...])
      // The last one of a window may go on behind it.
      if at + window.count < line.upperBound, clusters.count > 1 { clusters.removeLast() }
      for cluster in clusters {
        let next = cluster.wordClass
        if let previous, next != previous, next != .space { break scan }
        previous = next
        at += cluster.length
      }
    }
    return at
  }

  /// The start of the word before an offset; a line's start is a place to stop at.
  func wordStart(before offset: Int) -> Int {
    let line = storage.content(ofLine: storage.line(at: offset))
    if offset == line.lowerBound { return storage.boundary(before: offset) }
    var at = min(offset, line.upperBound)
    var word: TextCluster.WordClass?
    while at > line.lowerBound {
      let start = storage.boundary(before: at)
      let found = TextCluster.all(in: storage.bytes(in: start..<at)[...]).first?.wordClass ?? .space
      if let word, found != word { break }
      if found != .space { word = found }
      at = start
    }
    return at
  }
}
