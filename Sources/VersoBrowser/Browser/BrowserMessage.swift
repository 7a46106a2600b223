package import Verso
package import VersoModel

/// Something that happened, as the browser's model is told of it.
package enum BrowserMessage: Sendable {
  /// At the terminal.
  case screen(ScreenEvent)
  /// What the vault holds, at the start or in place of lost changes.
  case snapshot([Item], Catalogue)
  case changed(DiskBatch)
  /// A version was made by the watcher, with this subject.
  case saved(String)
  /// Something stands in the way, or is new.
  case news(String, isTrouble: Bool)
  /// The vault's directory is away, and why; or is there again.
  case offline(String)
  case online
  /// What a folder holds, before the first snapshot.
  case folderRead(RelativePath, [Item])
  case listBuilt(ticket: Int, ItemList)
  /// A file as the disk has it; parsed, where it is Markdown.
  case noteRead(ticket: Int, RelativePath, Vault.Reading, MarkdownDocument?)
  /// An operation has ended.
  case done(OperationPurpose, OperationResult)
  case facts(ticket: Int, [RelativePath: ItemFacts])
  /// A part of a timeline; after the last one there is no more.
  case timeline(ticket: Int, [Vault.TimelineVersion], isLast: Bool)
  case past(ticket: Int, PastView)
  case day(ticket: Int, Vault.Day)
  /// Whether a folder can be listed.
  case access(RelativePath, isReadable: Bool)
  case compared(ticket: Int, SideBySide)
  case found(ticket: Int, [PickerRow], isLast: Bool)
  case drafts([Draft])
  /// What was asked for under a ticket could not be done.
  case failed(ticket: Int, String)
  /// A program that had the terminal has ended; why it could not be started, if so.
  case returned(String?)
  /// Time has passed.
  case tick
}

/// What an operation was for.
package enum OperationPurpose: Hashable, Sendable {
  case create(Item)
  case move, copy
  case delete([RelativePath])
  /// The note with this identity was written as these bytes.
  case save(SelectionID?, RelativePath, [UInt8])
  case undo, redo
  case restore(RelativePath)
  case resolve
  /// What is on the disk was made a version, before something is written over it.
  case version
  /// A text that was not saved was kept beside the notes.
  case draft(RelativePath, [UInt8])
  /// A draft was made a note at this path.
  case restoreDraft(Draft, RelativePath)
  case forget
}

extension OperationPurpose {
  /// Whether it is about one text, which is lost unless it is written.
  var isOfOneText: Bool {
    switch self {
    case .create, .save, .restoreDraft: true
    default: false
    }
  }
}

/// How an operation ended.
package enum OperationResult: Sendable {
  /// Its subject, what it did to the directory, and a sentence about what was left alone.
  case done(subject: String?, DiskBatch, left: String?)
  case failed(String, isRefusal: Bool)
}

/// A version of a note or a folder, ready to be looked at.
package enum PastView: Hashable, Sendable {
  /// The text then, and how the newer one differs.
  case comparison([UInt8], PastComparison)
  case binary(Int)
  case folder([Item])
  case nothing
}

/// A text that was kept when it could not be saved.
package struct Draft: Hashable, Sendable {
  package let name: String
  package let path: RelativePath
  package let bytes: [UInt8]
  /// Seconds since 1970.
  package let time: Int64

  package init(name: String, path: RelativePath, bytes: [UInt8], time: Int64) {
    (self.name, self.path, self.bytes, self.time) = (name, path, bytes, time)
  }

  init(_ draft: Vault.Draft) {
    self.init(name: draft.name, path: draft.path, bytes: draft.bytes, time: draft.time)
  }
}
