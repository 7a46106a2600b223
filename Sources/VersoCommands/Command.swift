/// A command as the table describes it: everything that parsing, help, manual and completions need.
package struct Command: Sendable {
  /// What a command is called, and known by.
  package enum Name: String, Sendable, CaseIterable {
    case `init`
    case clone
    case forget
    case save
    case status
    case watch
    case browse
    case pause
    case resume
    case sync
    case conflicts
    case log
    case search
    case show
    case ls
    case diff
    case who
    case activity
    case restore
    case undo
    case redo
    case export
    case schedule
    case doctor
    case compact
    case completions
    case help
  }

  /// A word of the command line that is no option.
  package struct Operand: Sendable {
    /// What usage lines call it, in capitals.
    package let name: String
    /// What it holds.
    package let value: Value
    package var isOptional = false
    package var isRepeating = false

    /// As usage lines have it: `[PATH...]`.
    package var usage: String {
      let name = self.name + (isRepeating ? "..." : "")
      return isOptional ? "[\(name)]" : name
    }
  }

  /// A command line to learn from.
  package struct Example: Sendable {
    package let line: String
    /// What it does, as a phrase.
    package let purpose: String
  }

  package let name: Name
  package var aliases: [String] = []
  /// One line, without a full stop.
  package let summary: String
  /// Paragraphs.
  package let description: [String]
  package var operands: [Operand] = []
  /// The options of its own; see ``allFlags``.
  package var flags: [Flag] = []
  /// Whether it changes the vault, and so takes ``CommandTable/writingFlags``.
  package var writes = false
  package var examples: [Example] = []
  /// The codes it can end with, besides 0, 1 and 2.
  package var exitCodes: [ExitCode] = []

  /// Its own options, then those of every writing command, then those of every command.
  package var allFlags: [Flag] {
    flags + (writes ? CommandTable.writingFlags : []) + CommandTable.commonFlags
  }

  /// Every code it can end with.
  package var allExitCodes: [ExitCode] {
    ([.done, .failed, .usage] + exitCodes).sorted { $0.rawValue < $1.rawValue }
  }
}

/// What an option's value or an operand holds: how it is checked and completed.
package enum Value: Sendable, Equatable {
  /// Any text.
  case text
  /// A whole number, 0 or more.
  case number
  /// One of these words.
  case choice([String])
  /// A folder of the disk.
  case folder
  /// A file or folder of the disk, or one that was there once.
  case path
  /// A time or a version, see `verso help when`.
  case when
  /// Two line numbers, `A-B`, counted from 1.
  case lines
  /// A length of time, such as `5m`.
  case duration
  /// A length of time, or `never`.
  case durationOrNever
  /// The name of a command, or of another page of the help.
  case topic
}
