import Testing
import VersoHistory
import VersoModel
import VersoTestSupport

@Suite struct VersionRowTests {
  private static func rows(_ script: Script, _ path: RelativePath) throws -> [[Int]] {
    let vault = try script.run()
    let sized = try vault.versions(path).map { ($0, try vault.history.size(of: $0)) }
    return VersionRow.fold(sized).map { row in row.versions.map { vault.mark($0.commit) } }
  }

  @Test func `versions of one device less than ten minutes apart are one row`() throws {
    var script = Script()
    script.commit("1", [.write("a", "one\n")], at: 1000)
    script.commit("2", [.write("a", "one two\n")], at: 1599)
    script.commit("3", [.write("a", "one two three\n")], at: 2198)
    script.commit("4", [.write("a", "four\n")], at: 2798)
    let vault = try script.run()
    let sized = try vault.versions("a").map { ($0, try vault.history.size(of: $0)) }
    let rows = VersionRow.fold(sized)
    #expect(rows.map { $0.versions.count } == [1, 3])
    let row = try #require(rows.last)
    #expect(row.firstTime == 1000 && row.lastTime == 2198)
    #expect(row.size.addedWords == 3 && row.size.removedWords == 0)
    #expect(rows.first?.size.removedWords == 3)
  }

  @Test func `another device, a rename or a deletion begins a row`() throws {
    var script = Script()
    script.commit("1", [.write("a", paragraph("a"))])
    script.commit("2", [.write("a", paragraph("a") + "x\n")], author: "Bob")
    script.commit("3", [.write("a", paragraph("a") + "y\n")])
    script.commit("4", [.rename("a", "b")])
    script.commit("5", [.write("b", paragraph("a") + "z\n")])
    script.commit("6", [.delete("b")])
    #expect(try Self.rows(script, "b") == [[6], [5], [4], [3], [2], [1]])
  }

  @Test func `no versions are no rows`() {
    #expect(VersionRow.fold([]).isEmpty)
  }

  @Test func `the size of a folder's version is that of its files`() throws {
    var script = Script()
    script.commit("1", [.write("d/a", "one\n"), .write("d/b", "two\n")])
    script.commit("2", [.write("d/a", "one more\n"), .delete("d/b")])
    let vault = try script.run()
    let sizes = try vault.versions("d").map { try vault.history.size(of: $0) }
    #expect(sizes.map(\.addedWords) == [1, 2])
    #expect(sizes.map(\.removedWords) == [1, 0])
  }
}
