/// What becomes of text in an editor when the disk, the user or the machine does something: decided
/// here, done by whoever holds the buffer.
///
/// No rule loses text: before a dirty buffer goes, it is a draft; before text on disk goes, it is a
/// version.
public struct UnsavedText: Hashable, Sendable {
  /// How the text in the editor stands to the file it came from.
  public enum Buffer: Sendable, CaseIterable {
    /// It is what the file held when it was read or written last.
    case clean
    /// It was edited.
    case dirty
    /// It was edited, and the file was written by somebody else.
    case conflict
  }

  /// What the file holds now.
  public enum Content: Sendable, CaseIterable {
    /// What it held when it was read or written last: only times have changed.
    case unchanged
    /// What the buffer holds.
    case equalToBuffer
    /// Something else.
    case other
  }

  /// What happened.
  public enum Occurrence: Hashable, Sendable {
    /// The file was written or touched.
    case written(Content)
    /// The file has another path in the vault, by itself or with its folder.
    case renamed
    /// The file was deleted by others, or taken out of the vault.
    case deleted
    /// The file's folder was deleted or taken out of the vault.
    case folderDeleted
    /// The user deletes the file, or a folder above it, here.
    case deletedHere
    /// That deletion is undone.
    case deletionUndone
    /// A folder of the file's name took its place.
    case replacedByFolder
    /// The file cannot be read, or not be written.
    case inaccessible
    /// The user leaves the editor.
    case left
    /// The user saves.
    case saveAsked
    /// Writing failed; the file is what it was.
    case saveFailed
    /// The program is asked to end, by the user or a signal.
    case ending
    /// The program starts, and there are drafts of one that did not end well.
    case startedWithDrafts
    /// The user chose in the banner of a conflict.
    case chose(Choice)
  }

  /// What the banner of a conflict offers.
  public enum Choice: Sendable, CaseIterable {
    case keepMine
    case takeTheirs
    case showDifference
    case merge
  }

  /// One thing to do.
  public enum Step: Hashable, Sendable {
    /// Read the file again; caret and scroll stay, moved as little as the new text demands.
    case reload
    /// The buffer counts as saved, and no banner is shown.
    case markClean
    /// Show the banner of a conflict.
    case showConflict
    /// Take the banner away; the buffer stays edited.
    case hideConflict
    /// Keep the buffer as a draft.
    case storeDraft
    /// Make a version of what is on disk.
    case commitTheirs
    /// Write the buffer.
    case save
    /// Do not write, and say that the file was changed by somebody else.
    case refuseSave
    /// Write to the new path from now on.
    case followPath
    /// Ask first: the text has not been saved.
    case confirmLoss
    /// End the selection, with the file's folder open if it is still there.
    case leaveSelection
    /// Say that a draft was kept, and offer it as a file of this name.
    case offerRestore
    /// The same, under a name that is free.
    case offerRestoreElsewhere
    /// The file comes back, with the draft in the editor.
    case restoreDraft
    /// Show the drafts that there are.
    case offerDrafts
    /// Show why the file could not be read or written; the buffer stays.
    case showError
    /// Show how the two texts differ.
    case showDifference
    /// Join the two texts from what they have in common.
    case merge
    /// Put the terminal back and end with exit code 0.
    case end
  }

  /// Whether a note is saved when the editor is left; on by default.
  public var savesOnLeaving: Bool

  /// With the settings that matter here.
  public init(savesOnLeaving: Bool = true) { self.savesOnLeaving = savesOnLeaving }

  /// What to do, in this order.
  public func steps(_ buffer: Buffer, _ occurrence: Occurrence) -> [Step] {
    switch occurrence {
    case .written(let content): written(buffer, content)
    case .renamed: [.followPath]
    case .deleted, .folderDeleted:
      buffer == .clean ? [.leaveSelection] : [.storeDraft, .leaveSelection, .offerRestore]
    case .replacedByFolder:
      buffer == .clean ? [.leaveSelection] : [.storeDraft, .leaveSelection, .offerRestoreElsewhere]
    case .deletedHere:
      buffer == .clean ? [.leaveSelection] : [.confirmLoss, .storeDraft, .leaveSelection]
    case .deletionUndone: buffer == .clean ? [] : [.restoreDraft]
    case .inaccessible, .saveFailed: [.showError]
    case .left: leaving(buffer)
    case .saveAsked: buffer == .conflict ? [.refuseSave] : buffer == .dirty ? [.save] : []
    case .ending: leaving(buffer) + [.end]
    case .startedWithDrafts: [.offerDrafts]
    case .chose(let choice): buffer == .conflict ? resolving(choice) : []
    }
  }

  private func written(_ buffer: Buffer, _ content: Content) -> [Step] {
    switch (buffer, content) {
    case (.clean, .other): [.reload]
    case (.clean, _): []
    case (_, .equalToBuffer): [.markClean]
    // Theirs was taken back: what is on disk is again what the edits were made on.
    case (.conflict, .unchanged): [.hideConflict]
    case (.dirty, .unchanged): []
    case (_, .other): [.showConflict]
    }
  }

  /// A conflict is never saved over what somebody else wrote.
  private func leaving(_ buffer: Buffer) -> [Step] {
    switch buffer {
    case .clean: []
    case .dirty: savesOnLeaving ? [.save] : [.storeDraft]
    case .conflict: [.storeDraft]
    }
  }

  private func resolving(_ choice: Choice) -> [Step] {
    switch choice {
    case .keepMine: [.commitTheirs, .save, .hideConflict]
    case .takeTheirs: [.storeDraft, .reload, .markClean]
    case .showDifference: [.showDifference]
    case .merge: [.commitTheirs, .merge]
    }
  }
}
