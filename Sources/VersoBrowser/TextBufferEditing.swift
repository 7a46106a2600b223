extension TextBuffer {
  /// The one way in which text changes by hand.
  private mutating func replace(
    _ range: Range<Int>, with new: [UInt8], _ kind: TextHistory.Kind, at time: Double
  ) {
    if range.isEmpty, new.isEmpty { return }
    let before = TextHistory.Place(caret: caret, anchor: anchor)
    let edit = TextHistory.Edit(
      offset: range.lowerBound, removed: storage.bytes(in: range), inserted: new)
    storage.replace(range, with: new)
    // What is typed before a combining mark joins it: the caret goes behind both.
    caret = storage.boundary(atOrAfter: range.lowerBound + new.count)
    anchor = nil
    goal = nil
    history.record(
      edit, kind, before, .init(caret: caret, anchor: nil), at: time)
  }

  /// Types text in place of the selection. What follows within a second, with no movement between, is
  /// one step of undo.
  ///
  /// - Parameter time: Seconds from any fixed moment.
  package mutating func type(_ text: String, at time: Double) {
    let new = Array(text.utf8)
    if let selection {
      replace(selection, with: new, .other, at: time)
    } else {
      replace(gap, with: new, .typing, at: time)
    }
  }

  /// Where text comes without a selection. Nothing is put before a byte order mark, which could not be
  /// seen there: it is one at the very start only.
  private var gap: Range<Int> {
    let mark: [UInt8] = [0xEF, 0xBB, 0xBF]
    let isBeforeMark =
      caret == 0 && count >= mark.count && storage.bytes(in: 0..<mark.count) == mark
    return isBeforeMark ? mark.count..<mark.count : caret..<caret
  }

  /// Starts a new line, indented as the present one is up to the caret.
  package mutating func newline(indenting: Bool = true, at time: Double) {
    let start = storage.start(ofLine: storage.line(at: selection?.lowerBound ?? caret))
    let before = storage.bytes(in: start..<(selection?.lowerBound ?? caret))
    let blanks = indenting ? before.prefix { $0 == 0x20 || $0 == 0x09 } : []
    if let selection {
      replace(selection, with: lineEnding + blanks, .other, at: time)
    } else {
      replace(gap, with: lineEnding + blanks, .typing, at: time)
    }
  }

  /// Puts text in place of the selection, as one step of undo; its line ends become those of the text.
  package mutating func paste(_ bytes: [UInt8], at time: Double) {
    replace(selection ?? gap, with: adapted(bytes), .other, at: time)
  }

  /// A terminal sends a carriage return for each line's end, other programs what they like.
  private func adapted(_ bytes: [UInt8]) -> [UInt8] {
    let (feed, carriage) = (TextStorage.feed, TextStorage.carriageReturn)
    if !bytes.contains(carriage), lineEnding == [feed] { return bytes }
    var adapted: [UInt8] = []
    adapted.reserveCapacity(bytes.count + bytes.count / 16)
    for (at, byte) in bytes.enumerated() {
      switch byte {
      case carriage: adapted += lineEnding
      case feed: if at == 0 || bytes[at - 1] != carriage { adapted += lineEnding }
      default: adapted.append(byte)
      }
    }
    return adapted
  }

  /// Deletes the selection, or else the grapheme before the caret.
  package mutating func deleteBackward(at time: Double) {
    if let selection { return replace(selection, with: [], .other, at: time) }
    replace(storage.boundary(before: caret)..<caret, with: [], .backspace, at: time)
  }

  /// Deletes the selection, or else the grapheme after the caret.
  package mutating func deleteForward(at time: Double) {
    if let selection { return replace(selection, with: [], .other, at: time) }
    replace(caret..<storage.boundary(after: caret), with: [], .deletion, at: time)
  }

  /// Deletes the selection, or else back to the start of a word.
  package mutating func deleteWordBackward(at time: Double) {
    if let selection { return replace(selection, with: [], .other, at: time) }
    replace(wordStart(before: caret)..<caret, with: [], .other, at: time)
  }

  /// Deletes the selection, or else on to the start of the next word.
  package mutating func deleteWordForward(at time: Double) {
    if let selection { return replace(selection, with: [], .other, at: time) }
    replace(caret..<wordStart(after: caret), with: [], .other, at: time)
  }

  /// Deletes what is left of the line, or, at its end, the end.
  ///
  /// - Returns: What was deleted, to be kept for a paste.
  @discardableResult
  package mutating func killLine(at time: Double) -> [UInt8] {
    let line = storage.content(ofLine: storage.line(at: caret))
    let end = caret < line.upperBound ? line.upperBound : storage.boundary(after: caret)
    let killed = storage.bytes(in: caret..<end)
    replace(caret..<end, with: [], .other, at: time)
    anchor = nil
    return killed
  }

  /// Deletes the selection.
  ///
  /// - Returns: What was deleted.
  @discardableResult
  package mutating func cut(at time: Double) -> [UInt8] {
    let cut = selectedBytes
    if let selection { replace(selection, with: [], .other, at: time) }
    return cut
  }

  /// Replaces any range, as one step of undo; both ends are moved to graphemes.
  package mutating func replace(_ range: Range<Int>, with new: [UInt8], at time: Double) {
    let range = range.clamped(to: 0..<count)
    let low = storage.boundary(atOrAfter: range.lowerBound)
    replace(
      low..<max(low, storage.boundary(atOrAfter: range.upperBound)), with: new, .other, at: time)
  }

  /// Takes the file as somebody else has written it: the caret keeps its line and its grapheme as far as
  /// there are such, and there is nothing to undo.
  package mutating func reload(_ bytes: [UInt8]) {
    let (line, character) = position
    self = TextBuffer(bytes)
    let content = storage.content(ofLine: min(line, storage.feedCount))
    caret = content.lowerBound
    for cluster in TextCluster.all(in: storage.bytes(in: content)[...]).prefix(character) {
      caret += cluster.length
    }
  }
}
