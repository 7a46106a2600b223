import Testing
import VersoModel

/// The table of unsaved text against the disk, row by row.
@Suite struct UnsavedTextTests {
  private typealias Step = UnsavedText.Step
  private let rules = UnsavedText()
  private let manual = UnsavedText(savesOnLeaving: false)
  private let unsaved: [UnsavedText.Buffer] = [.dirty, .conflict]

  @Test func `U1: a clean buffer is read again`() {
    #expect(rules.steps(.clean, .written(.other)) == [.reload])
    #expect(manual.steps(.clean, .written(.other)) == [.reload])
  }

  @Test func `U2: a touch is nothing`() {
    #expect(rules.steps(.clean, .written(.unchanged)) == [])
    #expect(rules.steps(.clean, .written(.equalToBuffer)) == [])
    #expect(rules.steps(.dirty, .written(.unchanged)) == [])
  }

  @Test func `U3: a dirty buffer and a written file are a conflict, which is not saved over`() {
    #expect(rules.steps(.dirty, .written(.other)) == [.showConflict])
    #expect(rules.steps(.conflict, .written(.other)) == [.showConflict])
    #expect(rules.steps(.conflict, .saveAsked) == [.refuseSave])
    #expect(rules.steps(.dirty, .saveAsked) == [.save])
    #expect(rules.steps(.conflict, .chose(.keepMine)) == [.commitTheirs, .save, .hideConflict])
    #expect(rules.steps(.conflict, .chose(.takeTheirs)) == [.storeDraft, .reload, .markClean])
    #expect(rules.steps(.conflict, .chose(.showDifference)) == [.showDifference])
    #expect(rules.steps(.conflict, .chose(.merge)) == [.commitTheirs, .merge])
    for choice in UnsavedText.Choice.allCases {
      #expect(rules.steps(.dirty, .chose(choice)) == [])
    }
    #expect(rules.steps(.conflict, .written(.unchanged)) == [.hideConflict])
  }

  @Test func `U4: a file that becomes what the buffer holds is saved`() {
    for buffer in unsaved {
      #expect(rules.steps(buffer, .written(.equalToBuffer)) == [.markClean])
    }
  }

  @Test func `U5: a deleted file with a clean buffer ends the selection`() {
    #expect(rules.steps(.clean, .deleted) == [.leaveSelection])
  }

  @Test func `U6: a deleted file with a dirty buffer leaves a draft, then ends the selection`() {
    #expect(rules.steps(.dirty, .deleted) == [.storeDraft, .leaveSelection, .offerRestore])
  }

  @Test func `U7: a renamed file takes the buffer along`() {
    for buffer in UnsavedText.Buffer.allCases {
      #expect(rules.steps(buffer, .renamed) == [.followPath])
    }
  }

  @Test func `U8: a file that leaves the vault, or its folder, leaves a draft`() {
    for occurrence in [UnsavedText.Occurrence.deleted, .folderDeleted] {
      #expect(rules.steps(.dirty, occurrence).prefix(2) == [.storeDraft, .leaveSelection])
    }
    #expect(rules.steps(.clean, .folderDeleted) == [.leaveSelection])
  }

  @Test func `U9: a folder in the file's place leaves a draft for a free name`() {
    #expect(
      rules.steps(.dirty, .replacedByFolder)
        == [.storeDraft, .leaveSelection, .offerRestoreElsewhere])
    #expect(rules.steps(.clean, .replacedByFolder) == [.leaveSelection])
    #expect(ItemName.free("x", suffix: ".md", besides: [item("F/x.md/")]) == "x 2.md")
  }

  @Test func `U10: what cannot be read or written shows its error and stays`() {
    for buffer in UnsavedText.Buffer.allCases {
      #expect(rules.steps(buffer, .inaccessible) == [.showError])
    }
  }

  @Test func `U11: a conflict whose file is deleted leaves a draft of mine`() {
    #expect(rules.steps(.conflict, .deleted) == [.storeDraft, .leaveSelection, .offerRestore])
  }

  @Test func `U12: deleting a dirty file here asks, keeps a draft, and undo restores both`() {
    for buffer in unsaved {
      #expect(
        rules.steps(buffer, .deletedHere) == [.confirmLoss, .storeDraft, .leaveSelection])
      #expect(rules.steps(buffer, .deletionUndone) == [.restoreDraft])
    }
    #expect(rules.steps(.clean, .deletedHere) == [.leaveSelection])
  }

  @Test func `U13: the end saves or keeps a draft`() {
    #expect(rules.steps(.dirty, .ending) == [.save, .end])
    #expect(manual.steps(.dirty, .ending) == [.storeDraft, .end])
    #expect(rules.steps(.conflict, .ending) == [.storeDraft, .end])
    #expect(rules.steps(.clean, .ending) == [.end])
    #expect(rules.steps(.dirty, .left) == [.save])
    #expect(manual.steps(.dirty, .left) == [.storeDraft])
  }

  @Test func `U14: the next start offers drafts`() {
    #expect(rules.steps(.clean, .startedWithDrafts) == [.offerDrafts])
  }

  @Test func `U15: a save that fails leaves the buffer as it is`() {
    for buffer in unsaved { #expect(rules.steps(buffer, .saveFailed) == [.showError]) }
  }

  @Test func `no rule lets unsaved text go before it is kept`() {
    var occurrences: [UnsavedText.Occurrence] = [
      .renamed, .deleted, .folderDeleted, .deletedHere, .deletionUndone, .replacedByFolder,
      .inaccessible, .left, .saveAsked, .saveFailed, .ending, .startedWithDrafts,
    ]
    occurrences += [.written(.unchanged), .written(.other)]
    occurrences += UnsavedText.Choice.allCases.map { .chose($0) }
    for rules in [rules, manual] {
      for buffer in unsaved {
        for occurrence in occurrences {
          let steps = rules.steps(buffer, occurrence)
          let ends: Set<Step> = [.leaveSelection, .reload, .markClean, .end]
          guard let end = steps.firstIndex(where: ends.contains) else { continue }
          let isKept = steps[..<end].contains { $0 == .storeDraft || $0 == .save }
          #expect(isKept, "\(buffer) \(occurrence)")
        }
        // A conflict is written only after theirs is a version.
        for occurrence in occurrences where buffer == .conflict {
          let steps = rules.steps(buffer, occurrence)
          guard let save = steps.firstIndex(of: .save) else { continue }
          #expect(steps[..<save].contains(.commitTheirs), "\(occurrence)")
        }
      }
    }
  }
}
