// MARK: Letting the machine do it

extension CommandTable {
  static let schedule = Command(
    name: .schedule,
    summary: "Let the machine synchronise a vault by itself",
    description: [
      "'add' lets the machine run 'verso sync' for the vault at or above DIR, or the current "
        + "directory, again and again; with --watch, 'verso watch' all the time. By systemd where "
        + "it answers, with units of yours, or of the system as root, which then run as the "
        + "vault's owner; else by a line of the crontab. Adding the same again changes nothing, "
        + "and 'remove' takes out just that. 'list' shows what is there, of one vault or of all.",
      "Each machine and vault comes at a minute of its own. A vault without a remote is saved.",
    ],
    operands: [
      .init(name: "ACTION", value: .choice(ScheduleCommand.Action.allCases.map(\.rawValue))),
      .init(name: "DIR", value: .folder, isOptional: true),
    ],
    flags: [
      Flag(
        .every, value: ("DURATION", .duration),
        "How often; 10m without this. With cron it must divide an hour or a day. With --watch: how "
          + "often to synchronise at least."),
      Flag(.watch, "Run 'verso watch' as a service instead."),
      Flag(.systemd, "By systemd, and nothing else."),
      Flag(.cron, "By cron, and nothing else."),
      Flag(.print, "Print what would be installed, and do nothing."),
    ],
    writes: true,
    examples: [
      .init(line: "verso schedule add ~/notes", purpose: "Every ten minutes from now on"),
      .init(
        line: "verso schedule add --watch ~/notes", purpose: "At once, whenever something changes"),
      .init(
        line: "verso schedule add --every 1h --cron --print", purpose: "Show the crontab's line"),
      .init(line: "verso schedule list", purpose: "What runs when"),
    ],
    exitCodes: [.locked, .refused])
}
