import Glibc
import VersoDisk
import VersoGit
import VersoModel

/// The object store: is everything there that history needs?
extension Doctor {
  // MARK: Damaged files

  /// Finds what a power cut and bad disks leave: object files without a byte, cut off, or with other
  /// bytes than their names say; git can neither read them nor write them anew.
  mutating func checkLooseObjects(_ engine: Engine) {
    do throws(DiskError) {
      let objects = engine.objectsFolder.number
      var count = 0
      var damaged: [(path: String, damage: Damage)] = []
      for number in 0..<256 {
        let folder = String(String(number + 256, radix: 16).dropFirst())
        for name in try engine.names(of: folder, in: objects) where name.utf8.count == 38 {
          count += 1
          let path = "\(folder)/\(name)"
          if let damage = try Self.damage(of: path, engine) { damaged.append((path, damage)) }
        }
      }
      for (path, damage) in damaged { noteDamaged(path, damage, engine) }
      if count > 20_000 {
        note(
          .look, "objects", "\(count) objects are not packed, which makes everything slow",
          hint: "run: git -C \(root) gc")
      } else if damaged.isEmpty {
        note(.good, "objects", "no object is damaged; \(count) are not packed")
      }
      try checkPacks(engine)
    } catch { note(.bad, "objects", error.description) }
  }

  /// What is wrong with a loose object, as the name says under which it is set aside.
  private enum Damage {
    case empty, damaged

    var text: String {
      switch self {
      case .empty: "empty, as after a power cut"
      case .damaged: "damaged, and cannot be read whole"
      }
    }
  }

  private static func damage(of path: String, _ engine: Engine) throws(DiskError) -> Damage? {
    let file = try engine.store.status(of: Array(path.utf8), in: engine.objectsFolder.number)
    guard let file, let id = ObjectID(hex: path.filter { $0 != "/" }) else { return nil }
    if file.size == 0 { return .empty }
    // libgit2 compares what it has read with the name. A packed copy of it would be read instead.
    do throws(GitError) { _ = try engine.repository.read(id) } catch {
      return error.code == .notFound ? nil : .damaged
    }
    return nil
  }

  private mutating func noteDamaged(_ path: String, _ damage: Damage, _ engine: Engine) {
    let id = path.filter { $0 != "/" }
    let name = "\(damage)-\(id)"
    note(
      .bad, "objects", "the object \(id) is \(damage.text)",
      path: Array("\(engine.repository.commonDirectory)/objects/\(path)".utf8),
      remedy: Remedy(
        plan: "set it aside as verso/\(name)", deed: "set aside as verso/\(name)"
      ) {
        // Somebody may have written it anew by now.
        guard try Self.damage(of: path, engine) != nil else { return }
        try engine.setAside(Array(path.utf8), in: engine.objectsFolder.number, as: name)
      })
  }

  private mutating func checkPacks(_ engine: Engine) throws(DiskError) {
    let names = try engine.names(of: "pack", in: engine.objectsFolder.number)
    for name in names where name.hasPrefix("pack-") {
      let path = Array("pack/\(name)".utf8)
      let full = "\(engine.repository.commonDirectory)/objects/pack/\(name)"
      let isPart = name.hasSuffix(".pack") || name.hasSuffix(".idx")
      if isPart, try engine.store.status(of: path, in: engine.objectsFolder.number)?.size == 0 {
        note(
          .bad, "objects", "the pack \(full) is empty", path: Array(full.utf8),
          hint: "fetch its objects from another clone or a backup")
      }
      if name.hasSuffix(".idx"), !names.contains("\(name.dropLast(4)).pack") {
        note(
          .look, "objects", "\(full) belongs to a pack that is not there", path: Array(full.utf8))
      }
    }
  }

  // MARK: What the last version holds

  /// Looks for contents of the last version that are missing, and stores anew those that a file on
  /// disk still has: its id proves that it is the very same.
  mutating func checkContent(_ engine: Engine, _ index: IndexFile) {
    var missing: [RelativePath] = []
    var fromDisk: [(path: RelativePath, id: ObjectID)] = []
    do throws(GitError) {
      let isPartial = try Self.isPartialClone(engine)
      for row in index.table.rows
      where row.mode != Item.Kind.repository.rawValue && !row.flags.contains(.intentToAdd) {
        if try engine.repository.contains(row.id) { continue }
        // A partial clone fetches what is missing when it is wanted.
        if isPartial { continue }
        if engine.contentOnDisk(row.path, id: row.id) != nil {
          fromDisk.append((row.path, row.id))
        } else {
          missing.append(row.path)
        }
      }
    } catch { return note(.bad, "content", error.message) }
    for (path, id) in fromDisk {
      note(
        .bad, "content", "the saved content of \(path) is missing, and the file still has it",
        path: path.bytes,
        remedy: Remedy(plan: "store it again from the file", deed: "stored again from the file") {
          try engine.storeAgain(path, id: id)
        })
    }
    if !missing.isEmpty {
      note(
        .bad, "content", "the saved content is missing of \(Self.list(missing))",
        path: missing[0].bytes,
        hint: "fetch it from another clone or a backup; the files on disk are untouched")
    } else if fromDisk.isEmpty {
      note(.good, "content", "the content of every tracked file is there")
    }
  }

  static func isPartialClone(_ engine: Engine) throws(GitError) -> Bool {
    if try engine.repository.setting("extensions.partialClone") != nil { return true }
    for name in try engine.repository.remoteNames()
    where try engine.repository.setting("remote.\(name).promisor") != nil {
      return true
    }
    return false
  }

  // MARK: All of history

  /// - Parameter usesIndex: Whether the index can be read; git would stop at it otherwise.
  mutating func checkHistory(_ engine: Engine, usesIndex: Bool) {
    checkHistory(
      arguments: ["--git-dir=\(engine.repository.gitDirectory)"], usesIndex: usesIndex)
  }

  /// Lets git follow every reference down to the last object.
  mutating func checkHistory(arguments: [String], usesIndex: Bool = true) {
    var environment: [String: String?] = .quietGit
    if !usesIndex { environment["GIT_INDEX_FILE"] = "/nonexistent/index" }
    let outcome = Programs().run(
      ProgramRequest(
        arguments: ["git"] + arguments + [
          "-c", "core.commitGraph=false", "fsck", "--connectivity-only", "--no-dangling",
          "--no-progress",
        ], environment: environment, limit: options.historyLimit))
    let lines = (outcome.output + [0x0A] + outcome.error).split(separator: 0x0A)
      .map { String(decoding: $0, as: UTF8.self) }
    switch outcome.end {
    case .exit(0): note(.good, "history", "every object that the history needs is there")
    case .exit where lines.contains(where: { $0.contains("dubious ownership") }):
      note(
        .look, "history", "the history was not checked, as git does not trust \(root)",
        hint: "run: git config --global --add safe.directory \(root)")
    case .exit: noteDamage(lines, outcome.reason)
    case .timeout:
      note(
        .good, "history",
        "the history was not checked to its end within "
          + "\(Self.duration(options.historyLimit))", hint: "run: git -C \(root) fsck")
    default: note(.good, "history", "the history was not checked: \(outcome.reason)")
    }
  }

  private mutating func noteDamage(_ lines: [String], _ reason: String) {
    let missing = lines.filter { $0.hasPrefix("missing ") }.map { $0.dropFirst("missing ".count) }
    let hint = "fetch them from another clone or a backup: git -C \(root) fetch --refetch REMOTE"
    guard !missing.isEmpty else {
      let first = lines.first { $0.hasPrefix("error: ") || $0.hasPrefix("fatal: ") } ?? reason
      return note(
        .bad, "history", "the history is damaged: \(first)", hint: "run: git -C \(root) fsck")
    }
    let some = missing.prefix(3).joined(separator: ", ")
    let more = missing.count > 3 ? " and \(missing.count - 3) more" : ""
    note(.bad, "history", "objects of the history are missing: \(some)\(more)", hint: hint)
  }
}

extension Engine {
  /// The bytes of a file or link whose id is that one as they are; `nil` where it is anything else.
  func contentOnDisk(_ path: RelativePath, id: ObjectID) -> [UInt8]? {
    let reader = ConsistentRead(
      root: rootFolder.number, sizeLimit: settings.maxFileSize, store: store)
    do throws(ReadRefusal) {
      let bytes = try reader.content(of: path).bytes
      return SHA1.id(of: .blob, bytes) == id ? bytes : nil
    } catch { return nil }
  }

  func storeAgain(_ path: RelativePath, id: ObjectID) throws {
    guard let bytes = contentOnDisk(path, id: id) else {
      throw VersoError(.failed, "\(path) has changed meanwhile")
    }
    let writer = try objectWriter(count: 1)
    _ = try writer.write(.blob, bytes)
    try finish(writer)
  }
}
