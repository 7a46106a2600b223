import Testing
import VersoModel
import VersoWatch

/// What comes after the last look before a save is saved, and may be gone before the next look.
@Suite struct SavedUnseenTests {
  /// Does things while the first version is made: before it is read, and after.
  private func desk(
    _ files: [String: String], _ before: @escaping (FakeDisk) -> Void,
    _ after: @escaping (FakeDisk) -> Void
  ) -> Desk {
    let desk = Desk(files)
    var calls = 0
    desk.duringSave = { [unowned desk] in
      calls += 1
      if calls == 1 { before(desk.disk) }
      if calls == 2 { after(desk.disk) }
    }
    return desk
  }

  @Test func `a note that comes back while its deletion is saved, and goes again, is gone`() {
    let desk = desk(["a.md": "one", "b.md": "two"]) {
      $0.write("a.md", "three")
    } _: {
      $0.remove("a.md")
    }
    desk.disk.remove("a.md")
    desk.wait(20)
    #expect(desk.history == ["M a.md", "D a.md"])
    #expect(desk.changes == ["- a.md"])
    desk.expectRest()
  }

  @Test func `the same where it came back as it was, and nothing was saved`() {
    let desk = desk(["a.md": "one", "b.md": "two"]) {
      $0.write("a.md", "one")
    } _: {
      $0.remove("a.md")
    }
    desk.disk.remove("a.md")
    desk.wait(20)
    #expect(desk.history == ["D a.md"])
    desk.expectRest()
  }

  @Test func `the same of a folder, and where the events were lost`() {
    for losesEvents in [false, true] {
      let desk = desk(["d/a.md": "one", "b.md": "two"]) {
        $0.makeFolders("d")
        $0.write("d/new.md", "three")
      } _: {
        $0.removeAll("d")
        if losesEvents { $0.loseEvents() }
      }
      desk.disk.removeAll("d")
      desk.wait(60)
      #expect(desk.history.last == "D d/new.md", "\(desk.history)")
      desk.expectRest()
    }
  }
}
