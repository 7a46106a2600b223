import Dispatch
import Glibc
import Testing
import VersoDisk
import VersoModel
import VersoTestSupport
import VersoWatch

@testable import Verso

/// One version of a vault: what it is called and all that it holds.
struct SavedVersion: Equatable, CustomStringConvertible {
  var subject: String
  /// By path; a link's target follows `-> `, an executable's content `x `.
  var files: [String: String]

  init(_ subject: String, _ files: [String: String]) {
    self.subject = subject
    self.files = files
  }

  var description: String {
    let files = files.sorted { $0.key < $1.key }
      .map { "\($0.key.debugDescription): \($0.value.prefix(60).debugDescription)" }
    return "\(subject.debugDescription) [\(files.joined(separator: ", "))]"
  }
}

/// Runs a script of sh(1) without holding up other tests.
///
/// `$OUT` is `outside`, for whatever must not lie in the vault.
@discardableResult
func shell(
  _ script: String, in folder: String, outside: String = "/nonexistent", deadline: Double = 60
) async throws -> String {
  let outcome = try await withCheckedThrowingContinuation { continuation in
    DispatchQueue.global().async {
      continuation.resume(
        with: Result {
          try run(
            ["sh", "-euc", script], in: folder,
            environment: ["OUT": outside, "GIT_OPTIONAL_LOCKS": "0"], deadline: deadline)
        })
    }
  }
  guard outcome.status == 0 else {
    throw Failure("\(script): \(outcome.status) \(outcome.error)\(outcome.text)")
  }
  return outcome.text
}

/// Runs blocking calls without holding up other tests.
func inBackground<R: Sendable>(_ body: @escaping @Sendable () throws -> R) async throws -> R {
  try await withCheckedThrowingContinuation { continuation in
    DispatchQueue.global().async { continuation.resume(with: Result(catching: body)) }
  }
}

extension WatchedVault {
  func git(_ arguments: String..., input: [UInt8]? = nil) throws -> Outcome {
    let outcome = try run(
      ["git", "-C", root] + arguments, input: input, environment: ["GIT_OPTIONAL_LOCKS": "0"])
    guard outcome.status == 0 else { throw Failure("git \(arguments): \(outcome.error)") }
    return outcome
  }

  /// All versions, the oldest first.
  func versions() throws -> [SavedVersion] {
    let log = try git("log", "--reverse", "--format=%H %s").text
    return try log.split(separator: "\n").map { line in
      SavedVersion(String(line.dropFirst(41)), try files(in: String(line.prefix(40))))
    }
  }

  /// What a version holds.
  func files(in version: String) throws -> [String: String] {
    let rows = try git("ls-tree", "-r", "-z", version).text.split(separator: "\0")
      .map { $0.split(separator: "\t", maxSplits: 1) }
    let ids = rows.map { $0[0].split(separator: " ")[2] }
    let contents = try contents(of: ids.map(String.init))
    var files: [String: String] = [:]
    for (row, content) in zip(rows, contents) {
      let sign = ["120000": "-> ", "100755": "x "][row[0].prefix(6), default: ""]
      files[String(row[1])] = sign + content
    }
    return files
  }

  private func contents(of ids: [String]) throws -> [String] {
    let input = Array(ids.map { $0 + "\n" }.joined().utf8)
    var rest = try git("cat-file", "--batch", input: input).output[...]
    return try ids.map { id in
      let head = rest.prefix { $0 != UInt8(ascii: "\n") }
      guard let word = head.split(separator: UInt8(ascii: " ")).last,
        let size = Int(String(decoding: word, as: UTF8.self))
      else { throw Failure("git has no object \(id)") }
      rest = rest.dropFirst(head.count + 1)
      defer { rest = rest.dropFirst(size + 1) }
      return String(decoding: rest.prefix(size), as: UTF8.self)
    }
  }

  func isSaved(_ subject: String) -> Bool { subjects.contains(subject) }

  /// Writes a last note and waits for its version: whatever was to be saved before has been by then.
  func waitForLast(atMost seconds: Double = 40) async throws {
    var text = Array("last\n".utf8)
    let path = Array("\(root)/last.md".utf8)
    let file = path.withCString { open($0, O_WRONLY | O_CREAT | O_CLOEXEC, 0o644) }
    guard file >= 0, write(file, &text, text.count) == text.count else {
      throw Failure("cannot write \(root)/last.md: errno \(errno)")
    }
    close(file)
    try await wait("the last note", atMost: seconds) { vault in
      vault.saves.contains { $0.changes.contains { $0.path == "last.md" } }
    }
  }

  /// Waits for as many versions as are expected, then compares everything: the history, that nothing
  /// more would be saved, that git finds nothing changed and nothing broken.
  func expect(
    _ expected: [SavedVersion], atMost seconds: Double = 40,
    sourceLocation: SourceLocation = #_sourceLocation
  ) async throws {
    try await wait("\(expected.count) versions", atMost: seconds) {
      $0.subjects.count >= expected.count
    }
    try await waitForLast()
    finish()
    let last = SavedVersion(
      "Add last.md",
      (try expected.last?.files ?? files(in: "HEAD~1")).merging(["last.md": "last\n"]) { $1 })
    let versions = try versions()
    #expect(Array(versions.dropFirst()) == expected + [last], sourceLocation: sourceLocation)
    #expect(
      try git("status", "--porcelain", "--untracked-files=all").text == "",
      sourceLocation: sourceLocation)
    _ = try git("fsck", "--strict")
    let paths = pathsAfterChanges(startingWith: try #require(versions.first).files.keys)
    #expect(paths == Set(last.files.keys), sourceLocation: sourceLocation)
  }

  /// The files that someone believes to be there who knew the first and was told of every change.
  private func pathsAfterChanges(startingWith first: some Sequence<String>) -> Set<String> {
    var paths = Set(first)
    func take(_ path: RelativePath) -> [String] {
      let path = String(decoding: path.bytes, as: UTF8.self)
      let taken = paths.filter { $0 == path || $0.hasPrefix(path + "/") }
      paths.subtract(taken)
      return taken.map { String($0.dropFirst(path.count)) }
    }
    for case .changed(let changes) in events {
      for case .removed(let path) in changes { _ = take(path) }
      for case .added(let path, _) in changes {
        paths.insert(String(decoding: path.bytes, as: UTF8.self))
      }
      // The renames of a moment happen at once: two may swap names.
      var moved: [String] = []
      for case .renamed(let old, let new) in changes {
        let name = String(decoding: new.bytes, as: UTF8.self)
        moved += take(old).map { name + $0 }
      }
      paths.formUnion(moved)
    }
    return paths
  }

  /// What changed in the model, without the last note.
  var distinctChanges: Set<LiveChange> {
    Set(changes).subtracting([.added("last.md", .file), .modified("last.md")])
  }
}

/// What a program does in a vault of one note, and what a careful person would have committed after.
struct Scene {
  let vault: WatchedVault
  let outside: Scratch

  init(
    _ files: [String: String] = ["note.md": "one\n"], settle: Double = 0.4,
    preparing prepare: @escaping @Sendable () -> Void = {},
    adjusting adjust: @escaping @Sendable (inout Watcher.Options) -> Void = { _ in }
  ) async throws {
    outside = try Scratch("verso-outside")
    let scratch = try Scratch()
    for (name, text) in files { try scratch.write(text, to: name) }
    vault = try await WatchedVault(
      scratch, settle: settle, preparing: prepare, adjusting: adjust)
  }

  var root: String { vault.root }

  func run(_ script: String) async throws {
    try await shell(script, in: root, outside: outside.path)
  }

  /// Runs a script to its end and compares.
  func play(
    _ script: String, _ expected: [SavedVersion], changes: Set<LiveChange>? = nil,
    sourceLocation: SourceLocation = #_sourceLocation
  ) async throws {
    try await run(script)
    try await vault.expect(expected, sourceLocation: sourceLocation)
    if let changes {
      #expect(vault.distinctChanges == changes, sourceLocation: sourceLocation)
    }
  }
}

/// Whether a program is installed; a test of what it does says so where it is not.
func isInstalled(_ programs: String...) -> Bool {
  programs.allSatisfy { program in
    let found = try? VersoTestSupport.run(["which", program])
    return found?.status == 0
  }
}
