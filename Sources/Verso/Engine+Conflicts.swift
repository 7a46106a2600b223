import Glibc
import VersoDisk
import VersoGit
package import VersoModel
import VersoSync

/// What is to become of a note and its conflict copy.
package enum ConflictChoice: Hashable, Sendable {
  /// The note stays, the copy goes.
  case this
  /// The copy's text becomes the note's.
  case copy
  /// Both stay; the copy gets a name of its own.
  case both
  /// Every line of both becomes the note's, the copy goes; an error where one of them is no text.
  case joined
  /// This text becomes the note's, the copy goes.
  case text([UInt8])
}

extension StatTable.Row {
  /// Whether the name has a parenthesis at all: most have none, and a look at the bytes is cheap.
  fileprivate var mayBeCopy: Bool { memchr(name, Int32(UInt8(ascii: "(")), Int(nameLength)) != nil }
}

extension Engine {
  /// The conflict copies of the last version, sorted by path.
  package func openConflicts() throws(VersoError) -> [OpenConflict] {
    let table = try openIndex()?.table ?? .empty
    var found: [OpenConflict] = []
    withExtendedLifetime(table) {
      for row in table.rows where row.mayBeCopy {
        if let conflict = OpenConflict(row.path) { found.append(conflict) }
      }
    }
    return found
  }

  /// The conflict that a path is part of, as the note or as the copy.
  ///
  /// - Throws: ``VersoError/Code/usage`` where there is none, or where a note has several copies.
  package func openConflict(at path: RelativePath) throws(VersoError) -> OpenConflict {
    let all = try openConflicts()
    if let named = all.first(where: { $0.copy == path }) { return named }
    let copies = all.filter { $0.path == path }
    if copies.count == 1, let only = copies.first { return only }
    if copies.isEmpty {
      throw VersoError(
        .usage, "\(path) is in no conflict", hint: "verso conflicts lists those that are open")
    }
    throw VersoError(
      .usage, "\(path) has \(copies.count) conflict copies; name the one that is meant",
      hint: "verso conflicts lists them")
  }

  /// The bytes of both versions, as last saved; empty where the note is gone.
  package func contents(
    of conflict: OpenConflict
  ) throws(VersoError) -> (note: [UInt8], copy: [UInt8]) {
    (try headContent(of: conflict.path) ?? [], try headContent(of: conflict.copy) ?? [])
  }

  /// Every line of both versions, once where both have it, without markers.
  ///
  /// - Throws: ``VersoError/Code/failed`` where one of them is no text.
  package func joinedText(of conflict: OpenConflict) throws(VersoError) -> [UInt8] {
    let (note, copy) = try contents(of: conflict)
    let both = try SideBySide(left: note, right: copy)
    if both.isBinary {
      throw VersoError(
        .failed, "\(conflict.path) and its copy are no texts, so they cannot be joined",
        hint: "keep one of them, or both")
    }
    return both.joined
  }

  /// Ends a conflict, as a version of its own that can be undone.
  package func resolve(
    _ conflict: OpenConflict, by choice: ConflictChoice, isDryRun: Bool, wait: Double
  ) throws(VersoError) -> RestoreOutcome {
    var name = conflict.path.quoted
    if name.count > 45 { name = "…" + name.suffix(44) }
    return try act(isDryRun: isDryRun, wait: wait) { _ throws(VersoError) in
      Journal(
        subject: "Resolve the conflict in \(name)", trailers: [Self.action("resolve")],
        steps: try steps(for: conflict, choice))
    }
  }

  private func steps(
    for conflict: OpenConflict, _ choice: ConflictChoice
  ) throws(VersoError) -> [Journal.Step] {
    let ground = try Ground(self)
    guard let copy = try content(at: conflict.copy, of: ground.commit) else {
      throw VersoError(.usage, "\(conflict.copy) is gone, so there is nothing to resolve")
    }
    let note = try content(at: conflict.path, of: ground.commit)
    var steps = [Journal.Step(path: conflict.copy, old: copy, new: nil, modified: nil)]
    switch choice {
    case .this: break
    case .copy:
      let kind = note?.kind == .link || copy.kind == .link ? copy.kind : note?.kind ?? copy.kind
      steps.append(
        Journal.Step(
          path: conflict.path, old: note, new: Journal.Content(kind: kind, id: copy.id),
          modified: nil))
    case .both:
      let name = try freeName(for: conflict)
      steps.append(Journal.Step(path: name, old: nil, new: copy, modified: nil))
    case .joined: steps.append(try step(for: conflict, note, joinedText(of: conflict)))
    case .text(let bytes): steps.append(try step(for: conflict, note, bytes))
    }
    return steps
  }

  private func step(
    for conflict: OpenConflict, _ note: Journal.Content?, _ text: [UInt8]
  ) throws(VersoError) -> Journal.Step {
    let new = Journal.Content(kind: note?.kind ?? .file, id: try blob(text))
    return Journal.Step(path: conflict.path, old: note, new: new, modified: nil)
  }

  /// `todo (phone).md`, or the first of its kind that is free.
  private func freeName(for conflict: OpenConflict) throws(VersoError) -> RelativePath {
    let parts = CopyName(of: Array(conflict.copy.name))
    for number in 1... {
      let mark = number == 1 ? " (\(conflict.device))" : " (\(conflict.device) \(number))"
      let path = conflict.copy.parent.appending(parts.stem + Array(mark.utf8) + parts.suffix)
      if !isOnDisk(path), try !isInHead(path) { return path }
    }
    return conflict.copy
  }
}
