/// A key that was pressed.
package struct KeyEvent: Hashable, Sendable {
  package var key: Key
  package var modifiers: Modifiers

  package init(_ key: Key, _ modifiers: Modifiers = []) {
    (self.key, self.modifiers) = (key, modifiers)
  }

  /// Keys that terminals tell apart.
  package enum Key: Hashable, Sendable {
    /// What was typed; with ``Modifiers/control`` a small letter.
    case character(Character)
    case enter, tab, escape, backspace, delete, insert
    case up, down, left, right, home, end, pageUp, pageDown
    /// F1 and so on.
    case function(Int)
  }

  package struct Modifiers: OptionSet, Hashable, Sendable {
    package let rawValue: UInt8
    package init(rawValue: UInt8) { self.rawValue = rawValue }
    /// Never set for characters that shift is part of, such as `A`.
    package static let shift = Modifiers(rawValue: 1)
    package static let alt = Modifiers(rawValue: 2)
    package static let control = Modifiers(rawValue: 4)
  }

  /// The text that this key inserts; `nil` for one that does something else.
  package var text: Character? {
    guard modifiers.isEmpty, case .character(let character) = key else { return nil }
    return character
  }
}

extension KeyEvent: CustomStringConvertible {
  private static let names: [(name: String, key: Key)] =
    [
      ("Enter", .enter), ("Tab", .tab), ("Esc", .escape), ("Backspace", .backspace),
      ("Delete", .delete), ("Insert", .insert), ("Up", .up), ("Down", .down), ("Left", .left),
      ("Right", .right), ("Home", .home), ("End", .end), ("PgUp", .pageUp), ("PgDn", .pageDown),
      ("Space", .character(" ")),
    ] + (1...24).map { ("F\($0)", .function($0)) }

  /// The name that people know, such as `Ctrl-P`, `Shift-Tab`, `F2` or `G`.
  package var description: String {
    var name = modifiers.contains(.control) ? "Ctrl-" : ""
    if modifiers.contains(.alt) { name += "Alt-" }
    if modifiers.contains(.shift) { name += "Shift-" }
    if let known = Self.names.first(where: { $0.key == key }) { return name + known.name }
    guard case .character(let character) = key else { return name }
    return name + (modifiers.isEmpty ? String(character) : character.uppercased())
  }

  /// A key by its name; names of keys may be in small letters.
  ///
  /// - Returns: `nil` where no key has that name.
  package init?(name: some StringProtocol) {
    var (rest, modifiers) = (String(name), Modifiers())
    let prefixes: [(String, Modifiers)] = [("ctrl-", .control), ("alt-", .alt), ("shift-", .shift)]
    while let (prefix, modifier) = prefixes.first(where: {
      rest.lowercased().hasPrefix($0.0) && rest.count > $0.0.count
    }) {
      modifiers.insert(modifier)
      rest = String(rest.dropFirst(prefix.count))
    }
    if rest.count == 1, let character = rest.first {
      let isCommand = !modifiers.isDisjoint(with: [.control])
      let small = isCommand ? character.lowercased().first ?? character : character
      self.init(
        .character(modifiers == .alt ? small.lowercased().first ?? small : small), modifiers)
      return
    }
    let aliases = ["escape": "esc", "return": "enter", "pageup": "pgup", "pagedown": "pgdn"]
    let wanted = aliases[rest.lowercased()] ?? rest.lowercased()
    guard let known = Self.names.first(where: { $0.name.lowercased() == wanted }) else {
      return nil
    }
    self.init(known.key, modifiers)
  }
}

/// Something that was done with the mouse.
package struct MouseEvent: Hashable, Sendable {
  package var kind: Kind
  package var position: CellPoint
  package var modifiers: KeyEvent.Modifiers

  package init(_ kind: Kind, at position: CellPoint, _ modifiers: KeyEvent.Modifiers = []) {
    (self.kind, self.position, self.modifiers) = (kind, position, modifiers)
  }

  package enum Kind: Hashable, Sendable {
    case pressed(Button)
    case released(Button)
    /// Moved while a button is held.
    case dragged(Button)
    case wheelUp, wheelDown, wheelLeft, wheelRight
  }

  package enum Button: Hashable, Sendable {
    case left, middle, right
  }
}
