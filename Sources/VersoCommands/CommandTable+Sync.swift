// MARK: Several devices

extension CommandTable {
  static let clone = Command(
    name: .clone,
    summary: "Make a vault of what other devices have saved",
    description: [
      "Fetches the repository at URL into DIR, which is made and named after it without one, and must "
        + "be empty: to join a directory that holds notes already, use 'verso init --remote'. Each "
        + "file gets the time of its version."
    ],
    operands: [
      .init(name: "URL", value: .text), .init(name: "DIR", value: .folder, isOptional: true),
    ],
    flags: [
      Flag(
        .device, value: ("NAME", .text),
        "What this machine is called in history; the host name without this.")
    ],
    writes: true,
    examples: [
      .init(line: "verso clone nas:notes.git", purpose: "The notes on a second device")
    ],
    exitCodes: [.attention, .locked, .refused, .unreachable])

  static let sync = Command(
    name: .sync,
    summary: "Save, take in what other devices saved, and send them the rest",
    description: [
      "For the vault at or above DIR, or the current directory. Changes of two devices are joined line "
        + "by line, and no conflict marker ever gets into a note: where both changed the same lines, "
        + "the version that was worked on more stays, and the other becomes a file beside it, which "
        + "'verso conflicts' lists. Without a remote it is 'verso save'.",
      "A device gets 30 seconds to answer, and 60 without progress. Nothing is ever forced on the "
        + "remote: one whose history was rewritten is left alone (5). Where it cannot be reached, "
        + "everything is saved here all the same (6).",
      "Many deletions at once by other devices are held back like those on the disk.",
    ],
    operands: [.init(name: "DIR", value: .folder, isOptional: true)],
    flags: [
      Flag(.all, "Each of your vaults: those that 'verso init' and 'verso clone' have made."),
      Flag(
        .timeout, value: ("DURATION", .duration), "How long all of it may take, for each vault."),
      Flag(
        .grace, value: ("DURATION", .duration),
        "Say nothing of a remote that is out of reach for so long, and end with 0; then a line a day "
          + "and 6."),
      allowMassDelete,
    ],
    writes: true,
    examples: [
      .init(line: "verso sync", purpose: "Now"),
      .init(line: "verso sync -q --all --grace 24h", purpose: "From cron"),
    ],
    exitCodes: [.attention, .locked, .refused, .unreachable])

  static let conflicts = Command(
    name: .conflicts,
    summary: "List and end conflicts between devices",
    description: [
      "'list', which is what it does without a word, shows each conflict copy with the words in which "
        + "it and the note differ. 'resolve PATH' ends one, where PATH is the note or the copy: "
        + "--keep this drops the copy, --keep copy puts its text into the note, --keep both gives the "
        + "copy a name of its own, and --merge opens the lines of both in your editor, without "
        + "markers, and keeps what you leave. Each is a version, which 'verso undo' takes back.",
      "A conflict copy is a file like any other: to edit, rename or delete it in another program is as "
        + "good.",
    ],
    operands: [
      .init(name: "list|resolve", value: .choice(["list", "resolve"]), isOptional: true),
      .init(name: "PATH", value: .path, isOptional: true),
    ],
    flags: [
      Flag(
        .keep, value: ("WHAT", .choice(["this", "copy", "both"])), "Which version stays."),
      Flag(.merge, "Edit both versions in one text."),
    ],
    writes: true,
    examples: [
      .init(line: "verso conflicts", purpose: "What is open"),
      .init(
        line: "verso conflicts resolve todo.md --keep this", purpose: "The note is right as it is"),
    ],
    exitCodes: [.attention, .locked, .refused])
}
