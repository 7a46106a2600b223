import Glibc
import Testing
import VersoGit
import VersoModel
import VersoSync
import VersoTestSupport

@Suite struct ExchangePathTests {
  let desk: RemoteDesk

  init() throws {
    desk = try RemoteDesk()
    try desk.vault("a")
  }

  @Test func `an empty remote has no tips, and a fetch from it brings nothing`() throws {
    let exchange = try desk.exchange()
    let tips = try exchange.tips()
    #expect(tips.isEmpty)
    #expect(tips.branch == nil)
    #expect(try exchange.tip() == nil)
    #expect(try exchange.fetch() == Fetched(before: nil, after: nil))
  }

  @Test(arguments: ["path", "file", "relative"])
  func `what is pushed is there, and comes to another device`(form: String) throws {
    let address =
      form == "path" ? desk.bare : form == "file" ? "file://\(desk.bare)" : "../remote.git"
    try desk.vault("b", remote: address)
    let first = try desk.commit("one", in: "a")
    let here = try desk.exchange("a", remote: desk.bare)
    #expect(try here.push(first) == .pushed)
    #expect(try here.push(first) == .upToDate)
    #expect(try desk.remoteTip() == first)
    let there = try desk.exchange("b")
    #expect(try there.tips().branch == first)
    #expect(try there.tips().defaultBranch == "main")
    #expect(try there.fetch() == Fetched(before: nil, after: first))
    #expect(try there.fetch() == Fetched(before: first, after: first))
    let second = try desk.commit("two", in: "a")
    #expect(try here.push(second) == .pushed)
    #expect(try there.tip() == second)
    #expect(try there.fetch() == Fetched(before: first, after: second))
    let repository = try Repository(at: desk.scratch.at("b"))
    #expect(try repository.id(ofReference: there.references.fetched) == second)
    // As with git's own fetch.
    #expect(try desk.id("refs/remotes/origin/main", in: "b") == second)
    #expect(desk.scratch.bytes(of: "b/.git/FETCH_HEAD") == nil)
  }

  @Test func `tags are neither fetched nor pushed`() throws {
    let commit = try desk.commit("one")
    try desk.scratch.git("-C", "a", "config", "push.followTags", "true")
    try desk.scratch.git("-C", "a", "tag", "-a", "-m", "mine", "mine")
    #expect(try desk.exchange().push(commit) == .pushed)
    try desk.scratch.git("-C", desk.bare, "tag", "theirs", "main")
    #expect(try desk.exchange().fetch().after == commit)
    #expect(try desk.scratch.git("-C", desk.bare, "tag") == "theirs")
    #expect(try desk.scratch.git("-C", "a", "tag") == "mine")
  }

  @Test func `a remote with another default branch, or with a dangling HEAD, is read as it is`()
    throws
  {
    let commit = try desk.commit("one")
    #expect(try desk.exchange().push(commit) == .pushed)
    try desk.scratch.git("-C", desk.bare, "branch", "notes", "main")
    try desk.scratch.git("-C", desk.bare, "symbolic-ref", "HEAD", "refs/heads/notes")
    try desk.scratch.git("-C", desk.bare, "update-ref", "-d", "refs/heads/main")
    let other = try desk.exchange().tips()
    #expect(other.defaultBranch == "notes")
    #expect(other.branch == nil)
    #expect(other.heads == ["notes": commit])
    #expect(!other.isEmpty)
    #expect(try desk.exchange().fetch().after == nil)
    try desk.scratch.git("-C", desk.bare, "symbolic-ref", "HEAD", "refs/heads/nowhere")
    let dangling = try desk.exchange(branch: "notes").tips()
    #expect(dangling.defaultBranch == nil)
    #expect(dangling.branch == commit)
    #expect(try desk.exchange(branch: "notes").fetch().after == commit)
  }

  @Test func `a history that has nothing in common is fetched, and no push goes over it`() throws {
    try desk.vault("b")
    let theirs = try desk.commit("theirs", in: "b")
    #expect(try desk.exchange("b").push(theirs) == .pushed)
    let ours = try desk.commit("ours", in: "a")
    #expect(try desk.exchange("a").push(ours) == .raced)
    #expect(try desk.exchange("a").fetch().after == theirs)
    #expect(try desk.exchange("a").push(ours) == .raced)
    #expect(try desk.remoteTip() == theirs)
  }

  @Test func `a push that came second is a race, and fetching and merging wins it`() throws {
    try desk.vault("b")
    let base = try desk.commit("base")
    #expect(try desk.exchange("a").push(base) == .pushed)
    #expect(try desk.exchange("b").fetch().after == base)
    try desk.scratch.git("-C", "b", "reset", "-q", "--hard", base.hex)
    let first = try desk.commit("b", to: "b.md", in: "b")
    let second = try desk.commit("a", to: "a.md", in: "a")
    #expect(try desk.exchange("b").push(first) == .pushed)
    #expect(try desk.exchange("a").push(second) == .raced)
    #expect(try desk.exchange("a").fetch().after == first)
    try desk.scratch.git("-C", "a", "merge", "-q", "--no-edit", first.hex)
    #expect(try desk.exchange("a").push(try desk.id("HEAD", in: "a")) == .pushed)
  }

  @Test func `two pushes at once: one is through, and the other is told that it raced`() throws {
    // The hook runs between the look at the old tip and the move of the reference.
    let base = try desk.commit("base")
    #expect(try desk.exchange().push(base) == .pushed)
    let between = try desk.commit("between")
    try desk.scratch.git("-C", "a", "push", "-q", "origin", "HEAD:refs/heads/spare")
    try desk.scratch.git("-C", "a", "reset", "-q", "--hard", base.hex)
    let late = try desk.commit("late", to: "late.md")
    try desk.hook(
      "pre-receive", "unset GIT_QUARANTINE_PATH; git update-ref refs/heads/main \(between.hex)")
    #expect(try desk.exchange().push(late) == .raced)
    #expect(try desk.remoteTip() == between)
  }

  @Test func `a branch that somebody holds locked is a race`() throws {
    let commit = try desk.commit("one")
    try desk.scratch.write("", to: "remote.git/refs/heads/main.lock")
    #expect(try desk.exchange().push(commit) == .raced)
  }

  @Test func `receive.denyNonFastForwards changes nothing for who never forces`() throws {
    try desk.scratch.git("-C", desk.bare, "config", "receive.denyNonFastForwards", "true")
    let commit = try desk.commit("one")
    #expect(try desk.exchange().push(commit) == .pushed)
    try desk.scratch.git("-C", "a", "commit", "-q", "--amend", "-m", "other")
    #expect(try desk.exchange().push(try desk.id("HEAD", in: "a")) == .raced)
    #expect(try desk.remoteTip() == commit)
  }

  @Test func `the words of a hook that refuses are passed on`() throws {
    try desk.hook("pre-receive", "echo 'Closed on Sundays.' >&2; exit 1")
    let commit = try desk.commit("one")
    let error = try failure { try desk.exchange().push(commit) }
    #expect(error.reason == .rejectedByHook)
    #expect(error.detail.contains("remote: Closed on Sundays."))
    #expect(!error.isTransient)
    #expect(try desk.remoteTip() == nil)
  }

  @Test func `an update hook and a protected branch are told apart`() throws {
    try desk.hook(
      "update", "echo 'GH006: Protected branch update failed for refs/heads/main.' >&2; exit 1")
    let commit = try desk.commit("one")
    #expect(try failure { try desk.exchange().push(commit) }.reason == .protectedBranch)
  }

  @Test func `a push that is too large for the remote says so`() throws {
    try desk.scratch.git("-C", desk.bare, "config", "receive.maxInputSize", "100")
    let commit = try desk.commit((0..<2000).map { "line \($0 * 7919)" }.joined(separator: "\n"))
    let error = try failure { try desk.exchange().push(commit) }
    #expect(error.reason == .tooLarge)
  }

  @Test func `a remote with a work tree refuses its own branch, with what to do`() throws {
    try desk.vault("b")
    try desk.commit("b", in: "b")
    try desk.commit("a", in: "a")
    try desk.scratch.git("-C", "a", "fetch", "-q", desk.scratch.at("b"), "main")
    try desk.scratch.git(
      "-C", "a", "merge", "-q", "--no-edit", "-s", "ours", "--allow-unrelated-histories",
      "FETCH_HEAD")
    let error = try failure {
      try desk.exchange("a", remote: desk.scratch.at("b")).push(try desk.id("HEAD", in: "a"))
    }
    #expect(error.reason == .nonBareCheckedOut)
    #expect(error.message.contains("bare"))
  }

  @Test func `no repository there is said with the address`() throws {
    let error = try failure {
      try desk.exchange(remote: desk.scratch.at("nowhere.git")).tips()
    }
    #expect(error.reason == .notFound)
    #expect(error.message.contains("nowhere.git"))
  }

  @Test func `a name that is no remote is no path either`() throws {
    let error = try failure { try desk.exchange(remote: "upstream") }
    #expect(error.reason == .unknownRemote)
  }

  @Test func `a SHA-256 remote is named as what it is`() throws {
    try desk.scratch.git("init", "-q", "--bare", "--object-format=sha256", "new.git")
    try desk.scratch.git("init", "-q", "--object-format=sha256", "new")
    try desk.scratch.write("x", to: "new/x")
    try desk.scratch.git("-C", "new", "add", "x")
    try desk.scratch.git("-C", "new", "commit", "-q", "-m", "x")
    try desk.scratch.git("-C", "new", "push", "-q", desk.scratch.at("new.git"), "HEAD:main")
    let exchange = try desk.exchange(remote: desk.scratch.at("new.git"))
    #expect(try failure { try exchange.tips() }.reason == .foreignFormat)
    #expect(try failure { try exchange.fetch() }.reason == .foreignFormat)
  }

  @Test func `no git program is a reason of its own`() throws {
    let error = try failure {
      try desk.exchange(environment: ["PATH": desk.scratch.at("home")])
    }
    #expect(error.reason == .noGit)
    #expect(error.message.contains("install"))
  }

  @Test func `hooks of this side do not run, but Git LFS's does`() throws {
    for hook in ["pre-push", "reference-transaction"] {
      try desk.scratch.write(
        "#!/bin/sh\ntouch \(desk.scratch.at("ran"))\n", to: "a/.git/hooks/\(hook)")
      chmod(desk.scratch.at("a/.git/hooks/\(hook)"), 0o755)
    }
    let commit = try desk.commit("one")
    unlink(desk.scratch.at("ran"))
    #expect(try desk.exchange().push(commit) == .pushed)
    #expect(try desk.exchange().fetch().after == commit)
    #expect(desk.scratch.bytes(of: "ran") == nil)
    try desk.scratch.git("-C", "a", "config", "filter.lfs.process", "git-lfs filter-process")
    try desk.scratch.write(
      "#!/bin/sh\n# git lfs pre-push\ntouch \(desk.scratch.at("ran"))\n",
      to: "a/.git/hooks/pre-push")
    let next = try desk.commit("two")
    unlink(desk.scratch.at("ran"))
    #expect(try desk.exchange().push(next) == .pushed)
    #expect(desk.scratch.bytes(of: "ran") != nil)
  }

  @Test func `a locked remote-tracking branch does not keep the notes away`() throws {
    let commit = try desk.commit("one")
    #expect(try desk.exchange().push(commit) == .pushed)
    try desk.vault("b")
    try desk.scratch.write("", to: "b/.git/refs/remotes/origin/main.lock")
    #expect(try desk.exchange("b").fetch().after == commit)
  }

  @Test func `settings that change git's own fetch and push change nothing here`() throws {
    for (key, value) in [
      ("remote.origin.mirror", "true"), ("fetch.prune", "true"), ("push.default", "nothing"),
      ("remote.origin.tagOpt", "--tags"), ("submodule.recurse", "true"),
      ("fetch.writeCommitGraph", "true"), ("color.ui", "always"), ("color.remote", "always"),
    ] {
      try desk.scratch.git("-C", "a", "config", key, value)
    }
    let commit = try desk.commit("one")
    #expect(try desk.exchange().push(commit) == .pushed)
    try desk.scratch.git("-C", desk.bare, "tag", "theirs", "main")
    #expect(try desk.exchange().fetch() == Fetched(before: nil, after: commit))
    #expect(try desk.scratch.git("-C", "a", "tag").isEmpty)
  }

  @Test func `url.insteadOf and pushurl count`() throws {
    try desk.scratch.git("-C", "a", "config", "url.\(desk.scratch.path)/.insteadOf", "notes:")
    try desk.scratch.git("-C", "a", "remote", "set-url", "origin", "notes:remote.git")
    try desk.scratch.git("init", "-q", "--bare", "-b", "main", "push.git")
    try desk.scratch.git("-C", "a", "config", "remote.origin.pushurl", "notes:push.git")
    let commit = try desk.commit("one")
    let exchange = try desk.exchange()
    #expect(exchange.address == desk.bare)
    #expect(try exchange.push(commit) == .pushed)
    #expect(try exchange.tips().isEmpty)
    #expect(try desk.scratch.git("-C", "push.git", "rev-parse", "main") == commit.hex)
  }

  @Test(.enabled(if: getuid() == 0)) func `no room here is not the remote's fault`() throws {
    var generator = SeededGenerator(seed: 2)
    let noise = (0..<60_000).map { _ in String(generator.next(), radix: 36) }
    let commit = try desk.commit(noise.joined(separator: "\n"))
    #expect(try desk.exchange().push(commit) == .pushed)
    let small = desk.scratch.at("small")
    mkdir(small, 0o700)
    guard try run(["mount", "-t", "tmpfs", "-o", "size=400k", "tmpfs", small]).status == 0 else {
      return
    }
    defer { _ = try? run(["umount", "-l", small]) }
    try desk.vault("small/b")
    let error = try failure { try desk.exchange("small/b").fetch() }
    #expect(error.reason == .localDiskFull)
    #expect(try desk.exchange("small/b").tip() == commit)
  }

  @Test func `progress is told while it lasts`() throws {
    let lines = Locked<[String]>([])
    let commit = try desk.commit("one")
    let exchange = try desk.exchange(progress: { line in lines.withLock { $0.append(line) } })
    #expect(try exchange.push(commit) == .pushed)
    #expect(!lines.withLock { $0 }.isEmpty)
  }

  @Test func `a repository is made on the disk, and nothing is made over other things`() throws {
    let path = desk.scratch.at("new place/notes.git")
    let exchange = try desk.exchange(remote: path, branch: "notes")
    try exchange.createRepository()
    #expect(try exchange.tips().isEmpty)
    #expect(try desk.scratch.git("-C", path, "symbolic-ref", "HEAD") == "refs/heads/notes")
    #expect(try exchange.push(try desk.commit("one")) == .pushed)
    try exchange.createRepository()
    #expect(try exchange.tip() != nil)
    try desk.scratch.write("mine", to: "full/file")
    let full = try desk.exchange(remote: desk.scratch.at("full"))
    #expect(try failure { try full.createRepository() }.reason == .occupied)
    #expect(try run(["ls", "-A", desk.scratch.at("full")]).text == "file\n")
    // The work tree of another repository is one already.
    try desk.vault("b")
    try desk.exchange(remote: desk.scratch.at("b")).createRepository()
    #expect(try run(["ls", "-A", desk.scratch.at("b")]).text == ".git\n")
  }
}
