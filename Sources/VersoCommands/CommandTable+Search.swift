extension CommandTable {
  static let search = Command(
    name: .search,
    summary: "Find words in notes, and in what they once held",
    description: [
      "Lists the notes that hold all WORDS, best first, with the lines that show it. Several words in "
        + "one argument are a phrase; 'word*' finds what begins with it. Upper and lower case, and "
        + "diacritics, are the same. Notes are searched as they are now, saved or not.",
      "With --history also text that is in no note now: where it was last, until when, and what to "
        + "type to see it or bring it back. The first such search of a vault makes an index of its "
        + "history, which takes a while where that is long; saves keep it up to date.",
      "With --regex, WORDS is one regular expression, as grep -E takes it, matched line by line "
        + "without regard to case.",
    ],
    operands: [.init(name: "WORDS", value: .text, isRepeating: true)],
    flags: [
      Flag(.in, value: ("PATH", .path), "Only this note or folder."),
      Flag(.history, "Also what is in no note now."),
      Flag(.regex, "WORDS is a regular expression."),
      Flag(
        .since, value: ("WHEN", .when),
        "Only notes changed since WHEN; with --history, text that was still there then."),
      Flag(
        .until, value: ("WHEN", .when),
        "Only notes not changed after WHEN; with --history, text that was there by then."),
      Flag(
        .limit, short: "n", hasLong: false, value: ("N", .number),
        "At most N notes, and N passages of history; 100 without this."),
    ],
    examples: [
      .init(line: "verso search oat milk", purpose: "Notes that hold both words"),
      .init(
        line: "verso search --history 'the lost paragraph'",
        purpose: "Where it was, and how to get it back"),
    ])
}
