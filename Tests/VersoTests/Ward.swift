import Testing
import VersoDisk
import VersoGit
import VersoModel
import VersoTestSupport

@testable import Verso

/// A vault whose disk fails, and a book of all that was ever written to it.
final class Ward {
  private let scratch: Scratch
  /// Contents that have to be on disk or in history; each is unique.
  private var contents = Set<String>()
  private var heads: [ObjectID] = []

  init(isVault: Bool = true) throws {
    scratch = try Scratch("verso-ward", inMemory: true)
    if !isVault { return }
    for number in 0..<5 { try write("first \(number)\n", to: "a/note-\(number).md") }
    try write("top first\n", to: "top.md")
    try makeVault()
    heads.append(try head())
  }

  var root: String { scratch.path }

  func head() throws -> ObjectID {
    try #require(try ObjectID(hex: scratch.git("rev-parse", "HEAD")))
  }

  // MARK: The disk

  func write(_ text: String, to name: String) throws {
    contents.insert(text)
    try scratch.write(text, to: name)
  }

  /// Writes what need not be kept.
  func writeUnbooked(_ text: String, to name: String) throws { try scratch.write(text, to: name) }

  /// An edit, a new note, one that goes (saved before, so it is in history) and one that moves.
  func edit(_ number: Int) throws {
    try write("edit \(number)\n", to: "a/note-1.md")
    try write("new \(number)\n", to: "a/b/new-\(number).md")
    try write("top \(number)\n", to: "top.md")
    if scratch.text(of: "a/note-2.md") == nil {
      try write("again \(number)\n", to: "a/note-2.md")
    } else {
      try run(["rm", scratch.at("a/note-2.md")])
    }
  }

  /// More files than are written one by one.
  func editMany(_ number: Int) throws {
    for note in 0..<510 { try write("many \(number) \(note)\n", to: "many/note-\(note).md") }
  }

  // MARK: Work

  /// A disk whose `number`th call fails.
  ///
  /// Of hundreds of notes that are all read alike, the calls for a few count.
  func store(_ trouble: FailingStoreTests.Trouble, at number: Int) -> SickStore {
    SickStore(trouble, at: number)
  }

  func makeVault(_ store: any FileStore = SystemFileStore()) throws {
    var initialiser = Initialiser(directory: root) { _ in true }
    initialiser.wait = 0
    initialiser.store = store
    _ = try initialiser.run()
  }

  func makeVault(_ store: SickStore) throws { try makeVault(store.files) }
  func save(_ store: SickStore) throws { try save(store.files) }

  func save(_ store: any FileStore = SystemFileStore(), wait: Double = 0) throws {
    var request = SaveRequest()
    request.settles = false
    request.wait = wait
    _ = try Engine(root: root, store: store).save(request)
  }

  func restore(_ name: String, from commit: ObjectID) throws {
    let engine = try Engine(root: root)
    let path = try #require(RelativePath(Array(name.utf8)))
    var request = RestoreRequest(path: path)
    request.place = try engine.place(of: path, at: commit)
    _ = try engine.restore(request)
  }

  /// Runs something on a failing disk: what it throws is for people.
  func attempt(_ place: String, _ body: () throws -> Void) {
    do { try body() } catch let error as VersoError {
      #expect(Self.isClear(error), "\(place): \(error)")
    } catch { Issue.record("\(place): \(type(of: error)) \(error)") }
  }

  /// Whether a message says what failed, where, and what to do.
  private static func isClear(_ error: VersoError) -> Bool {
    guard error.hint != nil else { return false }
    return ["/", "top.md", " a:", " many:"].contains { error.message.contains($0) }
  }

  // MARK: Looking

  /// What has to be true on a disk that works again.
  func recover(_ place: String) throws {
    // A program that another test starts has this process's locks until it executes.
    do { try save(wait: 10) } catch { Issue.record("\(place), then a save: \(error)") }
    let script = """
      git status --porcelain
      find .git -name '*.lock' -o -name 'tmp_*' -o -name '*.tmp'
      for pack in .git/objects/pack/*.pack; do
        test -e "$pack" && ! test -e "${pack%.pack}.idx" && echo "no index: $pack"
      done
      ls -A .git/verso/stage 2>/dev/null
      ls -d .git/verso/journal .verso-* 2>/dev/null
      git ls-tree -r --name-only HEAD >.git/tracked; git ls-files | cmp - .git/tracked
      find . -path ./.git -prune -o -type f -printf '%P\\n' | LC_ALL=C sort | cmp - .git/tracked
      """
    let look = try run(["sh", "-c", script], in: root)
    #expect(look.text == "" && look.error == "", "\(place)")
    if isFullRun, heads.count % 8 == 0 { try check(place) }
    heads.append(try head())
  }

  private func check(_ place: String) throws {
    let check = try run(["git", "fsck", "--strict", "--no-dangling", "--no-progress"], in: root)
    #expect(check.status == 0 && check.error == "", "\(place): \(check.text)\(check.error)")
  }

  /// What has to be true at the end: what is broken or lost does not come back by itself.
  func finish() throws {
    try check("at the end")
    let history = Set(try scratch.git("rev-list", "HEAD").split(separator: "\n"))
    for head in heads { #expect(history.contains(Substring(head.hex))) }
    let objects = try scratch.git("rev-list", "--objects", "--no-object-names", "HEAD")
    let held = Set(objects.split(separator: "\n"))
    // A save makes everything on disk history: there is no other place left to look.
    for content in contents {
      let id = try Repository.blobID(of: Array(content.utf8))
      if !held.contains(Substring(id.hex)) { Issue.record("lost: \(content)") }
    }
  }
}

/// A disk of which one call fails, and whether it came to that.
final class SickStore: Sendable {
  private let counter: Counter
  let files: FailingFileStore

  private final class Counter: Sendable {
    let value = Locked(0)
  }

  private let number: Int

  /// The first calls for each kind of note count; the others are like them.
  init(_ trouble: FailingStoreTests.Trouble, at number: Int) {
    let counter = Counter()
    self.counter = counter
    self.number = number
    files = FailingFileStore { event in
      guard trouble.concerns(event), !Self.isOneOfMany(event.path) else { return nil }
      let count = counter.value.withLock { count in
        count += 1
        return count
      }
      return count == number || trouble == .full && count > number ? trouble.code : nil
    }
  }

  private static func isOneOfMany(_ path: String) -> Bool {
    guard let start = path.firstRange(of: "note-")?.upperBound else { return false }
    return (Int(path[start...].prefix { $0.isNumber }) ?? 0) > 5
  }

  var hasFailed: Bool { counter.value.withLock { $0 >= number } }
}
