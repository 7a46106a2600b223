import Testing
import VersoGit
import VersoModel
import VersoSync
import VersoTestSupport

@Suite struct RewriteGuardTests {
  let desk: RemoteDesk
  let exchange: Exchange

  init() throws {
    desk = try RemoteDesk()
    try desk.vault("a")
    exchange = try desk.exchange()
  }

  private func repository() throws -> Repository { try Repository(at: desk.scratch.at("a")) }

  @Test func `a remote is new, unchanged, ahead, rewritten, or gone`() throws {
    let one = try desk.commit("one")
    let two = try desk.commit("two")
    try desk.scratch.git("-C", "a", "reset", "-q", "--hard", one.hex)
    let other = try desk.commit("other")
    let repository = try repository()
    let names = exchange.references
    #expect(try repository.rewriteVerdict(names, tip: nil) == .nothing)
    #expect(try repository.rewriteVerdict(names, tip: one) == .first)
    try repository.takeOver(one, names)
    #expect(try repository.rewriteVerdict(names, tip: one) == .unchanged)
    #expect(try repository.rewriteVerdict(names, tip: two) == .forward)
    try repository.takeOver(two, names)
    #expect(try repository.rewriteVerdict(names, tip: other) == .rewritten(from: two, to: other))
    // Put back to an older state is a rewrite, too.
    #expect(try repository.rewriteVerdict(names, tip: one) == .rewritten(from: two, to: one))
    #expect(try repository.rewriteVerdict(names, tip: nil) == .gone(two))
  }

  @Test func `a rewritten remote stays rewritten until somebody decides, and both tips stay`()
    throws
  {
    let one = try desk.commit("one")
    let two = try desk.commit("two")
    #expect(try exchange.push(two) == .pushed)
    try repository().takeOver(two, exchange.references)
    try desk.scratch.git("-C", "a", "reset", "-q", "--hard", one.hex)
    let forced = try desk.commit("forced")
    try desk.scratch.git("-C", "a", "push", "-q", "-f", "origin", "HEAD:main")
    try desk.scratch.git("-C", "a", "reset", "-q", "--hard", one.hex)
    for _ in 1...2 {
      let fetched = try exchange.fetch()
      #expect(fetched.after == forced)
      let repository = try repository()
      let verdict = try repository.rewriteVerdict(exchange.references, tip: fetched.after)
      #expect(verdict == .rewritten(from: two, to: forced))
      let kept = try repository.keep(from: two, to: forced, exchange.references)
      #expect(try repository.id(ofReference: kept.old) == two)
      #expect(try repository.id(ofReference: kept.new) == forced)
    }
    try desk.scratch.git("-C", "a", "update-ref", "-d", "refs/remotes/origin/main")
    try desk.scratch.git("-C", "a", "reflog", "expire", "--expire=all", "--all")
    try desk.scratch.git("-C", "a", "gc", "-q", "--prune=now")
    #expect(try repository().contains(two))
    #expect(try repository().contains(forced))
    // Nothing of it goes to the remote.
    #expect(try desk.scratch.git("-C", desk.bare, "for-each-ref", "refs/verso").isEmpty)
  }

  @Test func `a shallow clone has a history, too`() throws {
    let one = try desk.commit("one")
    let two = try desk.commit("two")
    let three = try desk.commit("three")
    #expect(try exchange.push(three) == .pushed)
    try desk.scratch.git("clone", "-q", "--depth=2", "file://\(desk.bare)", "shallow")
    let repository = try Repository(at: desk.scratch.at("shallow"))
    #expect(try repository.isAncestor(two, of: three))
    #expect(try !repository.isAncestor(three, of: two))
    #expect(throws: GitError.self) { try repository.isAncestor(one, of: three) }
  }

  @Test(arguments: [
    ("origin", "main", "origin/main"), ("origin", "notes/2026", "origin/notes%2f2026"),
    ("a/b", "c", "a%2fb/c"), ("host:x.git", "main", "host%3ax.git/main"),
    ("../x.lock", "m", "%2e%2e%2fx%2elock/m"), (".", "b..c", "%2e/b.%2ec"),
  ])
  func `remotes and branches are one component each`(
    remote: String, branch: String, place: String
  ) throws {
    let names = RemoteReferences(remote: remote, branch: branch)
    #expect(names.fetched == "refs/verso/remotes/\(place)")
    try desk.scratch.git("check-ref-format", names.fetched)
    try desk.scratch.git("check-ref-format", names.seen)
    try desk.scratch.git("check-ref-format", "\(names.rewritten)/x")
  }

  @Test func `a long address has a short name that git takes`() throws {
    let long = "/" + String(repeating: "very/long/", count: 60)
    let names = RemoteReferences(remote: long, branch: "main")
    #expect(names != RemoteReferences(remote: long + "x", branch: "main"))
    let commit = try desk.commit("one")
    try desk.scratch.git("-C", "a", "update-ref", names.fetched, commit.hex)
  }
}
