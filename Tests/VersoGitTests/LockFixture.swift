import Glibc
import VersoDisk
import VersoGit
import VersoModel
import VersoTestSupport

/// A real repository on branch `main`, with its git directory open.
final class LockFixture {
  let scratch: Scratch
  let repository: Repository
  private let folder: Descriptor
  private let common: Descriptor

  var git: Int32 { folder.number }

  /// Makes a repository that begins with so many empty commits.
  init(commits: Int = 1) throws {
    scratch = try Scratch("verso-lock")
    try scratch.git("init", "--quiet", "--initial-branch=main")
    for number in 0..<commits {
      try scratch.git("commit", "--quiet", "--allow-empty", "--message=\(number)")
    }
    repository = try Repository(at: scratch.path)
    folder = try Self.open(repository.gitDirectory)
    common = try Self.open(repository.commonDirectory)
  }

  /// The linked work tree at `path` of another fixture's repository.
  init(workTree path: String, of other: LockFixture) throws {
    scratch = other.scratch
    repository = try Repository(at: path)
    folder = try Self.open(repository.gitDirectory)
    common = try Self.open(repository.commonDirectory)
  }

  private static func open(_ path: String) throws -> Descriptor {
    try SystemFileStore().opening(
      Array(path.utf8), in: AT_FDCWD, flags: O_RDONLY | O_DIRECTORY)
  }

  static let stamp = CommitStamp(
    name: "Ada", email: "ada@example.invalid", time: ZonedTime(seconds: 1_700_000_000, zone: 90))

  func move(
    _ name: String = "refs/heads/main", to new: ObjectID, from old: ObjectID?,
    message: String = "verso: a move", wait: Double = 0,
    store: any FileStore = SystemFileStore()
  ) throws {
    try ReferenceUpdate(
      repository: repository, gitDirectory: git, commonDirectory: common.number, store: store
    ).move(name, to: new, from: old, message: message, by: Self.stamp, wait: wait)
  }

  func recover() throws {
    try IndexLock.recover(gitDirectory: git, store: SystemFileStore())
    try ReferenceUpdate.recover(
      gitDirectory: git, commonDirectory: common.number, store: SystemFileStore())
  }

  /// A commit that no reference names yet.
  func commit(on parents: [ObjectID], _ message: String = "new") throws -> ObjectID {
    let tree = try scratch.git("mktree", "--missing", "-z")
    return try id(
      scratch.git(
        ["commit-tree", tree, "-m", message] + parents.flatMap { ["-p", $0.hex] }))
  }

  func tip(_ revision: String = "main") throws -> ObjectID {
    try id(scratch.git("rev-parse", "--verify", "--quiet", revision))
  }

  private func id(_ text: String) throws -> ObjectID {
    guard let id = ObjectID(hex: text) else { throw Failure("no id: \(text)") }
    return id
  }

  /// What a killed writer could have left that stops others.
  func leftovers() throws -> [String] {
    let found = try run(
      [
        "find", ".git", "(", "-name", "*.lock", "-o", "-name", "ref.*", "-o", "-name", "*.new", ")",
      ],
      in: scratch.path)
    return found.text.split(separator: "\n").map(String.init)
  }
}

extension Scratch {
  /// Runs git with arguments in a list.
  @discardableResult
  func git(_ arguments: [String], environment: [String: String] = [:]) throws -> String {
    let outcome = try run(["git"] + arguments, in: path, environment: environment)
    guard outcome.status == 0 else {
      throw Failure("git \(arguments.joined(separator: " ")): \(outcome.error)")
    }
    return outcome.text.hasSuffix("\n") ? String(outcome.text.dropLast()) : outcome.text
  }

}

/// A disk without hard links and, where `keepsRenames` is off, without a rename that replaces
/// nothing either.
func storeWithoutLinks(keepsRenames: Bool = true) -> FailingFileStore {
  FailingFileStore { event in
    if event.call == .link { return EPERM }
    return event.call == .rename && event.flags != 0 && !keepsRenames ? EINVAL : nil
  }
}
