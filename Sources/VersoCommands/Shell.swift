/// A shell that completions are made for.
package enum Shell: String, Sendable, CaseIterable {
  case bash
  case zsh
  case fish

  /// The completion script, made from the table.
  package var completionScript: String {
    switch self {
    case .bash: BashCompletion.script
    case .zsh: ZshCompletion.script
    case .fish: FishCompletion.script
    }
  }

  /// The words that an operand can be, where it is one of a list.
  static func words(_ value: Value) -> [String]? {
    switch value {
    case .choice(let choices): choices
    case .topic: HelpTopic.allNames
    case .when: ["now", "today", "yesterday"]
    case .durationOrNever: ["never"]
    case .text, .number, .folder, .path, .lines, .duration: nil
    }
  }

  /// Every word that names a command.
  static let commandWords = CommandTable.commands.flatMap { [$0.name.rawValue] + $0.aliases }
}

/// What `verso help` can be asked about.
package enum HelpTopic: Sendable, Equatable {
  case command(Command.Name)
  case when
  case json
  case man

  /// The topic with this name; an alias of a command too.
  package init?(_ name: String) {
    switch name {
    case "when": self = .when
    case "json": self = .json
    case "man": self = .man
    default:
      guard let command = CommandTable.command(called: name) else { return nil }
      self = .command(command.name)
    }
  }

  static let allNames = CommandTable.commands.map(\.name.rawValue) + ["when", "json", "man"]
}
