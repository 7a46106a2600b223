/// An option as the table describes it.
package struct Flag: Sendable {
  /// What an option is known by; the raw value is its long form, where it has one.
  package enum Name: String, Sendable, CaseIterable {
    case accessible
    case all
    case allowMassDelete = "allow-mass-delete"
    case at
    case `as`
    case check
    case color
    case create
    case cron
    case debugLayout = "debug-layout"
    case device
    case digest
    case directory
    case dryRun = "dry-run"
    case dump
    case every
    case exact
    case fix
    case force
    case from
    case grace
    case gitDir = "git-dir"
    case help
    case json
    case history
    case `in`
    case keep
    case limit
    case lines
    case maxAge = "max-age"
    case merge
    case message
    case names
    case noAnimation = "no-animation"
    case noMouse = "no-mouse"
    case null
    case print
    case quiet
    case raw
    case regex
    case remote
    case rtl
    case script
    case settle
    case since
    case stat
    case syncEvery = "sync-every"
    case systemd
    case theme
    case timeout
    case to
    case until
    case verbose
    case version
    case wait
    case watch
    case words
    case yes
  }

  package let name: Name
  /// The long form, without its dashes; `nil` where there is only a short one.
  package let long: String?
  /// The short form, one ASCII character.
  package let short: Character?
  /// What the value is called in usage lines, and what it holds; `nil` for a flag without one.
  package let value: (name: String, kind: Value)?
  /// One or more sentences.
  package let doc: String

  /// Makes an option.
  ///
  /// - Parameters:
  ///   - name: What it is known by, and its long form.
  ///   - short: The short form.
  ///   - hasLong: Whether it has a long form at all.
  ///   - value: The value's name and kind.
  ///   - doc: One or more sentences.
  package init(
    _ name: Name, short: Character? = nil, hasLong: Bool = true,
    value: (name: String, kind: Value)? = nil, _ doc: String
  ) {
    self.name = name
    self.long = hasLong ? name.rawValue : nil
    self.short = short
    self.value = value
    self.doc = doc
  }

  /// The form that messages name: the long one, where there is one.
  package var spelling: String {
    if let long { return "--\(long)" }
    return short.map { "-\($0)" } ?? ""
  }

  /// Every form, the short one first.
  package var spellings: [String] {
    [short.map { "-\($0)" }, long.map { "--\($0)" }].compactMap(\.self)
  }

  /// The value as usage lines have it: its choices, or its name.
  package var valueUsage: String? {
    guard let value else { return nil }
    if case .choice(let choices) = value.kind { return choices.joined(separator: "|") }
    return value.name
  }

  /// As usage lines have it: `[-m TEXT]`.
  package var usage: String {
    let value = valueUsage.map { " \($0)" } ?? ""
    return "[\(short.map { "-\($0)" } ?? spelling)\(value)]"
  }
}
