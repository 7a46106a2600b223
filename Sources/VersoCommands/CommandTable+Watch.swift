// MARK: Saving by itself

extension CommandTable {
  static let watch = Command(
    name: .watch,
    summary: "Save every change by itself, once it has settled",
    description: [
      "Stays in the foreground and saves each change of the vault at or above DIR, or the current "
        + "directory, once nothing has changed for a while, or 30 seconds after the first change "
        + "of many. Prints a line for each version and for whatever stands in the way.",
      "Other commands work beside it as ever; 'save' and 'status' ask it. SIGTERM and SIGINT save "
        + "what has settled and end it. Under systemd it says when it is ready, what it is doing, "
        + "and that it is alive (Type=notify, WatchdogSec=).",
    ],
    operands: [.init(name: "DIR", value: .folder, isOptional: true)],
    flags: [
      Flag(
        .settle, value: ("DURATION", .duration),
        "How long nothing must have changed; verso.settle or 2s without this."),
      Flag(
        .syncEvery, value: ("DURATION|never", .durationOrNever),
        "How often to synchronise with the remote, where there is one; verso.syncEvery or 5m "
          + "without this."),
    ],
    examples: [
      .init(line: "verso watch ~/notes", purpose: "Until Ctrl-C"),
      .init(line: "verso watch --settle 10s --json", purpose: "In your own script"),
    ],
    exitCodes: [.locked, .refused])

  static let pause = Command(
    name: .pause,
    summary: "Hold what is saved by itself",
    description: [
      "While a vault is paused, 'verso watch' notes what changes and saves nothing: for DURATION, or "
        + "until 'verso resume'. A pause in place of another counts from now. An explicit 'verso "
        + "save' saves all the same, and 'verso status' shows the pause.",
      "DURATION is a number with its unit: 500ms, 30s, 5m, 1h or 7d.",
    ],
    operands: [.init(name: "DURATION", value: .duration, isOptional: true)],
    writes: true,
    examples: [
      .init(line: "verso pause 20m", purpose: "While a program rewrites everything"),
      .init(line: "verso pause", purpose: "Until 'verso resume'"),
    ],
    exitCodes: [.refused])

  static let resume = Command(
    name: .resume,
    summary: "End a pause",
    description: [
      "Lets 'verso watch' save again, what has changed meanwhile included. A vault that is not "
        + "paused stays as it is."
    ],
    writes: true,
    examples: [.init(line: "verso resume", purpose: "Go on")],
    exitCodes: [.refused])
}
