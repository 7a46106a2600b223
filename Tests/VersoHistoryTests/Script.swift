import VersoGit
import VersoHistory
import VersoModel
import VersoTestSupport

/// Writes a history for `git fast-import`.
struct Script {
  enum Edit {
    case write(String, String, mode: String = "100644")
    case writeBytes([UInt8], [UInt8], mode: String = "100644")
    case delete(String)
    case rename(String, String)
  }

  private var stream: [UInt8] = []
  private(set) var count = 0
  /// Seconds since 1970 of the next commit; each takes a minute.
  var time: Int64 = 1_600_000_000

  /// Adds a commit to `main` and returns its mark.
  ///
  /// `parents` are marks: the commit before by default, none for a root.
  @discardableResult
  mutating func commit(
    _ message: String, _ edits: [Edit], parents: [Int]? = nil, at moment: Int64? = nil,
    author: String = "Ada"
  ) -> Int {
    let parents = parents ?? (count > 0 ? [count] : [])
    if let moment { time = moment }
    if parents.isEmpty { line("reset refs/heads/main") }
    count += 1
    line("commit refs/heads/main")
    line("mark :\(count)")
    line("author \(author) <a@example.invalid> \(time) +0100")
    line("committer \(author) <a@example.invalid> \(time) +0100")
    data(Array(message.utf8))
    for (index, parent) in parents.enumerated() {
      line("\(index == 0 ? "from" : "merge") :\(parent)")
    }
    for edit in edits { add(edit) }
    line("")
    time += 60
    return count
  }

  private mutating func add(_ edit: Edit) {
    switch edit {
    case .write(let path, let text, let mode):
      add(.writeBytes(Array(path.utf8), Array(text.utf8), mode: mode))
    case .writeBytes(let path, let content, let mode):
      stream += Array("M \(mode) inline ".utf8) + Self.quoted(path) + [0x0A]
      data(content)
    case .delete(let path):
      stream += Array("D ".utf8) + Self.quoted(Array(path.utf8)) + [0x0A]
    case .rename(let old, let new):
      stream += Array("R ".utf8) + Self.quoted(Array(old.utf8)) + [0x20]
      stream += Self.quoted(Array(new.utf8)) + [0x0A]
    }
  }

  /// A name in quotes, always: fast-import ends a bare old name of a rename at its first space.
  private static func quoted(_ name: [UInt8]) -> [UInt8] {
    let text = QuotedPath.quote(name)
    return text.first == 0x22 ? text : [0x22] + text + [0x22]
  }

  private mutating func line(_ text: String) { stream += Array(text.utf8) + [0x0A] }

  private mutating func data(_ bytes: [UInt8]) {
    line("data \(bytes.count)")
    stream += bytes + [0x0A]
  }

  /// Makes the repository.
  func run() throws -> Vault {
    let scratch = try Scratch("history")
    try scratch.git("init", "-q", "-b", "main")
    let marks = scratch.at(".git/marks")
    try scratch.git("fast-import", "--quiet", "--force", "--export-marks=\(marks)", input: stream)
    var ids: [Int: ObjectID] = [:]
    for row in (scratch.text(of: ".git/marks") ?? "").split(separator: "\n") {
      let fields = row.split(separator: " ")
      ids[Int(fields[0].dropFirst()) ?? 0] = ObjectID(hex: String(fields[1]))
    }
    return try Vault(scratch: scratch, ids: ids)
  }
}

/// A repository made by a ``Script``.
struct Vault {
  let scratch: Scratch
  let ids: [Int: ObjectID]
  let repository: Repository
  let history: History

  init(scratch: Scratch, ids: [Int: ObjectID] = [:]) throws {
    self.scratch = scratch
    self.ids = ids
    repository = try Repository(at: scratch.path)
    history = try History(repository)
  }

  /// The marks of commits, for messages that a person can read.
  func mark(_ id: ObjectID) -> Int { ids.first { $0.value == id }?.key ?? -1 }

  /// The commit with that mark.
  func id(_ mark: Int) throws -> ObjectID {
    guard let id = ids[mark] else { throw Failure("no commit has the mark \(mark)") }
    return id
  }

  /// The versions of a path, read from git's objects; those of an index must be the same.
  func versions(_ path: RelativePath) throws -> [Version] {
    var history = try history.versions(of: path)
    let versions = try history.all()
    if repository.workTree != nil, try repository.headCommit() != nil {
      var indexed = try indexed().versions(of: path)
      let found = try indexed.all()
      guard found == versions else {
        throw Failure(
          "the index has other versions of \(path): \(story(found)), not \(story(versions))")
      }
    }
    return versions
  }

  /// A history that is read from an index, made where it is missing.
  func indexed() throws -> History {
    let index = try HistoryIndex(at: scratch.at(".git/index.sqlite"), creates: true)
    let indexer = try HistoryIndexer(index, of: repository)
    if let head = try repository.headCommit() { _ = try indexer.catchUp(to: head) }
    return try History(repository, index: index)
  }

  private func story(_ versions: [Version]) -> [String] {
    versions.map { "\(mark($0.commit)) \($0.kind) \($0.path) \($0.life)" }
  }

  /// The versions of a path as text: mark, letter, name.
  func story(_ path: RelativePath) throws -> [String] {
    try versions(path).map { "\(mark($0.commit)) \($0.kind.letter) \($0.path)" }
  }

  /// What git prints, as lines.
  func lines(_ arguments: String...) throws -> [String] {
    let outcome = try run(["git"] + arguments, in: scratch.path)
    guard outcome.status == 0 else { throw Failure(outcome.error) }
    return outcome.text.split(separator: "\n").map(String.init)
  }
}

/// Ten lines that occur in no other text of another seed.
func paragraph(_ seed: String) -> String {
  (1...10).map { "\(seed) line \($0) of \(seed)\n" }.joined()
}

/// Words joined at random.
func randomLine(_ generator: inout SeededGenerator) -> String {
  let words = [
    "tea", "naïve", "größe", "茶を", "a", "the", "house", "42", "e\u{301}", "👩‍👩‍👧", "ไทย", "—", "(x)",
  ]
  return (0..<Int.random(in: 0...6, using: &generator))
    .map { _ in words.randomElement(using: &generator) ?? "" }.joined(separator: " ")
}

/// Lines at random, with one kind of ending and perhaps none at the end.
func randomText(_ generator: inout SeededGenerator, lines: Int = 30) -> [UInt8] {
  let ending = generator.chance(4) ? "\r\n" : "\n"
  var text = (0..<Int.random(in: 0...lines, using: &generator))
    .map { _ in randomLine(&generator) + ending }.joined()
  if generator.chance(4), text.hasSuffix(ending) { text.removeLast() }
  return Array(text.utf8)
}

/// A text with some lines changed, inserted, removed.
func randomEdit(of text: [UInt8], _ generator: inout SeededGenerator) -> [UInt8] {
  var lines = text.split(separator: 0x0A, omittingEmptySubsequences: false).map(Array.init)
  for _ in 0..<Int.random(in: 0...4, using: &generator) {
    let at = Int.random(in: 0...lines.count, using: &generator)
    switch Int.random(in: 0...2, using: &generator) {
    case 0: lines.insert(Array(randomLine(&generator).utf8), at: at)
    case 1 where at < lines.count: lines.remove(at: at)
    case 2 where at < lines.count:
      let words = lines[at].split(separator: 0x20, omittingEmptySubsequences: false).map(Array.init)
      var changed = words
      if let place = changed.indices.randomElement(using: &generator) {
        changed[place] = Array(randomLine(&generator).utf8)
      }
      lines[at] = Array(changed.joined(separator: [0x20]))
    default: break
    }
  }
  return Array(lines.joined(separator: [0x0A]))
}
