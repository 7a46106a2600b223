import Testing
import Verso
import VersoModel
import VersoSplitView
import VersoTestSupport

@testable import VersoBrowser

@Suite struct BrowserFileTests {
  @Test func `a name that cannot be given is refused in place`() {
    var desk = BrowserDesk(.desk, ["a.md": "a\n"])
    desk.press("Enter a")
    desk.type("a.md")
    desk.press("Enter")
    #expect(desk.status.contains("a.md exists"))
    desk.press("Ctrl-U")
    desk.type("..")
    desk.press("Enter")
    #expect(desk.status.contains("cannot be . or .."))
    desk.press("Esc")
    #expect(desk.operations.isEmpty)
  }

  @Test func `renaming puts the caret before the extension, and keeps selection and editor`() {
    var desk = BrowserDesk(.desk, ["a.md": "text\n"])
    desk.press("Enter Enter r")
    desk.type("-new")
    desk.press("Enter")
    #expect(desk.disk["a-new.md"] != nil && desk.disk["a.md"] == nil)
    #expect(desk.text.contains(">•a-new.md") && desk.text.contains("text"))
    #expect(desk.model.gotoLog == ["folderSelected .", "fileSelected a.md"])
  }

  @Test func `a deletion asks once, and undo brings note and selection back`() {
    var desk = BrowserDesk(.desk, ["a.md": "text\n", "b.md": "b\n"])
    desk.press("Enter Enter d")
    #expect(desk.status.contains("Delete a.md?"))
    desk.press("n")
    #expect(desk.disk["a.md"] != nil)
    desk.press("d y")
    #expect(desk.disk["a.md"] == nil)
    desk.press("u")
    #expect(desk.model.gotoLog.last == "fileSelected a.md")
  }

  @Test func `a deletion that fails changes nothing but the status line`() {
    var desk = BrowserDesk(.desk, ["a.md": "text\n"])
    desk.press("Enter Enter")
    let log = desk.model.gotoLog
    desk.trouble = "permission denied"
    desk.press("d y")
    #expect(desk.model.gotoLog == log && desk.status.contains("permission denied"))
  }

  @Test func `marked notes are moved to another folder together`() {
    var desk = BrowserDesk(.desk, ["a.md": "a\n", "b.md": "b\n", "f/c.md": "c\n"])
    desk.press("Enter Space Space x h j Enter p")
    #expect(desk.disk["f/a.md"] != nil && desk.disk["f/b.md"] != nil && desk.disk["a.md"] == nil)
    #expect(desk.operations.count == 1)
  }

  @Test func `a copy beside its note gets a name of its own`() {
    var desk = BrowserDesk(.desk, ["a.md": "a\n"])
    desk.press("Enter y p")
    #expect(desk.disk["a 2.md"] == .some(Array("a\n".utf8)))
  }

  @Test func `a folder cannot be pasted into itself`() {
    var desk = BrowserDesk(.desk, ["f/a.md": "a\n"])
    desk.press("j x Enter p")
    #expect(desk.status.contains("cannot go into itself"))
  }

  @Test func `the vault itself can neither be renamed nor deleted`() {
    var desk = BrowserDesk(.desk, ["a.md": "a\n"])
    for key in ["r", "d"] {
      desk.press(key)
      #expect(desk.status.contains("cannot be renamed or deleted"))
    }
  }

  @Test func `names that would act on a terminal are drawn as symbols`() {
    var desk = BrowserDesk(.desk, ["a\u{1B}[31mb.md": "x\u{1B}[2Jy\u{202E}z\n"])
    desk.press("Enter Enter")
    #expect(!desk.text.contains("\u{1B}") && !desk.text.contains("\u{202E}"))
    #expect(desk.text.contains("a␛[31mb.md"))
  }

  @Test func `a binary file is stated by type and size`() {
    var desk = BrowserDesk(.desk, ["a.bin": "\u{0}\u{1}\u{2}"])
    desk.press("Enter Enter")
    #expect(desk.text.contains("Binary file") && desk.text.contains("3 bytes"))
    desk.press("l i")
    #expect(desk.status.contains("is no text"))
  }

  @Test func `hidden files come and go with a key`() {
    var desk = BrowserDesk(.desk, [".secret.md": "s\n", "a.md": "a\n"])
    desk.press("Enter")
    #expect(!desk.text.contains(".secret.md"))
    desk.press(".")
    #expect(desk.text.contains(".secret.md"))
  }

  @Test func `rows are searched as one types, and filtered`() {
    var desk = BrowserDesk(.desk, ["apple.md": "", "banana.md": "", "cherry.md": ""])
    desk.press("Enter /")
    desk.type("che")
    #expect(desk.text.contains("> cherry.md"))
    desk.press("Enter f")
    desk.type("an")
    #expect(desk.text.contains("banana.md") && !desk.text.contains("apple.md"))
    desk.press("Esc")
    #expect(desk.text.contains("apple.md"))
  }

  @Test func `any note is found by some letters of its name`() {
    var desk = BrowserDesk(.desk, ["deep/er/still/meeting-notes.md": "m\n", "other.md": "o\n"])
    desk.press("Ctrl-P")
    desk.type("mtn")
    #expect(desk.text.contains("> deep/er/still/meeting-notes.md"))
    desk.press("Enter")
    #expect(desk.model.gotoLog.last == "fileSelected deep/er/still/meeting-notes.md")
  }

  @Test func `a note is found whatever its accents are and however they are encoded`() {
    for name in ["Café Ångström.md", "Cafe\u{301} A\u{30A}ngstro\u{308}m.md"] {
      for typed in ["cafeang", "Café Å", "CAFE\u{301}ANGSTRÖM"] {
        var desk = BrowserDesk(.desk, ["f/\(name)": "m\n", "other.md": "o\n"])
        desk.press("Ctrl-P")
        desk.type(typed)
        desk.press("Enter")
        #expect(desk.model.gotoLog.last == "fileSelected f/\(name)", "\(name), \(typed)")
      }
    }
  }

  @Test func `the palette lists actions and does them`() {
    var desk = BrowserDesk(.desk, ["a.md": "a\n"])
    desk.press(":")
    desk.type("next-theme")
    desk.press("Enter")
    #expect(desk.status.contains("theme light"))
  }

  @Test func `help shows the live keys, and is searched`() {
    var desk = BrowserDesk(.desk, ["a.md": "a\n"]) {
      do throws(Keymap.LineError) { try $0.keymap.read("zen = Z") } catch {
        Issue.record("\(error)")
      }
    }
    desk.press("? /")
    desk.type("the note alone")
    #expect(desk.text.contains("Z  "))
    desk.press("Enter Esc")
    #expect(!desk.text.contains("Help"))
  }

  @Test func `a conflict copy is marked`() {
    var desk = BrowserDesk(
      .desk, ["a.md": "a\n", "a (conflict phone 2027-01-15 0801 850c244).md": "b\n"])
    desk.press("Enter j")
    #expect(desk.rows.contains { $0.contains("!a (conflict") })
  }

  @Test func `a directory that is away says so, and comes back`() {
    var desk = BrowserDesk(.desk, ["a.md": "a\n"])
    desk.press("Enter Enter")
    desk.send(.offline("the disk was unplugged"))
    #expect(desk.text.contains("The vault is not there") && desk.text.contains("unplugged"))
    #expect(desk.model.gotoLog.last == "noSelection nothing")
    desk.send(.online)
    desk.send(.snapshot(desk.items, Catalogue(desk.items)))
    #expect(!desk.text.contains("The vault is not there"))
    desk.press("Enter")
    #expect(desk.text.contains("a.md"))
  }

  @Test func `a hidden note that is made leaves the keys with the files`() {
    var desk = BrowserDesk(.desk, ["ideas/one.md": "1\n", "ideas/two.md": "2\n"])
    desk.press("j Enter")
    let before = desk.model.focus
    desk.press("a")
    desk.type(".hidden.md")
    desk.press("Enter")
    #expect(desk.disk["ideas/.hidden.md"] != nil, "\(desk.disk.keys)")
    #expect(desk.model.focus == before && before == .supplementary)
    desk.press("d")
    #expect(!desk.status.contains("Delete ideas/?"), "\(desk.status)")
  }

  @Test func `what stays or has no version is not called deleted or unchanged`() {
    var desk = BrowserDesk(.desk, ["a.md": "a\n", "big.md": "b\n"])
    desk.press("Enter")
    let nothing = OperationResult.done(subject: nil, DiskBatch(), left: nil)
    desk.send(.done(.delete(["big.md"]), nothing))
    #expect(desk.status.contains("big.md not deleted"), "\(desk.status)")
    desk.send(.done(.copy, nothing))
    #expect(desk.status.contains("nothing was done"), "\(desk.status)")
    let renamed = DiskBatch(renamed: [.init("big.md", "huge.md")])
    desk.send(.done(.move, .done(subject: nil, renamed, left: nil)))
    #expect(desk.status.contains("without a version"), "\(desk.status)")
  }

  @Test(arguments: ["+!touch RAN", "-x.md", "a b.md", "$(touch RAN)"])
  func `no name of a note is a command for the editor`(name: String) throws {
    let scratch = try Scratch()
    try scratch.write("text\n", to: name)
    let trouble = Program.run(
      "test -f \"$1\" && printf %s \"$1\" > given", argument: Array(name.utf8), in: scratch.path)
    #expect(trouble == nil)
    #expect(scratch.text(of: "given") == "./\(name)")
    #expect(!scratch.exists("RAN"))
  }
}
