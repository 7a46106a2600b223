/// Which keys do what, and where: the table that keys act by, that the help is made from, and that
/// the palette lists.
package struct Keymap: Sendable {
  /// What has the focus.
  package enum Context: String, Sendable, CaseIterable {
    case list
    /// The detail pane while nothing is edited.
    case reader
    case editor
    /// A line that is asked for: a name, a search, the palette.
    case prompt
    case help
    case history
    /// Two texts beside each other.
    case comparison
    /// The banner of a conflict, before what the pane below has.
    case conflict

    package var title: String {
      switch self {
      case .list: "Folders and files"
      case .reader: "Note"
      case .editor: "Editing"
      case .prompt: "Prompt"
      case .help: "Help"
      case .history: "History"
      case .comparison: "Side by side"
      case .conflict: "Conflict"
      }
    }
  }

  /// One row of the table.
  package struct Binding: Sendable {
    package let action: Action
    package let contexts: [Context]
    package internal(set) var keys: [KeySequence]
    /// What it does, in a few words.
    package let text: String
  }

  /// What keys mean that were pressed one after the other.
  package enum Match: Hashable, Sendable {
    case action(Action)
    /// More keys make it an action.
    case partial
    case none
  }

  package private(set) var bindings: [Binding]

  /// The keys as they are without a user's own.
  package init() { bindings = Self.standard }

  // MARK: Looking up

  /// What keys mean in a context.
  ///
  /// - Parameter direction: The way that columns run: the arrow keys act by what is seen, so where
  ///   columns run from the right they change places.
  package func match(
    _ keys: [KeyEvent], in context: Context, direction: LayoutDirection = .leftToRight
  ) -> Match {
    let keys = context == .list && direction == .rightToLeft ? keys.map(\.mirrored) : keys
    var isBeginning = false
    for binding in bindings where binding.contexts.contains(context) {
      for sequence in binding.keys {
        if sequence.keys == keys { return .action(binding.action) }
        if sequence.keys.starts(with: keys) { isBeginning = true }
      }
    }
    return isBeginning ? .partial : .none
  }

  /// The first key of an action in a context, for a hint on the screen.
  package func hint(for action: Action, in context: Context) -> String? {
    bindings.first { $0.action == action && $0.contexts.contains(context) }?.keys.first?
      .description
  }

  // MARK: Users' own keys

  /// Why a line of a user's key bindings is not understood.
  package struct LineError: Error, Hashable, Sendable, CustomStringConvertible {
    package let line: Int
    package let problem: String

    package var description: String { "line \(line): \(problem)" }
  }

  /// Reads lines such as `delete = D, Ctrl-W d`; an action that is named has these keys only, and none
  /// after an empty right side.
  ///
  /// - Throws: ``LineError`` for the first line that names an unknown action or key, or that takes a
  ///   key away from another action in the same place.
  package mutating func read(_ text: String) throws(LineError) {
    for (index, line) in text.fileLines.enumerated() {
      let trimmed = line.trimmed
      guard !trimmed.isEmpty, !trimmed.hasPrefix("#") else { continue }
      try bind(String(trimmed), line: index + 1)
    }
  }

  private mutating func bind(_ text: String, line: Int) throws(LineError) {
    guard let split = text.firstIndex(of: "=") else {
      throw LineError(line: line, problem: "write ACTION = KEY, KEY")
    }
    let name = String(text[..<split].trimmed)
    guard let action = Action(rawValue: name) else {
      throw LineError(line: line, problem: "there is no action “\(name)”")
    }
    var keys: [KeySequence] = []
    for part in text[text.index(after: split)...].split(separator: ",") where !part.trimmed.isEmpty
    {
      guard let sequence = KeySequence(name: part.trimmed) else {
        throw LineError(line: line, problem: "there is no key “\(part.trimmed)”")
      }
      keys.append(sequence)
    }
    for index in bindings.indices where bindings[index].action == action {
      bindings[index].keys = keys
    }
    if let clash = clashes.first {
      throw LineError(line: line, problem: clash)
    }
  }

  /// Keys that two actions have in one place, or that begin the keys of another, as sentences.
  package var clashes: [String] {
    var found: [String] = []
    for context in Context.allCases {
      let rows = bindings.filter { $0.contexts.contains(context) }
      for (index, row) in rows.enumerated() {
        for other in rows[(index + 1)...] {
          for (mine, theirs) in row.keys.flatMap({ key in other.keys.map { (key, $0) } })
          where mine.keys.starts(with: theirs.keys) || theirs.keys.starts(with: mine.keys) {
            found.append(
              "\(mine) is for \(row.action.rawValue), and \(theirs) for \(other.action.rawValue)")
          }
        }
      }
    }
    return found
  }
}

/// Keys that are pressed one after the other.
package struct KeySequence: Hashable, Sendable, CustomStringConvertible {
  package let keys: [KeyEvent]

  package init(_ keys: [KeyEvent]) { self.keys = keys }

  /// Names with spaces between, such as `g g` or `Ctrl-W <`.
  ///
  /// - Returns: `nil` where one of them is no key.
  package init?(name: some StringProtocol) {
    var keys: [KeyEvent] = []
    for part in name.split(separator: " ") {
      guard let key = KeyEvent(name: part == "Comma" ? "," : String(part)) else { return nil }
      keys.append(key)
    }
    guard !keys.isEmpty else { return nil }
    self.keys = keys
  }

  package var description: String {
    let names = keys.map(\.description)
    return names.joined(separator: names.allSatisfy { $0.count == 1 } ? "" : " ")
  }
}

extension KeyEvent {
  /// Left for right, and the other way round.
  var mirrored: KeyEvent {
    switch key {
    case .left: KeyEvent(.right, modifiers)
    case .right: KeyEvent(.left, modifiers)
    default: self
    }
  }
}

extension StringProtocol {
  /// The lines of a file, with line ends of either kind.
  var fileLines: [SubSequence] {
    // A carriage return and a line feed are one character.
    split(omittingEmptySubsequences: false) { $0 == "\n" || $0 == "\r\n" }
  }

  /// Without spaces and tabs at both ends.
  var trimmed: SubSequence {
    let start = firstIndex { $0 != " " && $0 != "\t" } ?? endIndex
    let rest = self[start...]
    let end = rest.lastIndex { $0 != " " && $0 != "\t" }
    return rest[..<(end.map { rest.index(after: $0) } ?? rest.startIndex)]
  }
}
