import Glibc
import VersoDisk
import VersoGit
import VersoModel
import VersoSync

/// What tying a directory to a remote would bring together: counted, nothing of it is done.
///
/// The remote's versions are fetched into a repository of their own, which is removed again.
package struct JoinPlan: Sendable {
  package private(set) var address = ""
  package private(set) var branch = ""
  package private(set) var onlyHere = 0
  package private(set) var onlyThere = 0
  package private(set) var equal = 0
  /// On both sides, with other bytes: joined, taken from the newer side, or kept as conflict copies.
  package private(set) var different = 0

  package init(root: String, setup: RemoteSetup) throws(VersoError) {
    let folder: String
    do throws(DiskError) { folder = try TemporaryFolder.make() } catch { throw VersoError(error) }
    defer {
      do throws(DiskError) {
        try SystemFileStore().removeTree(Array(folder.utf8), in: AT_FDCWD)
      } catch {}  // What stays in the folder for temporary files is the system's to clear.
    }
    let here = try Self.filesHere(root)
    let git = "\(folder)/fetched.git"
    let words = ["git", "init", "-q", "--bare", git]
    let made = Programs().run(
      ProgramRequest(arguments: words, environment: .quietGit, limit: 30))
    guard made.succeeded else {
      throw VersoError(.unreachable, "git cannot make a repository for a look: \(made.reason)")
    }
    let there = try fetch(into: git, Self.address(of: setup.remote, root: root))
    count(here: here, there: there)
  }

  /// The address of a remote that may be a name.
  private static func address(of remote: String, root: String) throws(VersoError) -> String {
    guard Initialiser.hasRepository(root) else { return remote }
    let engine = try Engine(root: root)
    do throws(GitError) {
      return try engine.repository.setting("remote.\(remote).url") ?? remote
    } catch { throw VersoError(error, "read the remotes of \(root)") }
  }

  private static func filesHere(_ root: String) throws(VersoError) -> [RelativePath: ObjectID] {
    guard VaultLocation.isFolder(root) else { return [:] }
    let store = SystemFileStore()
    var found: [RelativePath: ObjectID] = [:]
    do throws(DiskError) {
      let folder = try store.opening(
        Array(root.utf8), in: AT_FDCWD, flags: O_RDONLY | O_DIRECTORY)
      let excludes = IgnoreRules(parsing: DefaultExcludes.adding(to: []), base: .root)
      let scan = Scan(
        root: folder.number, table: .empty,
        options: Scan.Options(ignore: IgnoreStack(global: [excludes])), store: store)
      let reader = ConsistentRead(root: folder.number, sizeLimit: 50 << 20, store: store)
      for candidate in try scan.all(cache: FolderCache(key: 0)).candidates {
        do throws(ReadRefusal) {
          let content = try reader.content(of: candidate.path, writers: .ignore)
          found[candidate.path] = SHA1.id(of: .blob, content.bytes)
        } catch { continue }  // What cannot be read is not joined either.
      }
    } catch { throw VersoError(error) }
    return found
  }

  private mutating func fetch(
    into git: String, _ address: String
  ) throws(VersoError) -> [RelativePath: ObjectID] {
    do throws(ExchangeError) {
      var exchange = try Exchange(
        gitDirectory: git, workTree: nil, remote: address, branch: "main")
      let tips = try exchange.tips()
      self.address = exchange.address
      branch = tips.defaultBranch ?? "main"
      if branch != "main" {
        exchange = try Exchange(
          gitDirectory: git, workTree: nil, remote: address, branch: branch)
      }
      guard let tip = try exchange.fetch().after else { return [:] }
      do throws(GitError) {
        let repository = try Repository(at: git)
        var found: [RelativePath: ObjectID] = [:]
        for (path, file) in try TreeDifference.files(
          in: repository.commit(tip).tree, of: repository)
        {
          found[path] = file.id
        }
        return found
      } catch { throw ExchangeError(.other, "what was fetched cannot be read: \(error.message)") }
    } catch { throw VersoError(error) }
  }

  private mutating func count(here: [RelativePath: ObjectID], there: [RelativePath: ObjectID]) {
    for (path, id) in here {
      switch there[path] {
      case nil: onlyHere += 1
      case id?: equal += 1
      default: different += 1
      }
    }
    onlyThere = there.keys.count { here[$0] == nil }
  }
}
