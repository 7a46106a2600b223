import Glibc
import VersoDisk
import VersoGit
import VersoHistory
package import VersoModel
import VersoSync

/// What a browser asks of a vault: notes as the disk has them, and changes that a person makes.
extension Vault {
  /// A file of the disk, as far as it can be shown.
  package enum Reading: Hashable, Sendable {
    /// Its bytes, when they were written, in seconds since 1970, and whether it may not be written.
    case content([UInt8], modified: Int64, isReadOnly: Bool = false)
    /// It is larger than the limit: its beginning, and its size in bytes.
    case large(head: [UInt8], size: UInt64, modified: Int64)
    /// A symbolic link, and where it leads.
    case link([UInt8])
    /// Nothing is there, or a folder.
    case vanished
    /// Why it cannot be read.
    case unreadable(String)
  }

  /// Reads a file of the disk.
  ///
  /// - Parameter limit: Larger files are not read, but for their beginning; in bytes.
  package func read(_ path: RelativePath, limit: UInt64) -> Reading {
    engine.reading(of: path, limit: limit)
  }

  /// The names in a folder of the disk, before a watcher has said what there is.
  ///
  /// Empty for a folder that cannot be read. What git would ignore is not left out.
  package func entries(of folder: RelativePath) -> [Item] { engine.entries(of: folder) }

  /// Whether a folder of the disk can be listed; one that is gone needs no permission.
  package func canList(_ folder: RelativePath) -> Bool { engine.canList(folder) }

  /// When the files of a folder were written, and how large they are.
  package func facts(of items: [Item]) -> [RelativePath: ItemFacts] { engine.facts(of: items) }

  /// What a person and another program made of one text, with the lines of both where they compete.
  package nonisolated static func joined(
    base: [UInt8], mine: [UInt8], theirs: [UInt8]
  ) -> [UInt8] {
    NoteJoin.text(base: base, mine: mine, theirs: theirs)
  }

  /// Carries out what a person asked for; see ``VaultOperation``.
  package func perform(_ operation: VaultOperation) throws(VersoError) -> OperationOutcome {
    try engine.perform(operation)
  }

  /// Takes back the last own action, or makes it again.
  package func takeBack(redoing: Bool) throws(VersoError) -> OperationOutcome {
    let undone = try engine.undo(redoing: redoing, isDryRun: false, wait: 10)
    return OperationOutcome(undone)
  }

  /// Ends the conflict that a copy is part of.
  package func resolve(
    _ copy: RelativePath, by choice: ConflictChoice
  ) throws(VersoError) -> OperationOutcome {
    let conflict = try engine.openConflict(at: copy)
    return OperationOutcome(
      try engine.resolve(conflict, by: choice, isDryRun: false, wait: 10))
  }

  /// Brings a path back as it was after a commit, or some lines of it into today's note.
  ///
  /// - Parameter lines: From 1; `nil` for all.
  package func bringBack(
    _ path: RelativePath, from commit: ObjectID, lines: ClosedRange<Int>? = nil
  ) throws(VersoError) -> OperationOutcome {
    var request = RestoreRequest(path: path)
    request.place = try engine.place(of: path, at: commit)
    request.lines = lines.map { Passage(first: $0.lowerBound, last: $0.upperBound) }
    return OperationOutcome(try engine.restore(request))
  }
}

extension OperationOutcome {
  init(_ restored: RestoreOutcome) {
    self.init()
    save = restored.save
    left = restored.left
    for change in restored.save.changes {
      switch change.kind {
      case .added: batch.added.append(Item(path: change.path, kind: .file, content: nil))
      case .modified: batch.modified.append(Item(path: change.path, kind: .file, content: nil))
      case .deleted: batch.removed.append(change.path)
      case .renamed:
        if let old = change.oldPath { batch.renamed.append(.init(old, change.path)) }
      }
    }
  }
}

extension Engine {
  fileprivate func reading(of path: RelativePath, limit: UInt64) -> Vault.Reading {
    let reader = ConsistentRead(root: rootFolder.number, sizeLimit: limit, store: store)
    // Somebody may be writing to it all the time: what was read in between is shown all the same.
    for attempt in 0..<3 {
      do throws(ReadRefusal) {
        let content = try reader.content(of: path, writers: .unasked)
        if content.status.kind == .link { return .link(content.bytes) }
        return .content(
          content.bytes, modified: content.status.modified.seconds,
          isReadOnly: isReadOnly(path, content.status))
      } catch {
        switch error.reason {
        case .changed where attempt < 2: continue
        case .vanished, .notAFile(.folder): return .vanished
        case .tooLarge(let size): return large(path, size)
        default: return .unreadable("\(error)")
        }
      }
    }
    return .vanished
  }

  private func large(_ path: RelativePath, _ size: UInt64) -> Vault.Reading {
    do throws(DiskError) {
      let file = try store.openingBeneath(
        path, root: rootFolder.number, flags: O_RDONLY | O_NONBLOCK | O_NOFOLLOW | O_NOCTTY)
      let status = try store.status(of: file.number)
      var head = [UInt8](repeating: 0, count: 64 << 10)
      let count = head.withUnsafeMutableBytes { buffer in
        buffer.baseAddress.map { store.read(file.number, $0, buffer.count) } ?? 0
      }
      head.removeLast(head.count - max(0, count))
      return .large(head: head, size: size, modified: status.modified.seconds)
    } catch { return .unreadable("\(error)") }
  }

  fileprivate func entries(of folder: RelativePath) -> [Item] {
    do throws(DiskError) {
      let open = try store.openingBeneath(
        folder, root: rootFolder.number, flags: O_RDONLY | O_DIRECTORY)
      var items: [Item] = []
      for name in try store.names(in: open.number, path: folder.bytes) {
        if String(decoding: name, as: UTF8.self).lowercased() == ".git" { continue }
        guard let kind = try store.status(of: name, in: open.number)?.itemKind else { continue }
        items.append(Item(path: folder.appending(name), kind: kind, content: nil))
      }
      return items
    } catch { return [] }  // The watcher says what is wrong with it.
  }

  fileprivate func canList(_ folder: RelativePath) -> Bool {
    do throws(DiskError) {
      _ = try store.openingBeneath(
        folder, root: rootFolder.number, flags: O_RDONLY | O_DIRECTORY)
      return true
    } catch { return ![EACCES, EPERM].contains(error.code) }
  }

  fileprivate func facts(of items: [Item]) -> [RelativePath: ItemFacts] {
    var facts: [RelativePath: ItemFacts] = [:]
    for item in items {
      do throws(DiskError) {
        guard let status = try store.status(of: item.path.bytes, in: rootFolder.number) else {
          continue
        }
        facts[item.path] = ItemFacts(
          modified: status.modified.seconds, size: Int64(clamping: status.size))
      } catch { continue }  // It sorts as if nothing were known of it.
    }
    return facts
  }
}
