import Testing
import VersoTestSupport

/// Links as operands: one in a vault is a note like others, one from elsewhere leads to its vault.
@Suite struct LinkOperandTests {
  @Test func `a link in a vault is named wherever it leads`() throws {
    let scratch = try Scratch()
    for vault in ["a", "b"] {
      try scratch.write("text\n", to: "\(vault)/n.md")
      #expect(try Verso.run("init", "-q", scratch.at(vault)).status == 0)
    }
    try run(["ln", "-s", "/etc", scratch.at("a/up")])
    try run(["ln", "-s", "../b", scratch.at("a/other")])
    try run(["ln", "-s", "n.md", scratch.at("a/note")])
    #expect(try Verso.run("save", "-q", "-C", scratch.at("a")).status == 0)
    for link in ["up", "other", "note"] {
      for name in [link, scratch.at("a/\(link)")] {
        let log = try Verso.run("log", name, in: scratch.at("a"))
        #expect(log.status == 0 && log.text.contains("Add 3 notes"), "\(name): \(log.error)")
      }
      try run(["rm", scratch.at("a/\(link)")])
      #expect(try Verso.run("save", "-q", scratch.at("a")).status == 0)
      let back = try Verso.run("restore", link, in: scratch.at("a"))
      #expect(back.status == 0, "\(link): \(back.error)")
    }
    #expect(try run(["readlink", scratch.at("a/up")]).text == "/etc\n")
  }

  @Test func `a link to a vault stands for the vault`() throws {
    let scratch = try Scratch()
    try scratch.write("text\n", to: "b/n.md")
    #expect(try Verso.run("init", "-q", scratch.at("b")).status == 0)
    try run(["ln", "-s", "b", scratch.at("notes")])
    try scratch.write("more\n", to: "b/m.md")
    let saved = try Verso.run("save", scratch.at("notes"))
    #expect(saved.status == 0 && saved.text.contains("Add m.md"), "\(saved.error)")
    let log = try Verso.run("log", scratch.at("notes/m.md"))
    #expect(log.status == 0 && log.text.contains("Add m.md"), "\(log.error)")
  }
}
