/// A kind of object that `--json` prints, as `verso help json` describes it.
///
/// Scripts rely on this: fields are added over time, never removed.
package struct JSONType: Sendable {
  /// What the field `type` holds.
  package enum Name: String, Sendable, CaseIterable {
    case saved
    case skipped
    case held
    case conflict
    case fetched
    case pushed
    case status
    case version
    case entry
    case hunk
    case match
    case event
    case error
  }

  /// A field besides `type`.
  package struct Field: Sendable {
    package let name: String
    package let doc: String
    /// Whether some objects come without it.
    package let isOptional: Bool

    init(_ name: String, _ doc: String, isOptional: Bool = false) {
      self.name = name
      self.doc = doc
      self.isOptional = isOptional
    }
  }

  package let name: Name
  /// One line, without a full stop.
  package let summary: String
  package let fields: [Field]
  /// An object with every field.
  package let example: String

  private init(_ name: Name, _ summary: String, _ fields: [Field], example: String) {
    self.name = name
    self.summary = summary
    self.fields = fields
    self.example = example
  }

  /// The description of a kind.
  package static subscript(name: Name) -> JSONType {
    guard let found = all.first(where: { $0.name == name }) else {
      preconditionFailure("every type is in the table")
    }
    return found
  }

  package static let all: [JSONType] = local + remote + listings + others

  private static let local = [
    JSONType(
      .saved, "A version was made",
      [
        Field("id", "id of the commit"),
        Field("time", "when"),
        Field("subject", "first line of its description"),
        Field("device", "the device that made it"),
        Field("added", "number of files added"),
        Field("edited", "number of files edited"),
        Field("renamed", "number of files renamed or moved"),
        Field("deleted", "number of files deleted"),
      ],
      example: """
        {"type":"saved","id":"1a2b3c4d5e6f708192a3b4c5d6e7f8091a2b3c4d",\
        "time":"2026-11-28T13:30:05Z","subject":"Edit ideas/todo.md","device":"desk",\
        "added":0,"edited":1,"renamed":0,"deleted":0}
        """),
    JSONType(
      .skipped, "A path was left as it was last saved",
      [
        Field("path", "the path"),
        Field(
          "reason",
          "one word: unreadable, large, busy, special, nested, filter, mounted, name, blocked"),
        Field("message", "the same for people"),
      ],
      example: """
        {"type":"skipped","path":"video.mp4","reason":"large",\
        "message":"larger than verso.maxFileSize"}
        """),
    JSONType(
      .held, "Something was not done for safety",
      [
        Field(
          "reason",
          "one word: deletions, merge, rebase, bisect, cherry-pick, revert, am, commit, head, root"),
        Field("message", "the same for people"),
        Field("paths", "the deletions that are held back", isOptional: true),
        Field("hint", "what to do", isOptional: true),
      ],
      example: """
        {"type":"held","reason":"deletions","message":"11 of 20 files are gone",\
        "paths":["a.md","b.md"],"hint":"verso save --allow-mass-delete"}
        """),
    JSONType(
      .conflict, "A conflict copy is there",
      [
        Field("path", "the note"),
        Field("copy", "the file beside it"),
        Field("device", "whose version the copy holds"),
        Field("time", "when it was made"),
      ],
      example: """
        {"type":"conflict","path":"todo.md","copy":"todo (conflict, phone).md",\
        "device":"phone","time":"2026-11-28T13:30:05Z"}
        """),
  ]

  private static let remote = [
    JSONType(
      .fetched, "Versions came from the remote",
      [
        Field("remote", "its name"),
        Field("branch", "the branch"),
        Field("from", "id of its tip before; null at first"),
        Field("to", "id of its tip now"),
        Field("versions", "number of versions that are new here"),
      ],
      example: """
        {"type":"fetched","remote":"origin","branch":"main",\
        "from":"1a2b3c4d5e6f708192a3b4c5d6e7f8091a2b3c4d",\
        "to":"2b3c4d5e6f708192a3b4c5d6e7f8091a2b3c4d5e","versions":3}
        """),
    JSONType(
      .pushed, "Versions went to the remote",
      [
        Field("remote", "its name"),
        Field("branch", "the branch"),
        Field("from", "id of its tip before; null at first"),
        Field("to", "id of its tip now"),
        Field("versions", "number of versions that are new there"),
      ],
      example: """
        {"type":"pushed","remote":"origin","branch":"main","from":null,\
        "to":"2b3c4d5e6f708192a3b4c5d6e7f8091a2b3c4d5e","versions":12}
        """),
  ]

  private static let listings = [
    JSONType(
      .status, "How a vault stands",
      [
        Field("vault", "its directory"),
        Field("branch", "the branch that HEAD names; null if it is detached"),
        Field("head", "id of the last version; null before the first"),
        Field("changes", "what has not been saved: path, change (A, M, D, R), from"),
        Field("skipped", "what is skipped: path, reason, message"),
        Field("held", "what is held back: reason, message, paths"),
        Field(
          "spacedOut",
          "files saved at most every half hour, as their versions would fill the history"),
        Field("conflicts", "open conflict copies: path, copy"),
        Field("pending", "files whose newer version is not written yet"),
        Field("lastSave", "when; null before the first"),
        Field("lastSync", "when it last went well; null before the first, and without a remote"),
        Field("remote", "the remote in use; null without one"),
        Field("ahead", "number of versions the remote lacks; null without one"),
        Field("behind", "number of versions missing here; null without one"),
        Field(
          "watcher",
          "the running 'verso watch': process, since (null while it is busy); null without one"),
        Field(
          "pausedUntil",
          "when saving goes on, or 'forever' for when it is told to; null if it is not paused"),
        Field(
          "syncFailure",
          "why the last synchronisation failed: code, message, since; null if it did not"),
      ],
      example: """
        {"type":"status","vault":"/home/ada/notes","branch":"main",\
        "head":"1a2b3c4d5e6f708192a3b4c5d6e7f8091a2b3c4d",\
        "changes":[{"path":"ideas/todo.md","change":"M"}],"skipped":[],"held":[],\
        "spacedOut":[],"conflicts":[],"pending":[],"lastSave":"2026-11-28T13:30:05Z",\
        "lastSync":null,"remote":null,\
        "ahead":null,"behind":null,"watcher":{"process":4711,\
        "since":"2026-11-28T08:00:00Z"},"pausedUntil":null,"syncFailure":null}
        """),
    JSONType(
      .version, "A version, in 'log' and where 'restore' offers some",
      [
        Field("id", "id of the commit"),
        Field("time", "when"),
        Field("device", "the device that made it; null if none is named"),
        Field("author", "name of its author"),
        Field("subject", "first line of its description"),
        Field("path", "the path at that time, where one was asked for", isOptional: true),
        Field("change", "what became of that path: A, M, D or R", isOptional: true),
        Field("from", "its path before, if it was renamed", isOptional: true),
        Field(
          "files",
          "with --names or --stat: path, change (A, M, D, R), from, wordsAdded, wordsRemoved",
          isOptional: true),
      ],
      example: """
        {"type":"version","id":"1a2b3c4d5e6f708192a3b4c5d6e7f8091a2b3c4d",\
        "time":"2026-11-28T13:30:05Z","device":"desk","author":"Ada",\
        "subject":"Rename todo.md","path":"ideas/todo.md","change":"R","from":"todo.md",\
        "files":[{"path":"ideas/todo.md","change":"R","from":"todo.md","wordsAdded":4,\
        "wordsRemoved":2}]}
        """),
    JSONType(
      .entry, "A file or folder, in 'ls' and 'show'",
      [
        Field("path", "the path"),
        Field("kind", "one word: folder, file, executable, link, repository"),
        Field("id", "id of its content; null for a folder without one"),
        Field("size", "bytes; null for what is no file"),
        Field("content", "the bytes, in 'show'", isOptional: true),
      ],
      example: """
        {"type":"entry","path":"ideas/todo.md","kind":"file",\
        "id":"3c4d5e6f708192a3b4c5d6e7f8091a2b3c4d5e6f","size":5,"content":"milk\\n"}
        """),
    JSONType(
      .hunk, "A changed passage, in 'diff'; lines of one version, in 'who'",
      [
        Field("path", "the path"),
        Field("change", "in 'diff': what became of the file: A, M, D or R", isOptional: true),
        Field(
          "from", "its path before, if it was renamed; in 'who' its path in that version",
          isOptional: true),
        Field("isBinary", "whether the file is no text; then there are no lines"),
        Field("oldStart", "number of the passage's first line before, in 'who' in that version"),
        Field("oldCount", "number of its lines before; 0 for what is not saved yet"),
        Field("newStart", "number of its first line now"),
        Field("newCount", "number of its lines now"),
        Field("lines", "each with kind (context, removed, added) and text"),
        Field(
          "id",
          "in 'who': id of the commit that wrote them; null for what is not saved yet, as "
            + "are the next three", isOptional: true),
        Field("time", "in 'who': when", isOptional: true),
        Field("device", "in 'who': the device, else the author", isOptional: true),
        Field("subject", "in 'who': first line of the commit's description", isOptional: true),
      ],
      example: """
        {"type":"hunk","path":"todo.md","change":"R","from":"list.md","isBinary":false,\
        "oldStart":1,"oldCount":1,"newStart":1,"newCount":1,\
        "lines":[{"kind":"removed","text":"milk"},{"kind":"added","text":"oat milk"}],\
        "id":"1a2b3c4d5e6f708192a3b4c5d6e7f8091a2b3c4d","time":"2026-11-28T13:30:05Z",\
        "device":"desk","subject":"Edit todo.md"}
        """),
    JSONType(
      .match, "A line that was searched for",
      [
        Field("path", "the note"),
        Field("line", "number of the line, from 1"),
        Field("text", "the line"),
        Field("version", "id of the last version that holds it; null if the note still does"),
        Field("until", "when it was taken out, where it is in no note now", isOptional: true),
      ],
      example: """
        {"type":"match","path":"ideas/todo.md","line":3,"text":"buy oat milk","version":"5b3f0d6c1e2a4f8890abcdef1234567890abcdef","until":"2026-03-14T17:20:05Z"}
        """),
  ]

  private static let others = [
    JSONType(
      .event, "Something happened, or was done",
      [
        Field(
          "event",
          "one word, such as created, adopted, restored, undone, redone, forgotten, checked, "
            + "fixed, planned, identity, unsigned, paused, resumed, scheduled, unscheduled, shown, vault (with --all, before what "
            + "is about that one); of watch: started, saved, paused, "
            + "resumed, waiting, offline, online, rescan, limit, unsynced, stopped; of sync: "
            + "pending; of conflicts: resolved; of activity: day; of log --digest: digest; "
            + "exported, compacted"),
        Field("time", "when"),
        Field("message", "the same for people"),
        Field("path", "the path it is about", isOptional: true),
        Field("topic", "with checked and fixed: what was looked at", isOptional: true),
        Field("level", "with checked and fixed: ok, look, bad or fixed", isOptional: true),
        Field("hint", "what to do", isOptional: true),
        Field(
          "vault", "with those of watch, paused, resumed, shown and (un)scheduled: its directory",
          isOptional: true),
        Field(
          "until",
          "with paused: when saving goes on, or 'forever' for when it is told to; with digest: its "
            + "end", isOptional: true),
        Field(
          "means", "with shown and (un)scheduled: systemd or cron; with compacted: git or own",
          isOptional: true),
        Field(
          "unit", "with (un)scheduled: the unit, or crontab; with shown: the same, or its file",
          isOptional: true),
        Field(
          "every", "with (un)scheduled: how often; null for a service that watches",
          isOptional: true),
        Field(
          "next", "with scheduled: when it runs next; null where nobody knows", isOptional: true),
        Field("program", "with (un)scheduled: what is run", isOptional: true),
        Field(
          "day", "with day and digest: the date, in local time; the first of several",
          isOptional: true),
        Field("saves", "with day and digest: number of versions", isOptional: true),
        Field(
          "count",
          "number of files: with exported, those written; with digest, and with day and --stat, "
            + "those changed", isOptional: true),
        Field("wordsAdded", "with digest, and with day and --stat", isOptional: true),
        Field("wordsRemoved", "likewise", isOptional: true),
        Field("devices", "with digest: the devices that saved", isOptional: true),
        Field(
          "files",
          "with digest: path, change (A, M, D, R), from, saves, wordsAdded, wordsRemoved",
          isOptional: true),
        Field("id", "with exported: id of the commit", isOptional: true),
        Field("bytesBefore", "with compacted: bytes on the disk", isOptional: true),
        Field("bytesAfter", "with compacted: the same now", isOptional: true),
      ],
      example: """
        {"type":"event","event":"restored","time":"2026-11-28T13:30:05Z",\
        "message":"restored todo.md as of yesterday","path":"todo.md",\
        "topic":"index","level":"ok","hint":"run: verso doctor --fix",\
        "vault":"/home/ada/notes","until":"2026-11-28T14:00:00Z",\
        "means":"systemd","unit":"verso-home-ada-notes.timer","every":"10m",\
        "next":"2026-11-28T13:37:00Z","program":"/usr/local/bin/verso",\
        "day":"2026-11-28","saves":2,"count":1,"wordsAdded":4,"wordsRemoved":2,\
        "devices":["desk"],"files":[{"path":"todo.md","change":"M","saves":2,\
        "wordsAdded":4,"wordsRemoved":2}],"id":"1a2b3c4d5e6f708192a3b4c5d6e7f8091a2b3c4d",\
        "bytesBefore":18234567,"bytesAfter":1234567}
        """),
    JSONType(
      .error, "A failure; on standard error",
      [
        Field("code", "the exit code"),
        Field("message", "what failed"),
        Field("path", "on which path", isOptional: true),
        Field("hint", "what to do", isOptional: true),
      ],
      example: """
        {"type":"error","code":4,"message":"another verso is saving this vault",\
        "path":"notes","hint":"try again, or give it longer with --wait"}
        """),
  ]
}
