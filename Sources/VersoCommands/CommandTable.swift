/// The one table of everything that can be typed: parser, help, manual and completions read it.
package enum CommandTable {
  /// The commands, in the order in which a newcomer needs them.
  package static let commands: [Command] = [
    initialise, clone, forget, save, watch, browse, pause, resume, sync, conflicts, status, log,
    search, show, ls, diff, who, activity, restore, undo, redo, export, schedule, doctor, compact,
    completions, help,
  ]

  /// The command with this name or alias.
  package static func command(called name: String) -> Command? {
    commands.first { $0.name.rawValue == name || $0.aliases.contains(name) }
  }

  package static subscript(name: Command.Name) -> Command {
    guard let found = commands.first(where: { $0.name == name }) else {
      preconditionFailure("every command is in the table")
    }
    return found
  }

  /// What every command takes; before the command's name too.
  package static let commonFlags: [Flag] = [
    Flag(
      .directory, short: "C", hasLong: false, value: ("DIR", .folder),
      "Work as if started in DIR."),
    Flag(.quiet, short: "q", "Print errors only, and never ask."),
    Flag(.verbose, short: "v", "Say more."),
    Flag(.json, "Print one JSON object a line; see 'verso help json'."),
    Flag(
      .color, value: ("MODE", .choice(["auto", "always", "never"])),
      "When to use colour. The default, auto, means on a terminal and without NO_COLOR."),
    Flag(.help, short: "h", "Show help, and do nothing else."),
  ]

  /// What may stand in the place of a command.
  package static let versionFlag = Flag(.version, "Print the version, and do nothing else.")

  /// What every command that writes takes.
  package static let writingFlags: [Flag] = [
    Flag(
      .wait, value: ("SECONDS", .number),
      "How long to wait while another process holds the vault's lock; 10 without this."),
    Flag(.dryRun, "Say what would be done, and do nothing."),
  ]

  /// What -0 means wherever it is taken.
  private static let null = Flag(
    .null, short: "0", hasLong: false, "End each name with a NUL byte, and write it as it is.")

  static let allowMassDelete = Flag(
    .allowMassDelete, "Accept the deletions that are held back, exactly those listed.")
}

// MARK: Taking a directory on

extension CommandTable {
  private static let initialise = Command(
    name: .`init`,
    summary: "Make a directory a vault and save what it holds",
    description: [
      "DIR, the current directory without it, becomes a vault: the work tree of an ordinary git "
        + "repository. It is created if it is missing, and what it holds is saved as the first "
        + "version. A repository that is there already is adopted as it is: branch, ignore rules "
        + "and uncommitted work included. Running this again is harmless.",
      "A directory of more than 2 GB or 200,000 files, or too large for the free space, is asked "
        + "about first. The root directory, the inside of a git directory, a linked work tree and "
        + "the inside of another repository are refused, and so is a home directory without "
        + "--force.",
      "With --remote, what other devices have saved there is joined with what is here: where one side "
        + "has an earlier version of the other's note, or all of its lines, the newer wins; where "
        + "that cannot be told, both are kept, the second as a conflict copy. A remote that was set "
        + "up for git before is not used until it is named.",
    ],
    operands: [.init(name: "DIR", value: .folder, isOptional: true)],
    flags: [
      Flag(
        .gitDir, value: ("PATH", .folder),
        "Keep the repository at PATH, outside the directory: for folders that another tool "
          + "synchronises."),
      Flag(
        .device, value: ("NAME", .text),
        "What this machine is called in history; the host name without this."),
      Flag(
        .remote, value: ("URL|NAME", .text),
        "Synchronise with this repository; a remote that is there already is named by its name."),
      Flag(
        .create, "Make the repository of --remote, over ssh or on the disk, where it is missing."),
      Flag(.yes, short: "y", "Take on a large directory without asking."),
      Flag(.force, "Allow a home directory."),
    ],
    writes: true,
    examples: [
      .init(line: "verso init notes", purpose: "Start keeping the history of notes"),
      .init(
        line: "verso init --git-dir ~/.local/share/notes.git ~/Sync/notes",
        purpose: "The same, for a folder that is synchronised by other means"),
      .init(
        line: "verso init --remote nas:notes.git --create notes",
        purpose: "With a repository on another machine, made at once"),
    ],
    exitCodes: [.attention, .locked, .refused, .unreachable])

  private static let forget = Command(
    name: .forget,
    summary: "Make a vault an ordinary repository again",
    description: [
      "Takes out what 'verso init' added: the [verso] section of the configuration and the block of "
        + "ignore rules. The files and the whole history stay."
    ],
    operands: [.init(name: "DIR", value: .folder, isOptional: true)],
    writes: true,
    examples: [.init(line: "verso forget notes", purpose: "Stop, and keep everything")],
    exitCodes: [.locked, .refused])
}

// MARK: Saving and looking

extension CommandTable {
  private static let save = Command(
    name: .save,
    summary: "Save everything that changed as one version",
    description: [
      "Makes one commit of all that changed since the last one, or of PATHs; none if nothing did. A "
        + "file that is still being written is looked at again, for at most 5 seconds in total; "
        + "what still changes then is left for the next time, and named.",
      "Many deletions at once are held back: a fifth of 50 files or more, half of 10 or more, or "
        + "1,000. Everything else is saved all the same.",
    ],
    operands: [.init(name: "PATH", value: .path, isOptional: true, isRepeating: true)],
    flags: [
      Flag(
        .message, short: "m", value: ("TEXT", .text),
        "The first line of the version's description; made from the changes without this."),
      allowMassDelete,
    ],
    writes: true,
    examples: [
      .init(line: "verso save", purpose: "Save everything"),
      .init(
        line: "verso save -m 'Before the move' journal", purpose: "Save one folder, with a name"),
      .init(line: "verso save -q -C ~/notes", purpose: "From cron"),
    ],
    exitCodes: [.attention, .locked, .refused])

  private static let status = Command(
    name: .status,
    summary: "Show what has not been saved, and what needs a look",
    description: [
      "Lists what has changed since the last save, what is skipped or held back and why, open "
        + "conflict copies, when the last save and the last synchronisation were, and whether the "
        + "vault is watched or paused.",
      "With --max-age it fails where the last good synchronisation is older: a check for cron or a "
        + "monitor. In a vault without a remote the last good save counts, and one with nothing to "
        + "save, or that is watched, is never too old.",
    ],
    operands: [.init(name: "PATH", value: .path, isOptional: true, isRepeating: true)],
    flags: [
      Flag(.all, "A line for each of your vaults: those that 'verso init' has made."),
      Flag(.check, "End with 3 while anything is skipped, held back or in conflict."),
      Flag(
        .maxAge, value: ("DURATION", .duration),
        "Fail where the last good synchronisation is older."),
      null,
    ],
    examples: [
      .init(line: "verso status", purpose: "Everything"),
      .init(line: "verso status --check -q", purpose: "For a script: 0 if all is well"),
      .init(
        line: "verso status --all --max-age 1d -q",
        purpose: "From cron: says which vaults fell behind"),
    ],
    exitCodes: [.attention])

  private static let log = Command(
    name: .log,
    summary: "List versions, newest first",
    description: [
      "With PATH: the versions of that note or folder, followed through renames and moves, also when "
        + "it is deleted now. On a terminal, versions of one device less than 10 minutes apart "
        + "fold into one line."
    ],
    operands: [.init(name: "PATH", value: .path, isOptional: true)],
    flags: [
      Flag(.since, value: ("WHEN", .when), "Only versions since WHEN."),
      Flag(.until, value: ("WHEN", .when), "Only versions until WHEN."),
      Flag(.limit, short: "n", hasLong: false, value: ("N", .number), "At most N versions."),
      Flag(.all, "A line for each version, none folded."),
      Flag(.stat, "With the number of words added and removed in each file."),
      Flag(.names, "With the names of the files that changed."),
      Flag(
        .digest,
        "A summary in Markdown instead, of each day or week: which notes are new, edited, renamed "
          + "and gone. It is of whole days, of the last 7 without --since."),
      null,
    ],
    examples: [
      .init(line: "verso log ideas/todo.md", purpose: "The history of one note"),
      .init(line: "verso log --since monday --names", purpose: "What changed this week, and where"),
      .init(
        line: "verso log --digest --since '1 month ago'", purpose: "A month to read or to mail"),
    ])

  private static let show = Command(
    name: .show, aliases: ["cat"],
    summary: "Print a note as it was",
    description: [
      "Prints the bytes of PATH as of WHEN; as of the last version without --at. To a file or a pipe "
        + "they are exact; on a terminal, control characters are shown as symbols."
    ],
    operands: [.init(name: "PATH", value: .path)],
    flags: [
      Flag(.at, value: ("WHEN", .when), "The time or version; the last one without this."),
      Flag(.raw, "Exact bytes on a terminal too."),
    ],
    examples: [
      .init(line: "verso show ideas/todo.md --at yesterday", purpose: "As it was last night"),
      .init(line: "verso show --at ~1 ideas/todo.md", purpose: "One version back"),
    ])

  private static let ls = Command(
    name: .ls,
    summary: "List a folder as it was",
    description: [
      "Lists what the folder PATH, or the whole vault, held as of WHEN; as of the last version "
        + "without --at."
    ],
    operands: [.init(name: "PATH", value: .path, isOptional: true)],
    flags: [
      Flag(.at, value: ("WHEN", .when), "The time or version; the last one without this."),
      null,
    ],
    examples: [.init(line: "verso ls journal --at 2026-11-28", purpose: "At the end of that day")])

  private static let diff = Command(
    name: .diff,
    summary: "Show what changed",
    description: [
      "Compares two states of PATH, or of everything. Without --from and --to: the last version and "
        + "what is on the disk now. On a terminal, changed words are marked within their lines; "
        + "elsewhere it is a unified diff, as patch(1) takes it."
    ],
    operands: [.init(name: "PATH", value: .path, isOptional: true)],
    flags: [
      Flag(.from, value: ("WHEN", .when), "The older state; the last version without this."),
      Flag(.to, value: ("WHEN", .when), "The newer state; the disk without this."),
      Flag(.words, "Mark changed words off a terminal too."),
    ],
    examples: [
      .init(line: "verso diff", purpose: "What the next save will hold"),
      .init(line: "verso diff ideas/todo.md --from '1 week ago'", purpose: "A week of one note"),
    ])
}

// MARK: Bringing back

extension CommandTable {
  private static let restore = Command(
    name: .restore,
    summary: "Bring a note or folder back",
    description: [
      "What is there now is saved first, so nothing is lost, and the result is saved as well: a "
        + "restore is a version like any other, and 'verso undo' takes it back. Nothing outside "
        + "PATH is touched.",
      "A folder gets back what it had; files that are newer stay, unless --exact is given. Without "
        + "--at, a deleted note comes back as it last was; for one that is there, its last "
        + "versions are listed with the command for each.",
    ],
    operands: [.init(name: "PATH", value: .path)],
    flags: [
      Flag(.at, value: ("WHEN", .when), "The time or version to bring back."),
      Flag(.`as`, value: ("PATH2", .path), "Write to PATH2, and leave PATH alone."),
      Flag(
        .lines, value: ("A-B", .lines),
        "Put only these lines of the old version back, at their place in today's note."),
      Flag(.exact, "Remove what a folder did not have then; it is listed first."),
      Flag(.yes, short: "y", "Do not ask."),
    ],
    writes: true,
    examples: [
      .init(line: "verso restore ideas/todo.md --at yesterday", purpose: "As it was last night"),
      .init(
        line: "verso restore ideas/todo.md --at ~2 --as old.md", purpose: "Beside today's note"),
      .init(line: "verso restore ideas/todo.md --at ~1 --lines 3-9", purpose: "Just one passage"),
    ],
    exitCodes: [.attention, .locked, .refused])

  private static let undo = Command(
    name: .undo,
    summary: "Take back the last action",
    description: [
      "Takes back one restore, and says what that did; again, the one before. Where the files have "
        + "changed since, it is refused and nothing is overwritten.",
      "What came from other devices is taken back only by name: --merge lists what they would lose, and "
        + "asks.",
    ],
    flags: [
      Flag(.merge, "Take back what the last sync brought from other devices, on every device."),
      Flag(.yes, short: "y", "With --merge: do not ask."),
    ],
    writes: true,
    examples: [
      .init(line: "verso undo", purpose: "Take back the last restore"),
      .init(line: "verso undo --merge --dry-run", purpose: "See what would go"),
    ],
    exitCodes: [.locked, .refused])

  private static let redo = Command(
    name: .redo,
    summary: "Do again what 'verso undo' took back",
    description: [
      "Does the last undone action again, and says what that did. Where the files have changed "
        + "since, it is refused and nothing is overwritten."
    ],
    writes: true,
    examples: [.init(line: "verso redo", purpose: "After an undo too many")],
    exitCodes: [.locked, .refused])
}

// MARK: Around it

extension CommandTable {
  private static let doctor = Command(
    name: .doctor,
    summary: "Check that a vault is in good health",
    description: [
      "Prints a line for each check: git identity, limits of the system, stale locks, an open merge "
        + "or rebase, a detached HEAD, missing or empty objects, free space, names that differ "
        + "only in case or Unicode form, filters that need git, nested repositories, litter of "
        + "editors that is versioned, schedules and what they run, and whether the remote answers "
        + "without asking anybody, by which keys."
    ],
    operands: [.init(name: "DIR", value: .folder, isOptional: true)],
    flags: [Flag(.fix, "Mend what is provably safe to mend, and say what was done.")],
    writes: true,
    examples: [
      .init(line: "verso doctor", purpose: "Look"),
      .init(line: "verso doctor --fix", purpose: "Mend"),
    ],
    exitCodes: [.attention, .locked, .refused])

  private static let completions = Command(
    name: .completions,
    summary: "Print a completion script for a shell",
    description: [
      "Put the script where the shell looks for it, or let the shell read it at its start."
    ],
    operands: [.init(name: "SHELL", value: .choice(Shell.allCases.map(\.rawValue)))],
    examples: [
      .init(line: "eval \"$(verso completions bash)\"", purpose: "In ~/.bashrc"),
      .init(
        line: "verso completions zsh > ~/.zfunc/_verso", purpose: "With ~/.zfunc in zsh's fpath"),
      .init(
        line: "verso completions fish > ~/.config/fish/completions/verso.fish", purpose: "For fish"),
    ])

  private static let help = Command(
    name: .help,
    summary: "Show help",
    description: [
      "Without TOPIC, lists the commands. TOPIC is a command, or one of: 'when' for ways to write a "
        + "time, 'json' for the output of --json, 'man' for the manual as roff source."
    ],
    operands: [.init(name: "TOPIC", value: .topic, isOptional: true)],
    examples: [
      .init(line: "verso help save", purpose: "About one command"),
      .init(line: "verso help man | man -l -", purpose: "Read the manual"),
    ])
}
