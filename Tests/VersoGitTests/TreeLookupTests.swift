import Testing
import VersoGit
import VersoModel
import VersoTestSupport

/// Many questions to the same trees have the answers of single ones.
@Suite struct TreeLookupTests {
  @Test func `paths are found at the first question and at the hundredth`() throws {
    let scratch = try Scratch(inMemory: true)
    try scratch.git("init", "-q")
    let odd = ["a/b/c.md", "a/b/d.md", "a.md", "ab", "ä.md", "a b/x"]
    let names = (0..<40).map { "n\($0).md" } + odd
    for name in names { try scratch.write("\(name)\n", to: name) }
    try run(["chmod", "+x", scratch.at("ab")])
    try run(["ln", "-s", "ab", scratch.at("link")])
    try scratch.git("add", "-A")
    let tree = try #require(ObjectID(hex: try scratch.git("write-tree")))
    let repository = try Repository(at: scratch.path)
    let trees = TreeLookup(repository)
    let absent = ["a/b", "a", "b", "a/b/e.md", "n1", "n1.md/x", "ab/x", "link/x", "A.md", "x/y/z"]
    for _ in 0..<3 {
      for name in names + absent + ["link"] {
        let path = try #require(RelativePath(Array(name.utf8)))
        let single = try repository.entry(at: path, in: tree)
        let found = try trees.find(path, in: tree)
        #expect(found?.id == single?.id && found?.mode == single?.mode, "\(name)")
      }
    }
    #expect(try trees.find(.root, in: tree)?.id == tree)
    #expect(throws: GitError.self) {
      let none = try #require(ObjectID(hex: String(repeating: "1", count: 40)))
      return try trees.find("a", in: none)
    }
  }
}
