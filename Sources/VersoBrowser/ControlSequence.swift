/// A control sequence of a terminal, taken apart (ECMA-48 5.4, and ctlseqs of xterm).
struct ControlSequence {
  /// The byte before the parameters, such as `<` or `?`; 0 without one.
  private var mark: UInt8 = 0
  private var parameters: [Int] = []
  private let final: UInt8
  private let introducer: UInt8

  /// - Parameter bytes: A whole sequence from its escape byte on; one before that is alt.
  /// - Returns: `nil` where it is none.
  init?(_ bytes: [UInt8]) {
    guard let start = bytes.lastIndex(of: 0x1B), bytes.count >= start + 3, let last = bytes.last
    else { return nil }
    isMeta = start > 0
    introducer = bytes[start + 1]
    final = last
    var body = bytes[(start + 2)..<(bytes.count - 1)]
    if let first = body.first, 0x3C...0x3F ~= first {
      mark = first
      body = body.dropFirst()
    }
    for field in body.split(separator: UInt8(ascii: ";"), omittingEmptySubsequences: false) {
      // What follows a colon are details of the field.
      let digits = field.prefix { 0x30...0x39 ~= $0 }
      parameters.append(digits.prefix(9).reduce(0) { $0 * 10 + Int($1 & 15) })
    }
    isPlain = body.allSatisfy { 0x30...0x3B ~= $0 }
    isConsole = body.first == UInt8(ascii: "[") && body.count == 1
  }

  private let isMeta: Bool
  private let isPlain: Bool
  private let isConsole: Bool

  /// What the sequence tells; `nil` for what is nothing to us.
  var event: ScreenEvent? {
    if mark == UInt8(ascii: "<"), parameters.count == 3, isPlain { return mouse }
    if introducer == UInt8(ascii: "["), mark == 0, parameters.isEmpty || parameters == [0] {
      if final == UInt8(ascii: "I") { return .focused(true) }
      if final == UInt8(ascii: "O") { return .focused(false) }
    }
    guard mark == 0, isPlain || isConsole, var event = key else { return nil }
    if isMeta { event.modifiers.insert(.alt) }
    return .key(event)
  }

  private var mouse: ScreenEvent? {
    guard final == UInt8(ascii: "M") || final == UInt8(ascii: "m") else { return nil }
    return MouseEvent(
      code: parameters[0], column: parameters[1], row: parameters[2],
      isRelease: final == UInt8(ascii: "m")
    ).map { .mouse($0) }
  }

  // MARK: Keys

  private var key: KeyEvent? {
    if isConsole {
      return 0x41...0x45 ~= final ? KeyEvent(.function(Int(final) - 0x40)) : nil
    }
    if introducer == UInt8(ascii: "O") { return letterKey ?? keypadKey }
    switch final {
    case UInt8(ascii: "~"): return parameters.first == 27 ? otherKey : numberedKey(modifiers)
    // rxvt tells modifiers by the last byte.
    case UInt8(ascii: "$"): return numberedKey(.shift)
    case UInt8(ascii: "^"): return numberedKey(.control)
    case UInt8(ascii: "@"): return numberedKey([.shift, .control])
    case UInt8(ascii: "u"): return unicodeKey
    default: return letterKey
    }
  }

  /// xterm adds 1 to the sum of shift 1, alt 2, control 4 and meta 8; kitty's locks are left out.
  private var modifiers: KeyEvent.Modifiers { modifiers(at: 1) }

  private func modifiers(at index: Int) -> KeyEvent.Modifiers {
    guard parameters.count > index, parameters[index] > 0 else { return [] }
    let bits = parameters[index] - 1
    var modifiers = KeyEvent.Modifiers(rawValue: UInt8(bits & 7))
    if bits & 32 != 0 { modifiers.insert(.alt) }
    return modifiers
  }

  private var letterKey: KeyEvent? {
    let keys: [UInt8: KeyEvent.Key] = [
      UInt8(ascii: "A"): .up, UInt8(ascii: "B"): .down, UInt8(ascii: "C"): .right,
      UInt8(ascii: "D"): .left, UInt8(ascii: "F"): .end, UInt8(ascii: "H"): .home,
      UInt8(ascii: "P"): .function(1), UInt8(ascii: "Q"): .function(2),
      UInt8(ascii: "R"): .function(3), UInt8(ascii: "S"): .function(4), UInt8(ascii: "Z"): .tab,
      // rxvt's arrows with shift, and with control after `ESC O`.
      UInt8(ascii: "a"): .up, UInt8(ascii: "b"): .down, UInt8(ascii: "c"): .right,
      UInt8(ascii: "d"): .left,
    ]
    guard let key = keys[final] else { return nil }
    // A report of where the cursor stands ends like F3 does.
    if final == UInt8(ascii: "R"), parameters.count > 1, parameters[0] != 1 { return nil }
    var modifiers = modifiers
    if final == UInt8(ascii: "Z") { modifiers.insert(.shift) }
    if final >= UInt8(ascii: "a") {
      modifiers.insert(introducer == UInt8(ascii: "O") ? .control : .shift)
    }
    return KeyEvent(key, modifiers)
  }

  /// The keypad in application mode: `j` to `y` are `*` to `9`.
  private var keypadKey: KeyEvent? {
    if final == UInt8(ascii: "M") { return KeyEvent(.enter) }
    guard UInt8(ascii: "j")...UInt8(ascii: "y") ~= final else { return nil }
    return KeyEvent(.character(Character(Unicode.Scalar(final - 0x40))))
  }

  private func numberedKey(_ modifiers: KeyEvent.Modifiers) -> KeyEvent? {
    let key: KeyEvent.Key
    switch parameters.first ?? 0 {
    case 1, 7: key = .home
    case 2: key = .insert
    case 3: key = .delete
    case 4, 8: key = .end
    case 5: key = .pageUp
    case 6: key = .pageDown
    // The gaps are those of the VT220's keyboard.
    case let number where 11...15 ~= number: key = .function(number - 10)
    case let number where 17...21 ~= number: key = .function(number - 11)
    case let number where 23...26 ~= number: key = .function(number - 12)
    case let number where 28...29 ~= number: key = .function(number - 13)
    case let number where 31...34 ~= number: key = .function(number - 14)
    default: return nil
    }
    return KeyEvent(key, modifiers)
  }

  /// `CSI 27 ; modifiers ; code ~` of xterm's modifyOtherKeys.
  private var otherKey: KeyEvent? {
    guard parameters.count == 3 else { return nil }
    return KeyEvent(codePoint: parameters[2], modifiers(at: 1))
  }

  /// `CSI code ; modifiers u` of xterm and kitty.
  private var unicodeKey: KeyEvent? {
    parameters.first.flatMap { KeyEvent(codePoint: $0, modifiers) }
  }
}

extension KeyEvent {
  /// The key of a control byte.
  init(control byte: UInt8) {
    switch byte {
    // Ctrl-J comes from Enter where a line feed was translated.
    case 0x0D, 0x0A: self.init(.enter)
    case 0x09: self.init(.tab)
    // Which of the two the key sends is a setting of the terminal.
    case 0x7F, 0x08: self.init(.backspace)
    case 0x1B: self.init(.escape)
    case 0x00: self.init(.character(" "), .control)
    case 0x01...0x1A: self.init(.character(Character(Unicode.Scalar(byte + 0x60))), .control)
    default: self.init(.character(Character(Unicode.Scalar(byte + 0x40))), .control)
    }
  }

  /// A key by the code point that it has without modifiers.
  init?(codePoint: Int, _ modifiers: Modifiers) {
    guard let value = UInt32(exactly: codePoint), let scalar = Unicode.Scalar(value) else {
      return nil
    }
    if value < 0x20 || value == 0x7F {
      self.init(control: UInt8(value))
      self.modifiers.formUnion(modifiers)
      return
    }
    // Private characters are kitty's keys that only hold something, such as Caps Lock.
    guard !(0xE000...0xF8FF ~= value) else { return nil }
    var (character, modifiers) = (Character(scalar), modifiers)
    if modifiers.contains(.shift) {
      character = character.uppercased().first ?? character
      modifiers.remove(.shift)
    }
    if modifiers.contains(.control) { character = character.lowercased().first ?? character }
    self.init(.character(character), modifiers)
  }
}

extension MouseEvent {
  /// A report in the encoding that old and SGR mouse reports share.
  ///
  /// - Returns: `nil` for a move without a button, for buttons that nothing is bound to, and for
  ///   places before the first.
  init?(code: Int, column: Int, row: Int, isRelease: Bool) {
    guard column > 0, row > 0 else { return nil }
    var modifiers = KeyEvent.Modifiers()
    if code & 4 != 0 { modifiers.insert(.shift) }
    if code & 8 != 0 { modifiers.insert(.alt) }
    if code & 16 != 0 { modifiers.insert(.control) }
    guard let kind = Self.kind(code & ~28, isRelease) else { return nil }
    self.init(kind, at: CellPoint(x: column - 1, y: row - 1), modifiers)
  }

  private static func kind(_ code: Int, _ isRelease: Bool) -> Kind? {
    let buttons: [Button] = [.left, .middle, .right]
    switch code {
    case 0...2: return isRelease ? .released(buttons[code]) : .pressed(buttons[code])
    // Old reports do not say which button was let go.
    case 3: return .released(.left)
    case 32...34: return .dragged(buttons[code - 32])
    case 64: return .wheelUp
    case 65: return .wheelDown
    case 66: return .wheelLeft
    case 67: return .wheelRight
    default: return nil
    }
  }
}
