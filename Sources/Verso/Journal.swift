import VersoDisk
import VersoModel

/// What a write of several files to the work tree is about to do, kept on disk until it is done.
///
/// A process that is killed in the middle leaves it; the next one goes on from it. Every step says
/// what is there before and after, so that each can be done again, and a user's edit in between is
/// recognised and left alone.
struct Journal: Sendable {
  /// A file as git has it.
  struct Content: Hashable, Sendable {
    let kind: Item.Kind
    let id: ObjectID
  }

  struct Step: Hashable, Sendable {
    let path: RelativePath
    /// What is there now, saved already; `nil` for nothing.
    let old: Content?
    /// What shall be there; `nil` for nothing.
    let new: Content?
    /// The modification time to give it, in seconds since 1970; `nil` for the present.
    let modified: Int64?
    /// What a new file may have of permissions; for one that is replaced its own stay.
    var mask = ModeMask.all
  }

  /// What is to become of the branch when the files are written.
  enum Goal: Hashable, Sendable {
    /// A save of them, which makes a new commit.
    case save
    /// This commit, which has them already; `from` is where the branch was.
    case commit(ObjectID, from: ObjectID?)
  }

  /// Letters and digits that name the staged files.
  let operation: String
  let goal: Goal
  /// The subject of the save at the end.
  let subject: String
  let trailers: [SaveRequest.Trailer]
  var steps: [Step]
  /// For a step whose `old` is not what the branch had: the commit that has it. An edit of the file is
  /// an edit of that.
  let bases: [RelativePath: ObjectID]
  /// Files that stay on disk although the goal has them no more.
  let kept: Set<RelativePath>
  /// Folders that stay although nothing is left in them.
  let keptFolders: Set<RelativePath>
  /// The branch that is to move, as a reference; `nil` where that does not matter.
  let branch: String?

  init(
    subject: String, trailers: [SaveRequest.Trailer], steps: [Step], goal: Goal = .save,
    bases: [RelativePath: ObjectID] = [:], kept: Set<RelativePath> = [],
    keptFolders: Set<RelativePath> = [], branch: String? = nil
  ) {
    operation = "op" + String(UInt64.random(in: .min ... .max), radix: 36)
    self.goal = goal
    self.bases = bases
    self.kept = kept
    self.keptFolders = keptFolders
    self.branch = branch
    self.subject = subject
    self.trailers = trailers
    self.steps = steps
  }

  // MARK: On disk

  private static let head = "verso-journal 1"

  /// Lines of words; names and texts quoted as git quotes paths; `end` proves that all is there.
  var encoded: [UInt8] {
    var text = Array("\(Self.head)\noperation \(operation)\nsubject ".utf8)
    text += QuotedPath.quote(subject.utf8) + [0x0A]
    if case .commit(let id, let start) = goal {
      text += Array("commit \(id) \(start?.hex ?? "-")\n".utf8)
    }
    for (path, base) in bases {
      text += Array("base \(base) ".utf8) + QuotedPath.quote(path.bytes) + [0x0A]
    }
    if let branch { text += Array("branch ".utf8) + QuotedPath.quote(branch.utf8) + [0x0A] }
    for path in kept { text += Array("kept ".utf8) + QuotedPath.quote(path.bytes) + [0x0A] }
    for path in keptFolders {
      text += Array("folder ".utf8) + QuotedPath.quote(path.bytes) + [0x0A]
    }
    for trailer in trailers {
      text += Array("trailer \(trailer.key) ".utf8) + QuotedPath.quote(trailer.value.utf8) + [0x0A]
    }
    for step in steps {
      let modified = step.modified.map(String.init) ?? "-"
      text += Array("step \(Self.word(step.old)) \(Self.word(step.new)) \(modified) ".utf8)
      text += QuotedPath.quote(step.path.bytes) + [0x0A]
      if step.mask != .all {
        text += Array("mask \(Self.octal(step.mask.file)) \(Self.octal(step.mask.folder))\n".utf8)
      }
    }
    return text + Array("end\n".utf8)
  }

  private static func word(_ content: Content?) -> String {
    content.map { "\(octal($0.kind.rawValue)):\($0.id)" } ?? "-"
  }

  private static func octal(_ mode: UInt32) -> String { String(mode, radix: 8) }

  private static func content(_ word: Substring) -> Content?? {
    if word == "-" { return .some(nil) }
    let parts = word.split(separator: ":")
    guard parts.count == 2, let mode = UInt32(parts[0], radix: 8),
      let kind = Item.Kind(rawValue: mode), let id = ObjectID(hex: String(parts[1]))
    else { return nil }
    return Content(kind: kind, id: id)
  }

  /// Reads what ``encoded`` wrote; `nil` for anything else, such as a file that was cut off.
  init?(_ bytes: [UInt8]) {
    let lines = bytes.split(separator: 0x0A).map { String(decoding: $0, as: UTF8.self) }
    guard lines.first == Self.head, lines.last == "end" else { return nil }
    var operation: String?
    var subject: String?
    var trailers: [SaveRequest.Trailer] = []
    var steps: [Step] = []
    var goal = Goal.save
    var bases: [RelativePath: ObjectID] = [:]
    var kept = Set<RelativePath>()
    var keptFolders = Set<RelativePath>()
    var branch: String?
    for line in lines.dropFirst().dropLast() {
      let words = line.split(separator: " ", maxSplits: 4, omittingEmptySubsequences: false)
      switch words.first {
      case "operation" where words.count == 2: operation = String(words[1])
      case "subject":
        subject = Self.unquoted(line.dropFirst("subject ".count))
      case "commit" where words.count == 3:
        guard let id = ObjectID(hex: String(words[1])) else { return nil }
        goal = .commit(id, from: ObjectID(hex: String(words[2])))
      case "base" where words.count >= 3:
        guard let base = ObjectID(hex: String(words[1])),
          let path = Self.path(line.dropFirst("base ".count + words[1].count + 1))
        else { return nil }
        bases[path] = base
      case "branch": branch = Self.unquoted(line.dropFirst("branch ".count))
      case "kept":
        guard let path = Self.path(line.dropFirst("kept ".count)) else { return nil }
        kept.insert(path)
      case "folder":
        guard let path = Self.path(line.dropFirst("folder ".count)) else { return nil }
        keptFolders.insert(path)
      case "trailer" where words.count >= 3:
        let value = line.dropFirst("trailer ".count + words[1].count + 1)
        guard let value = Self.unquoted(value) else { return nil }
        trailers.append(SaveRequest.Trailer(String(words[1]), value))
      case "step" where words.count == 5:
        guard let old = Self.content(words[1]), let new = Self.content(words[2]),
          let path = Self.path(words[4])
        else { return nil }
        steps.append(Step(path: path, old: old, new: new, modified: Int64(words[3])))
      case "mask" where words.count == 3:
        // Of the step before it.
        guard let file = UInt32(words[1], radix: 8), let folder = UInt32(words[2], radix: 8),
          let last = steps.indices.last
        else { return nil }
        steps[last].mask = ModeMask(file: file, folder: folder)
      default: return nil
      }
    }
    guard let operation, let subject, Self.isOperation(operation) else { return nil }
    self.operation = operation
    self.subject = subject
    self.trailers = trailers
    self.steps = steps
    self.goal = goal
    self.bases = bases
    self.kept = kept
    self.keptFolders = keptFolders
    self.branch = branch
  }

  private static func isOperation(_ text: String) -> Bool {
    (1...40).contains(text.utf8.count)
      && text.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber) }
  }

  private static func path(_ quoted: Substring) -> RelativePath? {
    QuotedPath.unquote(Array(quoted.utf8)).flatMap { RelativePath($0) }
  }

  private static func unquoted(_ text: Substring) -> String? {
    QuotedPath.unquote(Array(text.utf8)).map { String(decoding: $0, as: UTF8.self) }
  }
}
