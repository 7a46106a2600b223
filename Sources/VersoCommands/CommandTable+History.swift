// MARK: Who wrote what, and when

extension CommandTable {
  static let who = Command(
    name: .who,
    summary: "Show who wrote each line of a note",
    description: [
      "Prints each line of PATH with the time of the version that wrote it, the device that saved "
        + "it, and its number; lines on the disk that are in no version yet are 'not saved yet'. "
        + "Renames and moves are followed, and where a line was written under another name, that "
        + "is shown too. A merge of two devices has only the lines that neither of them had."
    ],
    operands: [.init(name: "PATH", value: .path)],
    flags: [
      Flag(.at, value: ("WHEN", .when), "The note as of WHEN; as it is on the disk without this."),
      Flag(.lines, value: ("A-B", .lines), "Only these lines."),
    ],
    examples: [
      .init(line: "verso who ideas/todo.md", purpose: "Which device wrote what, and when"),
      .init(line: "verso who --lines 3-9 --json ideas/todo.md", purpose: "For your own script"),
    ])

  static let activity = Command(
    name: .activity,
    summary: "Show a calendar of saves",
    description: [
      "Draws a column for each week and a row for each weekday, the darker the more was saved, and "
        + "adds the busiest day and the longest streak. With PATH, its versions count, followed "
        + "through renames; else each save, but not what only joins two devices.",
      "Days are those of the local time zone, and weeks begin on Monday. Without --since it is a "
        + "year, or as many weeks as fit the terminal.",
    ],
    operands: [.init(name: "PATH", value: .path, isOptional: true)],
    flags: [
      Flag(.since, value: ("WHEN", .when), "Only since WHEN."),
      Flag(.until, value: ("WHEN", .when), "Only until WHEN."),
      Flag(.stat, "With the number of words added and removed; this reads all that changed."),
    ],
    examples: [
      .init(line: "verso activity", purpose: "The last year"),
      .init(line: "verso activity journal --since 2025-01-01", purpose: "One folder, for longer"),
    ])
}

// MARK: The whole of it

extension CommandTable {
  static let export = Command(
    name: .export,
    summary: "Write an old state into a directory of its own",
    description: [
      "Writes what the vault, or PATH in it, held as of WHEN into DIR, as plain files without a "
        + "history: names and folders are those of that time, below DIR as they were below the "
        + "vault. DIR must be empty or missing, and outside the vault; nothing is ever overwritten.",
      "The vault is that of -C, else that of PATH or the current directory. Line ends and filters "
        + "follow the .gitattributes of that time. Each file has the time of the version that its "
        + "content is from; links stay links, and nested repositories are left out.",
    ],
    operands: [
      .init(name: "DIR", value: .folder), .init(name: "PATH", value: .path, isOptional: true),
    ],
    flags: [
      Flag(.at, value: ("WHEN", .when), "The time or version; the last one without this."),
      Flag(.dryRun, "Say what would be written, and write nothing."),
    ],
    examples: [
      .init(
        line: "verso export /tmp/march --at 2026-03-31", purpose: "All notes at the end of March"),
      .init(line: "verso export ~/old --at ~3 journal", purpose: "One folder, three versions back"),
    ],
    exitCodes: [.refused])

  static let compact = Command(
    name: .compact,
    summary: "Store the history in less room",
    description: [
      "Lets 'git gc' pack all objects together, and drops what Verso keeps only to be faster; sizes "
        + "before and after are printed. Without a git program, loose objects are put into one "
        + "pack.",
      "History is not changed: everything that a branch, a tag, a reflog or Verso itself leads to "
        + "stays, and what nothing leads to stays for two weeks. Saves do a little of this by "
        + "themselves, so this is seldom needed. While it works, saves wait.",
    ],
    writes: true,
    examples: [.init(line: "verso compact -C ~/notes", purpose: "After a long while")],
    exitCodes: [.locked, .refused])
}
