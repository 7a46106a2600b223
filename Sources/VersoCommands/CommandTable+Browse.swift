extension CommandTable {
  static let browse = Command(
    name: .browse,
    summary: "Read, edit and go back in time in the terminal",
    description: [
      "Shows the vault at or above DIR, or the current directory, in up to three panes: folders, files "
        + "and the note. It follows what other programs change, saves what you edit when you leave the "
        + "note, and shows with H every version of a note or folder. Press ? for the keys.",
      "As narrow as a phone it shows one pane at a time. Everything that it does to files is a version "
        + "of its own, which u takes back.",
      "On a terminal whose cursor cannot be placed (TERM=dumb) it prints numbered rows and takes lines: a "
        + "number, the name of a command, or ? for what there is.",
      "Without a terminal it can print what it would show: one frame with --dump, or, with --script, "
        + "what comes of keys and of changes on the disk.",
    ],
    operands: [.init(name: "DIR", value: .folder, isOptional: true)],
    flags: [
      Flag(.dump, value: ("WxH", .text), "Print one frame of this size, such as 80x24, and end."),
      Flag(
        .script, value: ("FILE", .path),
        "Play the steps in FILE, a line each, print the frames it asks for, and end; with the size of "
          + "--dump, or 80x24."),
      Flag(.noMouse, "Leave the mouse to the terminal."),
      Flag(.noAnimation, "Let panes jump instead of slide; so over ssh."),
      Flag(
        .accessible,
        "For screen readers: no lines, no movement, one pane at a time, and what happens is told in "
          + "sentences above the status."),
      Flag(.rtl, "Put the panes from right to left."),
      Flag(
        .theme, value: ("NAME", .choice(["dark", "light", "high-contrast", "mono"])),
        "How it looks; dark without this. T changes it."),
      Flag(.debugLayout, "Say in the title row how the panes were arranged, and why."),
    ],
    examples: [
      .init(line: "verso browse ~/notes", purpose: "Until q"),
      .init(line: "verso browse --dump 100x30", purpose: "One screen as text"),
    ])
}
