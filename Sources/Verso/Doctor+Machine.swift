import Glibc
import VersoDisk
import VersoGit
import VersoModel

/// The machine: programs, people, limits and room.
extension Doctor {
  mutating func checkProgram() {
    let outcome = Programs().run(
      ProgramRequest(arguments: ["git", "--version"], environment: .quietGit, limit: 10))
    guard outcome.succeeded else {
      return note(
        .look, "git",
        "the git program cannot be used (\(outcome.reason)): filters, packing and "
          + "the check of the history need it", hint: "install git, such as by: apt install git")
    }
    let text = String(decoding: outcome.output, as: UTF8.self)
    note(.good, "git", text.split(whereSeparator: \.isNewline).first.map(String.init) ?? "git")
  }

  mutating func checkIdentity(_ engine: Engine) {
    let identity = Identity(.committer, in: engine.repository)
    let name = "\(identity.name) <\(identity.email)>"
    guard identity.isMadeUp else { return note(.good, "identity", name) }
    note(
      .look, "identity", "versions are made as \(name), which is a guess",
      hint: "run: git config --global user.name NAME; git config --global user.email ADDRESS")
  }

  mutating func checkOwner(_ engine: Engine) {
    do throws(DiskError) {
      let owner = try engine.store.status(of: engine.rootFolder.number).owner
      guard owner != geteuid() else { return note(.good, "owner", "\(root) is yours") }
      let name = Host.user(owner)?.name ?? "#\(owner)"
      note(
        .look, "owner", "\(root) belongs to \(name), not to you", path: Array(root.utf8),
        hint: "run: sudo -u \(name) verso …")
    } catch { note(.bad, "owner", error.description) }
  }

  // MARK: Room

  mutating func checkSpace(_ engine: Engine) {
    checkSpace(of: engine.gitFolder.number, at: engine.repository.gitDirectory)
    do throws(DiskError) {
      let git = try engine.store.status(of: engine.gitFolder.number)
      let root = try engine.store.status(of: engine.rootFolder.number)
      if git.device != root.device {
        checkSpace(of: engine.rootFolder.number, at: self.root)
      }
    } catch { note(.bad, "space", error.description) }
  }

  private mutating func checkSpace(of folder: Int32, at path: String) {
    var system = statvfs()
    guard fstatvfs(folder, &system) == 0 else {
      return note(.look, "space", "the free space of \(path) cannot be read")
    }
    let unit = UInt64(system.f_frsize)
    judge(
      free: UInt64(system.f_bavail) * unit, of: UInt64(system.f_blocks) * unit,
      inodes: system.f_files == 0 ? nil : UInt64(system.f_favail), at: path)
  }

  /// Judges what a file system has left.
  ///
  /// - Parameter inodes: How many files can still be made; `nil` where that has no limit.
  mutating func judge(free: UInt64, of total: UInt64, inodes: UInt64?, at path: String) {
    let percent = total == 0 ? 100 : Int(Double(free) / Double(total) * 100)
    let text = "\(Self.size(free)) (\(percent) %) are free at \(path)"
    if let inodes, inodes < 1000 {
      note(
        .look, "space", "only \(inodes) more files can be made at \(path)", path: Array(path.utf8),
        hint: "remove files that nobody needs")
    } else if free < 1 << 30 || percent < 5 {
      note(
        .look, "space", "only \(text)", path: Array(path.utf8),
        hint: "make some room: a full disk stops every save")
    } else {
      note(.good, "space", text)
    }
  }

  /// Bytes in words.
  static func size(_ bytes: UInt64) -> String {
    switch bytes {
    case ..<(1 << 20): "\(bytes >> 10) KiB"
    case ..<(1 << 30): "\(bytes >> 20) MiB"
    default: "\(bytes >> 30) GiB"
    }
  }

  // MARK: Watching

  mutating func checkWatches(_ engine: Engine, folders: Int) {
    do throws(DiskError) {
      let limit = try WatchLimit.present(engine.store) ?? WatchLimit(watches: 0)
      judge(watches: limit.watches, folders: folders)
    } catch {
      note(.good, "inotify", "the limit of watched folders cannot be read: \(error.reason)")
    }
  }

  /// Judges the limit of watches; each folder needs one, and other programs need some too.
  mutating func judge(watches: Int, folders: Int) {
    if folders > watches / 10 * 9 {
      note(
        .look, "inotify", "\(folders) folders to watch, and the system's limit is \(watches)",
        hint: "run: "
          + WatchLimit.command(toWatch: folders, insteadOf: WatchLimit(watches: watches)))
    } else {
      note(.good, "inotify", "\(folders) folders to watch, \(watches) are allowed")
    }
  }

  // MARK: Where the vault cannot be opened

  /// Says why, and looks at what can be seen from outside.
  mutating func examineUnopened(_ error: VersoError) {
    note(.bad, "repository", error.message, path: Array(root.utf8), hint: error.hint)
    if options.fixes {
      refusal = VersoError(
        .refused, "nothing is mended in \(root), as it cannot be opened", hint: error.hint)
    }
    let store = SystemFileStore()
    do throws(DiskError) {
      let folder = try store.opening(
        Array(root.utf8), in: AT_FDCWD, flags: O_RDONLY | O_DIRECTORY)
      checkParts(of: folder.number, store)
      checkSpace(of: folder.number, at: root)
    } catch { note(.bad, "root", error.description, path: Array(root.utf8)) }
    // git itself may well work on what libgit2 refuses.
    if error.code == .refused { checkHistory(arguments: ["-C", root]) }
  }

  /// What a repository cannot be without; a tool that copies folders may leave empty ones out.
  private mutating func checkParts(of folder: Int32, _ store: any FileStore) {
    do throws(DiskError) {
      guard let git = try store.status(of: Array(".git".utf8), in: folder) else { return }
      guard git.kind == .folder else { return checkPointer(in: folder, store) }
      for (name, advice) in [
        ("HEAD", "run: echo 'ref: refs/heads/main' > \(root)/.git/HEAD"),
        ("refs", "run: mkdir \(root)/.git/refs"),
        ("objects", "put .git back from a backup or another clone"),
      ] where try store.status(of: Array(".git/\(name)".utf8), in: folder) == nil {
        note(
          .bad, "repository", "\(root)/.git/\(name) is missing",
          path: Array("\(root)/.git/\(name)".utf8), hint: advice)
      }
    } catch { note(.bad, "repository", error.description) }
  }

  private mutating func checkPointer(
    in folder: Int32, _ store: any FileStore
  ) {
    do throws(DiskError) {
      let text = String(
        decoding: try store.readFile(Array(".git".utf8), in: folder) ?? [], as: UTF8.self)
      guard text.hasPrefix("gitdir:") else {
        return note(.bad, "repository", "\(root)/.git is a file that names no git directory")
      }
      let target = text.dropFirst("gitdir:".count).drop { $0 == " " }.prefix { !$0.isNewline }
      if try store.status(of: Array(target.utf8), in: folder) == nil {
        note(
          .bad, "repository", "the git directory \(target) is not there",
          path: Array(target.utf8), hint: "mount its disk, or write its new place into \(root)/.git"
        )
      }
    } catch { note(.bad, "repository", error.description) }
  }
}
