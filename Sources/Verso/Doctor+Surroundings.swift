import Glibc
import VersoDisk
import VersoGit
import VersoModel

/// Permissions, rules, names, filters and settings.
extension Doctor {
  // MARK: The git directory

  mutating func checkPermissions(_ engine: Engine) {
    let git = engine.repository.gitDirectory
    do throws(DiskError) {
      let status = try engine.store.status(of: engine.gitFolder.number)
      guard status.mode & 0o077 != 0 else {
        return note(.good, "private", "nobody else can read the history")
      }
      // A repository that is shared on purpose stays so.
      if let shared = engine.setting("core.sharedRepository"), shared != "umask", shared != "false"
      {
        return note(.good, "private", "the history is shared (core.sharedRepository=\(shared))")
      }
      let message = "others on this machine may read \(git)"
      guard engine.settings.isVault else {
        return note(
          .look, "private", message, path: Array(git.utf8), hint: "run: chmod 700 \(git)")
      }
      note(
        .look, "private", message, path: Array(git.utf8),
        remedy: Remedy(plan: "close it to others (0700)", deed: "closed to others (0700)") {
          let result = engine.store.setMode(engine.gitFolder.number, status.mode & 0o7000 | 0o700)
          if result < 0 {
            throw DiskError(code: -result, operation: "close", path: Array(git.utf8))
          }
        })
    } catch { note(.bad, "private", error.description) }
  }

  mutating func checkExcludes(_ engine: Engine) {
    guard engine.settings.isVault else { return }
    let path = Array("\(engine.repository.commonDirectory)/info/exclude".utf8)
    do throws(DiskError) {
      let text = try engine.store.readFile(path, in: AT_FDCWD) ?? []
      guard DefaultExcludes.adding(to: text) != text else {
        return note(.good, "ignore", "info/exclude names the litter of editors and tools")
      }
      note(
        .look, "ignore", "info/exclude lacks the block that keeps litter out of the history",
        path: path,
        remedy: Remedy(plan: "put it in", deed: "put in") {
          try engine.editExcludes(DefaultExcludes.adding)
        })
    } catch { note(.bad, "ignore", error.description, path: path) }
  }

  // MARK: What lies on disk

  /// Scans the disk: what is left alone and why, names that other systems confuse, filters.
  mutating func checkDisk(_ engine: Engine, _ index: IndexFile) {
    let result: Scan.Result
    do {
      let options = try engine.scanOptions()
      result = try Scan(
        root: engine.rootFolder.number, table: index.table, options: options.options,
        store: engine.store
      ).all(cache: FolderCache(key: 0))
    } catch {
      let error = VersoError(storing: error)
      return note(.bad, "scan", error.message, hint: error.hint)
    }
    checkSkipped(result.skipped)
    let paths = index.table.rows.map(\.path) + result.candidates.map(\.path)
    checkTwins(paths)
    checkFilters(paths, engine)
    checkWatches(engine, folders: Set(paths.flatMap(\.ancestors)).count + 1)
    let held = engine.readHeld()
    if !held.isEmpty {
      note(
        .look, "held", "deletions wait for you: \(Self.list(held.sorted()))",
        hint: "run: verso save --allow-mass-delete")
    }
  }

  private mutating func checkSkipped(_ skipped: [Skipped]) {
    for (reason, group) in Dictionary(grouping: skipped, by: \.reason.key).sorted(by: {
      $0.key < $1.key
    }) {
      let paths = group.map(\.path)
      let isNested = reason == "nestedRepository"
      note(
        .look, isNested ? "nested" : "skipped",
        "\(Self.words(for: reason)): \(Self.list(paths))", path: paths[0].bytes,
        hint: isNested
          ? "make each a vault of its own, or name it in .gitignore"
          : "move it away, or name it in .gitignore")
    }
  }

  private static func words(for reason: String) -> String {
    switch reason {
    case "unreadable": "cannot be read, so not saved"
    case "tooLarge": "larger than verso.maxFileSize, so not saved"
    case "otherFileSystem": "on another file system, so not saved"
    case "special": "no file, folder or link, so not saved"
    case "nestedRepository": "git repositories of their own, so not saved"
    case "badName": "names that git cannot hold, so not saved"
    default: "left alone (\(reason))"
    }
  }

  // MARK: Names

  /// Names that are one on systems that ignore case or Unicode form.
  mutating func checkTwins(_ paths: [RelativePath]) {
    struct Place: Hashable {
      let folder: RelativePath
      // Strings are equal by canonical equivalence: one key finds both kinds of twins.
      let name: String
    }
    var seen: [Place: RelativePath] = [:]
    var known = Set<RelativePath>()
    var found: [(RelativePath, RelativePath)] = []
    for path in paths {
      for node in [path] + path.ancestors {
        guard known.insert(node).inserted else { break }
        guard let name = String(validating: node.name, as: UTF8.self) else { continue }
        let place = Place(folder: node.parent, name: name.lowercased())
        if let twin = seen[place] { found.append((twin, node)) } else { seen[place] = node }
      }
    }
    if found.isEmpty {
      return note(.good, "twins", "no two names differ only in case or Unicode form")
    }
    for (one, other) in found.prefix(20) {
      let isForm = one.description == other.description
      note(
        .look, "twins",
        "\(one) and \(other) differ only in \(isForm ? "Unicode form" : "case"), "
          + "and are one name on other systems", path: other.bytes, hint: "rename one of them")
    }
    if found.count > 20 { note(.look, "twins", "\(found.count - 20) more pairs of such names") }
  }

  // MARK: Filters

  private mutating func checkFilters(_ paths: [RelativePath], _ engine: Engine) {
    var users: [String: [RelativePath]] = [:]
    do {
      let filter = try engine.contentFilter()
      var attributes = ContentReader.AttributeFiles(engine: engine, filter: filter)
      for path in paths {
        let isThere = try attributes.areAbove(path)
        if case .program(let name) = try filter.decision(for: path, hasAttributeFiles: isThere) {
          users[name, default: []].append(path)
        }
      }
    } catch {
      let error = VersoError(storing: error)
      return note(.look, "filters", error.message, hint: error.hint)
    }
    if users.isEmpty { return note(.good, "filters", "no file needs a filter program") }
    for (name, paths) in users.sorted(by: { $0.key < $1.key }) {
      judgeFilter(name, paths, engine)
    }
  }

  private mutating func judgeFilter(_ name: String, _ paths: [RelativePath], _ engine: Engine) {
    let who = Self.list(paths)
    if findings.contains(where: { $0.topic == "git" && $0.level != .good }) {
      return note(
        .bad, "filters", "\(name) needs the git program, which is missing: \(who)",
        path: paths[0].bytes, hint: "install git")
    }
    if name == "working-tree-encoding" {
      return note(.good, "filters", "git converts the encoding of \(who)")
    }
    let keys = ["process", "clean"].map { "filter.\(name).\($0)" }
    guard let command = keys.lazy.compactMap({ engine.setting($0) }).first(where: { !$0.isEmpty })
    else {
      return note(
        .bad, "filters", "the filter \(name) is not set up on this machine: \(who)",
        path: paths[0].bytes,
        hint: name == "lfs" ? "install git-lfs, then run: git lfs install" : "set it up")
    }
    let program = command.split(separator: " ").first.map(String.init) ?? command
    guard Self.isInstalled(program) else {
      return note(
        .bad, "filters", "the filter \(name) needs \(program), which is not found: \(who)",
        path: paths[0].bytes, hint: "install \(program), or add its folder to PATH")
    }
    note(.good, "filters", "the filter \(name) is ready for \(who)")
    checkFilterForCron(name, program)
  }

  /// Whether git would find a program: in `PATH`, or among its own.
  private static func isInstalled(_ program: String) -> Bool {
    // A command of the shell's making is for the shell to judge.
    guard program.allSatisfy({ $0.isLetter || $0.isNumber || "-_./+".contains($0) }) else {
      return true
    }
    let outcome = Programs().run(
      ProgramRequest(
        arguments: [
          "sh", "-c", "PATH=\"$PATH:$(git --exec-path)\"; command -v \"$1\"", "sh", program,
        ], environment: .quietGit, limit: 10))
    return outcome.succeeded
  }

  // MARK: Settings

  mutating func checkSurroundings(_ engine: Engine) {
    let hooks = engine.activeHooks()
    if !hooks.isEmpty {
      note(.good, "hooks", "saves do not run the hooks \(hooks.joined(separator: ", "))")
    }
    do throws(VersoError) {
      for name in try engine.remotes() where name != engine.settings.remote {
        note(.good, "remote", "remote \(name): not used")
      }
    } catch { note(.bad, "remote", error.message, hint: error.hint) }
    checkClone(engine)
    checkSettings(engine)
  }

  private mutating func checkClone(_ engine: Engine) {
    do throws(GitError) {
      if try !engine.repository.shallowRoots().isEmpty {
        note(.good, "clone", "this is a shallow clone: older versions are elsewhere")
      }
      if try Self.isPartialClone(engine) {
        note(.good, "clone", "this is a partial clone: some contents are elsewhere until wanted")
      }
    } catch { note(.bad, "clone", error.message) }
  }

  private mutating func checkSettings(_ engine: Engine) {
    if let expiry = engine.setting("gc.pruneExpire"), expiry == "now" || expiry == "all" {
      note(
        .look, "settings", "gc.pruneExpire=\(expiry) can destroy what is just being written",
        hint: "run: git -C \(root) config --unset gc.pruneExpire")
    }
    if engine.setting("core.autocrlf")?.lowercased() == "true" {
      note(
        .look, "settings", "core.autocrlf=true: notes that are restored get CRLF line ends",
        hint: "run: git -C \(root) config core.autocrlf false")
    }
    if engine.settings.ignoresCase {
      note(
        .look, "settings",
        "core.ignoreCase is set: of two names that differ in case, one may be "
          + "taken for the other", hint: "run: git -C \(root) config core.ignoreCase false")
    }
    if !engine.settings.trustsMode {
      note(.good, "settings", "core.fileMode=false: execute bits are not saved")
    }
  }
}
