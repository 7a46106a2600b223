import Testing
import VersoGit
import VersoModel
import VersoTestSupport

@testable import VersoHistory

@Suite struct HistorySearchTests {
  private func index(_ vault: Vault) throws -> HistoryIndex {
    try #require(vault.indexed().index)
  }

  private func lost(_ words: [String], _ vault: Vault) throws -> [LostPassage] {
    var search = HistorySearch(try index(vault), of: vault.repository)
    return try search.passages(with: #require(SearchQuery(words)))
  }

  @Test func `a line that was deleted is found where it was last, and until when`() throws {
    var script = Script()
    script.commit("one", [.write("a.md", "first\nthe lost paragraph\nlast\n")])
    script.commit("two", [.rename("a.md", "b.md")])
    let three = script.commit("three", [.write("c.md", "other\n")])
    let four = script.commit("four", [.write("b.md", "first\nlast\n")])
    script.commit("five", [.write("c.md", "else\n")])
    let vault = try script.run()
    let found = try lost(["LOST", "paragraph"], vault)
    #expect(found.count == 1)
    let passage = try #require(found.first)
    #expect(passage.path == "b.md")
    #expect(passage.lines == [.init(number: 2, text: Array("the lost paragraph".utf8))])
    #expect(try passage.lastWith == vault.id(three))
    #expect(try passage.removed == vault.id(four))
    #expect(try passage.until == vault.history.graph.node(vault.id(four)).time)
  }

  @Test func `what any note still holds is not lost`() throws {
    var script = Script()
    script.commit("one", [.write("a.md", "kept somewhere\n")])
    script.commit("two", [.write("b.md", "kept somewhere\n")])
    script.commit("three", [.delete("a.md")])
    let vault = try script.run()
    #expect(try lost(["kept"], vault).isEmpty)
    let notes = try index(vault).notes(with: #require(SearchQuery(["kept"])))
    #expect(notes.map(\.path) == ["b.md"])
  }

  @Test func `words in different lines of an old version are found`() throws {
    var script = Script()
    script.commit("one", [.write("a.md", "alpha\nbeta\n")])
    let two = script.commit("two", [.write("a.md", "alpha\nbeta\ngamma\n")])
    script.commit("three", [.write("a.md", "gamma\n")])
    let vault = try script.run()
    for words in [["alpha", "gamma"], ["beta gamma"]] {
      let found = try lost(words, vault)
      #expect(try found.map(\.lastWith) == [vault.id(two)], "\(words)")
    }
    #expect(try lost(["gamma beta"], vault).isEmpty)
    let lines = try lost(["beta gamma"], vault).first?.lines.map(\.number)
    #expect(lines == [2, 3])
  }

  @Test func `words that went in the edit that moved their note are found`() throws {
    let rest = paragraph("rest")
    var script = Script()
    let one = script.commit("one", [.write("a.md", "alpha\nbeta\n\(rest)")])
    script.commit("two", [.delete("a.md"), .write("b.md", "alpha\n\(rest)")])
    script.commit("three", [.write("c.md", "gamma\ndelta\n\(paragraph("c"))")])
    script.commit("four", [.rename("c.md", "d.md")])
    let vault = try script.run()
    let found = try lost(["alpha beta"], vault)
    #expect(try found.map(\.lastWith) == [vault.id(one)])
    #expect(found.map(\.path) == ["a.md"])
    #expect(try lost(["gamma delta"], vault).isEmpty)
  }

  @Test func `a search may be confined to a folder and a time`() throws {
    var script = Script()
    script.time = 1_000_000
    script.commit("one", [.write("a/x.md", "secret word\n"), .write("b/y.md", "secret sign\n")])
    script.time = 2_000_000
    script.commit("two", [.delete("a/x.md"), .delete("b/y.md")])
    let vault = try script.run()
    let query = try #require(SearchQuery(["secret"]))
    func paths(_ scope: SearchScope) throws -> [RelativePath] {
      var search = HistorySearch(try index(vault), of: vault.repository)
      return try search.passages(with: query, in: scope).map(\.path)
    }
    #expect(try paths(.init()) == ["a/x.md", "b/y.md"])
    #expect(try paths(.init(path: "b")) == ["b/y.md"])
    #expect(try paths(.init(path: "bb")).isEmpty)
    #expect(try paths(.init(since: 2_000_001)).isEmpty)
    #expect(try paths(.init(until: 999_999)).isEmpty)
    #expect(try paths(.init(since: 1_500_000, until: 1_600_000)).count == 2)
  }

  @Test func `a pattern finds lost lines, each once`() throws {
    var script = Script()
    script.commit("one", [.write("a.md", "room 101\n---\nnaïve größe\n")])
    script.commit("two", [.write("a.md", "room 102\n")])
    script.commit("three", [.write("a.md", "room 101\n")])
    script.commit("four", [.write("a.md", "none\n")])
    let vault = try script.run()
    func texts(_ pattern: String) throws -> [String] {
      var search = HistorySearch(try index(vault), of: vault.repository)
      let pattern = try LinePattern(pattern)
      return try search.passages { pattern.matches($0) }.flatMap(\.lines)
        .map { String(decoding: $0.text, as: UTF8.self) }
    }
    #expect(try texts("^ROOM [0-9]+$") == ["room 101", "room 102"])
    #expect(try texts("gr.ße") == ["naïve größe"])
    #expect(try texts("-").isEmpty)
    #expect(throws: LinePattern.Failure.self) { try LinePattern("(") }
  }

  @Test(arguments: 1...8 as ClosedRange<UInt64>)
  func `a phrase is found over any line ends, in random notes`(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    let words = ["ant", "bee", "Cat", "café", "naïve", "日本", "語", "กา", "x"]
    let ends = ["\n", "\n\n", "\r\n", "\n---\n", " ", ", ", " ", " "]
    func phrase(_ count: Int) -> String {
      (0..<count).map { _ in words[Int.random(in: 0..<words.count, using: &generator)] }
        .joined(separator: " ")
    }
    var texts: [RelativePath: String] = [:]
    for number in 0..<40 {
      texts[try #require(RelativePath("\(number).md"))] = (0..<12).map { _ in
        phrase(1) + ends[Int.random(in: 0..<ends.count, using: &generator)]
      }.joined()
    }
    var script = Script()
    script.commit("all", texts.map { .write("\($0.key)", $0.value) })
    let index = try index(script.run())
    var found = 0
    for round in 0..<200 {
      let text = phrase(round % 4 + 1) + (round % 3 == 0 ? "*" : "")
      let query = try #require(SearchQuery([text]))
      let hits = try index.notes(with: query)
      let matching = texts.filter { query.matches(Array($0.value.utf8)) }.map(\.key)
      found += matching.count
      #expect(Set(matching).isSubset(of: hits.map(\.path)), "seed \(seed): \(text)")
      let sure = hits.filter(\.isSure).map(\.path)
      #expect(Set(sure).isSubset(of: matching), "seed \(seed): \(text)")
    }
    #expect(found > 200)
  }

  @Test func `a journal costs its lines once, whatever the number of versions`() throws {
    var script = Script()
    var generator = SeededGenerator(seed: 11)
    let words = (0..<3_000).map { "w\(String($0, radix: 36))rd" }
    var text = ""
    for number in 1...1_000 {
      let line = (0..<12).compactMap { _ in words.randomElement(using: &generator) }
      text += "\(number) \(line.joined(separator: " "))\n"
      script.commit("c\(number)", [.write("journal.md", text)])
    }
    let vault = try script.run()
    let index = try index(vault)
    let lines = try #require(try index.database.integer("SELECT count(*) FROM lines"))
    #expect(lines == 1_000)
    try index.database.execute("INSERT INTO words(words) VALUES('optimize')")
    let size = try #require(
      try index.database.integer(
        "SELECT sum(pgsize) FROM dbstat WHERE name LIKE 'words%' OR name IN "
          + "('lines', 'occurrences')"))
    #expect(size <= 2 * Int64(text.utf8.count), "\(size) for \(text.utf8.count) bytes of text")
  }
}
