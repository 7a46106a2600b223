/// Turns the bytes that a terminal sends into events.
///
/// ncurses is not asked to do this: of a sequence that it does not know it hands out the bytes one by
/// one, which then act as keys, it gives pasted text away a key at a time, and it reads what is no
/// ASCII by the locale of the process. Which sequences a terminal's keys send is still taken from the
/// database; all others are those of ECMA-48 and xterm, and what is unknown is swallowed whole.
package struct InputDecoder: Sendable {
  /// A lone escape byte is the key when nothing follows it for so long.
  package static let escapeWait = Duration.milliseconds(25)
  /// A sequence that is not finished by then is dropped.
  static let sequenceWait = Duration.milliseconds(500)
  /// Pasted text whose end mark is lost is handed over when nothing follows for so long.
  static let pasteWait = Duration.seconds(5)
  /// Longer pastes are handed over in parts.
  static let longestPaste = 16 << 20
  /// What is longer is no sequence of a terminal; its bytes are dropped as they come.
  static let longestSequence = 4096

  private let known: [[UInt8]: KeyEvent]
  private var state = State.ground
  private var pending: [UInt8] = []
  private var paste: [UInt8] = []
  private var lastByte: Duration = .zero
  private var events: [ScreenEvent] = []
  /// When an escape byte was taken for the key, lest the rest of its sequence comes late.
  private var lateSince: Duration?

  enum State: Hashable, Sendable {
    /// Text.
    case ground
    case escape
    /// After `ESC [`, and after `ESC O`.
    case control, single
    /// After `ESC [ M`: three bytes of an old mouse report, and `ESC [ [`: one of a Linux console.
    case oldMouse, console
    /// A string that ST or BEL ends, and an escape byte within it.
    case string, stringEscape
    case paste
  }

  /// - Parameter known: The sequences that this terminal's keys send, by the terminfo database.
  package init(known: [[UInt8]: KeyEvent] = [:]) { self.known = known }

  /// Takes bytes in as they come.
  ///
  /// - Parameters:
  ///   - bytes: Any part of what the terminal sends.
  ///   - time: When they came, on a clock that never goes back.
  /// - Returns: What they complete.
  package mutating func events(of bytes: [UInt8], at time: Duration) -> [ScreenEvent] {
    _ = expire(at: time)
    takeLateSequence(bytes, time)
    lastByte = time
    var index = 0
    while index < bytes.count { index = take(bytes, from: index) }
    // Text that is whole is not kept waiting for more.
    if state == .ground { flushText(keepingPart: true) }
    defer { events = [] }
    return events
  }

  /// What is complete because nothing more came in time.
  package mutating func events(at time: Duration) -> [ScreenEvent] {
    _ = expire(at: time)
    defer { events = [] }
    return events
  }

  /// When ``events(at:)`` is to be called, if no bytes come before.
  package var deadline: Duration? {
    switch state {
    case .ground: nil
    case .escape: lastByte + Self.escapeWait
    case .paste: lastByte + Self.pasteWait
    default: lastByte + Self.sequenceWait
    }
  }

  private mutating func expire(at time: Duration) -> Bool {
    guard let deadline, time >= deadline else { return false }
    switch state {
    case .escape:
      events.append(.key(KeyEvent(.escape)))
      lateSince = time
    case .paste: finishPaste()
    default: break
    }
    state = .ground
    pending = []
    return true
  }

  /// On a slow line the escape byte can come long before the rest. People do not type `[A` at once.
  private mutating func takeLateSequence(_ bytes: [UInt8], _ time: Duration) {
    defer { lateSince = nil }
    guard let lateSince, time - lateSince < .milliseconds(300), bytes.count > 1, state == .ground,
      bytes[0] == UInt8(ascii: "[") || bytes[0] == UInt8(ascii: "O")
    else { return }
    state = .escape
    pending = [0x1B]
  }

  // MARK: Bytes

  /// Takes a byte, or several that are alike; returns the index of the next.
  private mutating func take(_ bytes: [UInt8], from index: Int) -> Int {
    let byte = bytes[index]
    switch state {
    case .ground: return takeText(bytes, from: index)
    case .paste: return takePaste(bytes, from: index)
    case .escape: takeAfterEscape(byte)
    case .control: takeControl(byte)
    case .single, .console: takeSingle(byte)
    case .oldMouse:
      pending.append(byte)
      if pending.count == 6 { finishOldMouse() }
    case .string:
      if byte == 0x07 || byte == 0x18 { state = .ground }
      if byte == 0x1B { state = .stringEscape }
    case .stringEscape:
      // Any other sequence ends a string too.
      state = .ground
      guard byte != UInt8(ascii: "\\") else { break }
      (state, pending) = (.escape, [0x1B])
      return index
    }
    return index + 1
  }

  private mutating func takeText(_ bytes: [UInt8], from index: Int) -> Int {
    var end = index
    while end < bytes.count, bytes[end] >= 0x20, bytes[end] != 0x7F { end += 1 }
    pending += bytes[index..<end]
    guard end < bytes.count else { return end }
    flushText(keepingPart: false)
    let byte = bytes[end]
    if byte == 0x1B {
      (state, pending) = (.escape, [byte])
    } else {
      events.append(.key(KeyEvent(control: byte)))
    }
    return end + 1
  }

  /// Text as one event for each character; invalid bytes are dropped.
  private mutating func flushText(keepingPart: Bool) {
    guard !pending.isEmpty else { return }
    let whole = keepingPart ? pending.count - Self.unfinished(pending) : pending.count
    let text = String(decoding: pending[..<whole], as: UTF8.self)
    pending.removeFirst(whole)
    for character in text where character != "\u{FFFD}" {
      events.append(.key(KeyEvent(.character(character))))
    }
  }

  /// How many bytes at the end begin a character that may still be finished.
  private static func unfinished(_ bytes: [UInt8]) -> Int {
    for (count, byte) in zip(1...3, bytes.reversed()) where byte & 0xC0 != 0x80 {
      let length = byte >= 0xF0 ? 4 : byte >= 0xE0 ? 3 : byte >= 0xC0 ? 2 : 1
      return length > count ? count : 0
    }
    return 0
  }

  private mutating func takeAfterEscape(_ byte: UInt8) {
    switch byte {
    case UInt8(ascii: "["):
      pending.append(byte)
      state = .control
    case UInt8(ascii: "O"):
      pending.append(byte)
      state = .single
    // OSC, DCS, SOS, PM, APC: answers to questions, all of them.
    case UInt8(ascii: "]"), UInt8(ascii: "P"), UInt8(ascii: "X"), UInt8(ascii: "^"),
      UInt8(ascii: "_"):
      (state, pending) = (.string, [])
    case 0x1B:
      // The key itself, twice, or rxvt's alt with a key that sends a sequence.
      guard pending.count < 2 else {
        events.append(.key(KeyEvent(.escape)))
        break
      }
      pending.append(byte)
    default: finishMeta(byte)
    }
  }

  private mutating func finishMeta(_ byte: UInt8) {
    let doubled = pending.count == 2
    if let event = known[pending + [byte]] {
      events.append(.key(event))
    } else if byte >= 0x80 {
      // Alt with a letter that takes several bytes: the letter counts.
      (state, pending) = (.ground, [byte])
      return
    } else if byte < 0x20 || byte == 0x7F {
      var event = KeyEvent(control: byte)
      event.modifiers.insert(.alt)
      events.append(.key(event))
    } else {
      if doubled { events.append(.key(KeyEvent(.escape))) }
      let character = Character(Unicode.Scalar(byte))
      events.append(.key(KeyEvent(.character(character), .alt)))
    }
    (state, pending) = (.ground, [])
  }

  private mutating func takeControl(_ byte: UInt8) {
    switch byte {
    case 0x1B:
      (state, pending) = (.escape, [byte])
    // CAN and SUB give a sequence up (ECMA-48).
    case 0x18, 0x1A:
      (state, pending) = (.ground, [])
    case UInt8(ascii: "[") where pending.last == UInt8(ascii: "["):
      pending.append(byte)
      state = .console
    case UInt8(ascii: "M") where pending.last == UInt8(ascii: "["):
      pending.append(byte)
      state = .oldMouse
    // rxvt ends the sequences of keys with shift by a dollar sign.
    case UInt8(ascii: "$")
    where pending.last.map { 0x30...0x39 ~= $0 } ?? false
      && !pending.contains(UInt8(ascii: "?")):
      finishSequence(byte)
    case 0x40...0x7E: finishSequence(byte)
    default:
      if pending.count < Self.longestSequence { pending.append(byte) }
    }
  }

  private mutating func takeSingle(_ byte: UInt8) {
    switch byte {
    case 0x1B: (state, pending) = (.escape, [byte])
    // Old terminals put the modifiers here.
    case 0x30...0x3B where pending.count < 16: pending.append(byte)
    default: finishSequence(byte)
    }
  }

  private mutating func finishSequence(_ byte: UInt8) {
    pending.append(byte)
    let sequence = pending
    (state, pending) = (.ground, [])
    if sequence == Array("\u{1B}[200~".utf8) {
      state = .paste
    } else if let event = known[sequence] {
      events.append(.key(event))
    } else if let event = ControlSequence(sequence)?.event {
      events.append(event)
    }
  }

  private mutating func finishOldMouse() {
    let fields = pending.suffix(3).map { Int($0) - 32 }
    (state, pending) = (.ground, [])
    if let event = MouseEvent(code: fields[0], column: fields[1], row: fields[2], isRelease: false)
    {
      events.append(.mouse(event))
    }
  }

  // MARK: Pasted text

  private static let pasteEnd = Array("\u{1B}[201~".utf8)

  private mutating func takePaste(_ bytes: [UInt8], from index: Int) -> Int {
    // Only the last bytes before these can begin the end mark.
    let searched = max(0, paste.count - Self.pasteEnd.count + 1)
    paste += bytes[index...]
    guard let end = Self.find(Self.pasteEnd, in: paste, from: searched) else {
      if paste.count > Self.longestPaste { handOverPaste() }
      return bytes.count
    }
    let rest = paste.count - end - Self.pasteEnd.count
    paste.removeLast(paste.count - end)
    finishPaste()
    state = .ground
    return bytes.count - rest
  }

  private static func find(_ mark: [UInt8], in bytes: [UInt8], from start: Int) -> Int? {
    var index = start
    while index + mark.count <= bytes.count {
      if bytes[index] == mark[0], bytes[index..<index + mark.count].elementsEqual(mark) {
        return index
      }
      index += 1
    }
    return nil
  }

  private mutating func handOverPaste() {
    let kept = Array(paste.suffix(Self.pasteEnd.count - 1))
    paste.removeLast(kept.count)
    finishPaste()
    paste = kept
  }

  private mutating func finishPaste() {
    // Terminals send line ends as the Enter key does.
    var text: [UInt8] = []
    text.reserveCapacity(paste.count)
    var before: UInt8 = 0
    for byte in paste {
      if byte == 0x0A, before == 0x0D {
        before = byte
        continue
      }
      text.append(byte == 0x0D ? 0x0A : byte)
      before = byte
    }
    paste = []
    events.append(.paste(String(decoding: text, as: UTF8.self)))
  }
}
