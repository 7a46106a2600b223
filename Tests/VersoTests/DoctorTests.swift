import Glibc
import Testing
import VersoDisk
import VersoModel
import VersoTestSupport

@testable import Verso

/// What the doctor finds.
@Suite struct DoctorTests {
  @Test func `a sound vault has nothing to look at, and a look changes nothing`() throws {
    let patient = try Patient()
    let before = try patient.gitDirectory()
    let doctor = patient.look()
    #expect(doctor.troubles == [])
    #expect(Set(doctor.findings.map(\.topic)).count > 15)
    #expect(try patient.gitDirectory() == before)
    #expect(patient.mend().troubles == [])
  }

  @Test func `a name that was guessed is worth a look`() throws {
    let scratch = try Scratch()
    try scratch.git("init", "-q")
    try scratch.git("config", "user.name", "  ")
    try scratch.git("config", "user.email", "  ")
    let doctor = Doctor(root: scratch.path)
    let isNamedElsewhere = getenv("GIT_COMMITTER_NAME") != nil
    #expect(doctor.troubles("identity").isEmpty == isNamedElsewhere)
    #expect(doctor.troubles("vault").first?.hint == "run: verso init \(scratch.path)")
  }

  // MARK: State

  @Test(arguments: [
    ("merge", "merge --abort"), ("cherry-pick", "cherry-pick --abort"),
    ("revert", "revert --abort"), ("rebase", "rebase --abort"), ("bisect", "bisect reset"),
  ])
  func `an open operation is named with the command that ends it`(
    operation: String, command: String
  ) throws {
    let patient = try Patient()
    try patient.shell(
      """
      git switch -qc other && echo theirs >note.md && git commit -qam theirs
      git switch -q main && echo ours >note.md && git commit -qam ours
      echo later >note.md && git commit -qam later
      case \(operation) in
        bisect) git bisect start -q HEAD HEAD~2 >/dev/null ;;
        rebase) git rebase -q other 2>/dev/null >&2 || true ;;
        revert) git revert --no-edit HEAD~1 2>/dev/null >&2 || true ;;
        *) git \(operation) other 2>/dev/null >&2 || true ;;
      esac
      """)
    let finding = try #require(patient.look().troubles("operation").first)
    #expect(finding.level == .look)
    #expect(finding.message.contains("a \(operation) is open"))
    #expect(finding.hint?.contains("git -C \(patient.scratch.path) \(command)") == true)
    #expect(patient.mend().troubles("operation").count == 1, "it is not for us to end")
  }

  @Test func `a commit message that is being written is named`() throws {
    let patient = try Patient()
    try patient.scratch.write("draft\n", to: ".git/COMMIT_EDITMSG")
    try patient.shell("touch -d '1 minute ago' .git/logs/HEAD")
    #expect(patient.look().troubles("operation").first?.message.contains("message") == true)
    try patient.shell("touch -d '1 hour ago' .git/COMMIT_EDITMSG")
    #expect(patient.look().troubles("operation").isEmpty)
  }

  @Test func `a detached HEAD and a commit from the future are worth a look`() throws {
    let patient = try Patient()
    try patient.scratch.git("checkout", "-q", "--detach")
    #expect(patient.look().troubles("head").first?.level == .look)
    try patient.scratch.git("switch", "-q", "main")
    try patient.shell(
      "GIT_COMMITTER_DATE='2099-01-01T00:00:00Z' git commit -q --allow-empty -m later")
    #expect(patient.look().troubles("clock").first?.message.contains("future") == true)
  }

  @Test func `a branch that names a missing commit is bad, and the newest whole one is named`()
    throws
  {
    let patient = try Patient()
    let whole = try patient.scratch.git("rev-parse", "HEAD")
    try patient.scratch.write("edit\n", to: "note.md")
    try patient.save()
    try patient.shell("rm -f \(patient.object("HEAD"))")
    let finding = try #require(patient.look().troubles("head").first)
    #expect(finding.level == .bad)
    #expect(finding.hint?.contains(whole) == true)
  }

  @Test(arguments: [".git/refs/heads/main", ".git/HEAD"])
  func `a reference that a power cut emptied is bad`(file: String) throws {
    let patient = try Patient()
    try patient.scratch.write("", to: file)
    let finding = try #require(patient.look().findings.first { $0.level == .bad })
    #expect(["head", "repository"].contains(finding.topic))
    #expect(patient.scratch.text(of: "note.md") == "one\n")
  }

  // MARK: The repository

  @Test func `a repository that cannot be opened is explained in one line`() throws {
    let patient = try Patient()
    try patient.shell(
      "git config core.repositoryFormatVersion 1 && git config extensions.preciousObjects true")
    let doctor = patient.mend()
    let finding = try #require(doctor.troubles("repository").first)
    #expect(finding.level == .bad)
    #expect(finding.message.contains("preciousobjects"))
    #expect(doctor.refusal?.code == .refused)
  }

  @Test(arguments: ["HEAD", "refs", "objects"])
  func `a missing part of a repository is named`(part: String) throws {
    let patient = try Patient()
    try patient.shell("mv .git/\(part) .git/gone")
    let messages = patient.look().troubles("repository").map(\.message)
    #expect(messages.contains("\(patient.scratch.path)/.git/\(part) is missing"))
  }

  @Test func `a git file that points nowhere is named, and so is a broken configuration`() throws {
    let away = try Patient()
    try away.shell("rm -rf .git && echo 'gitdir: /nonexistent/notes.git' >.git")
    #expect(
      away.look().troubles("repository").contains { $0.message.contains("/nonexistent/notes.git") })
    let broken = try Patient()
    try broken.shell("echo '[core' >>.git/config")
    #expect(broken.look().troubles("repository").first?.level == .bad)
  }

  @Test(.enabled(if: geteuid() == 0))
  func `a vault of somebody else is not touched by root`() throws {
    let patient = try Patient()
    try patient.shell("chown -R 12345 . && chmod 755 .git")
    let doctor = patient.mend()
    #expect(doctor.findings.allSatisfy { !$0.isFixed })
    #expect(doctor.refusal != nil)
    #expect(doctor.findings.contains { $0.level != .good && $0.message.contains("12345") })
  }

  @Test func `what libgit2 or a save refuses is said beforehand`() throws {
    let split = try Patient()
    try split.scratch.git("update-index", "--split-index")
    #expect(split.look().troubles("index").contains { $0.message.contains("split") })
    let sparse = try Patient()
    try sparse.scratch.git("update-index", "--skip-worktree", "note.md")
    #expect(sparse.look().findings.contains { $0.topic == "sparse" && $0.level == .good })
    let unmerged = try Patient()
    try unmerged.shell(
      """
      id=$(git rev-parse HEAD:note.md)
      printf '0 0000000000000000000000000000000000000000\\tnote.md\\n100644 %s 2\\tnote.md\\n' $id |
        git update-index --index-info
      """)
    #expect(unmerged.look().troubles("index").contains { $0.message.contains("note.md") })
    let assumed = try Patient()
    try assumed.scratch.git("update-index", "--assume-unchanged", "note.md")
    #expect(assumed.look().troubles("index").contains { $0.message.contains("never changing") })
  }

  // MARK: Names and files

  @Test func `names that are one elsewhere are named, folders once`() throws {
    let patient = try Patient()
    try patient.scratch.write("a", to: "Note.md")
    try patient.scratch.write("b", to: "caf\u{E9}.md")
    try patient.scratch.write("c", to: "cafe\u{301}.md")
    try patient.scratch.write("d", to: "Ideas/todo.md")
    try patient.scratch.write(Array("e".utf8), to: Array("x".utf8) + [0xE9])
    try patient.scratch.write(Array("f".utf8), to: Array("x".utf8) + [0xE8])
    for isSaved in [false, true] {
      let messages = patient.look().troubles("twins").map(\.message)
      #expect(messages.count == 3, "\(messages), saved: \(isSaved)")
      #expect(messages.contains { $0.hasPrefix("Note.md and ") || $0.contains("and Note.md") })
      #expect(messages.contains { $0.contains("Unicode form") })
      #expect(messages.contains { $0.contains("Ideas") && !$0.contains("todo") })
      try patient.save()
    }
  }

  @Test func `nested repositories, submodules, sockets and large files are named`() throws {
    let patient = try Patient()
    try patient.shell(
      """
      git init -q inner && mkfifo pipe
      git config verso.maxFileSize 1k && head -c 2000 /dev/zero >large
      git update-index --add --cacheinfo 160000,$(git rev-parse HEAD),module && mkdir module
      """)
    let doctor = patient.look()
    #expect(doctor.troubles("nested").map(\.message).contains { $0.contains("inner") })
    #expect(doctor.findings.contains { $0.topic == "nested" && $0.message.contains("module") })
    let skipped = doctor.troubles("skipped").map(\.message)
    #expect(skipped.contains { $0.contains("pipe") } && skipped.contains { $0.contains("large") })
  }

  @Test func `a filter that is not there is bad, one that is ready is well`() throws {
    let patient = try Patient()
    try patient.scratch.write("*.bin filter=lfs\n*.up filter=up\n", to: ".gitattributes")
    try patient.scratch.write("x", to: "a.bin")
    try patient.scratch.write("x", to: "b.up")
    try patient.shell("git config filter.lfs.process ''; git config filter.lfs.clean ''")
    try patient.scratch.git("config", "filter.up.clean", "no-such-program-anywhere -x")
    let messages = patient.look().troubles("filters")
    #expect(messages.count == 2 && messages.allSatisfy { $0.level == .bad })
    #expect(messages.contains { $0.message.contains("no-such-program-anywhere") })
    #expect(messages.contains { $0.hint?.contains("git lfs install") == true })
    try patient.shell(
      "git config filter.up.clean 'tr a-z A-Z'; echo '*.up filter=up' >.gitattributes")
    #expect(patient.look().troubles("filters").isEmpty)
  }

  // MARK: Surroundings

  @Test func `settings that harm are named, and facts are no trouble`() throws {
    let patient = try Patient()
    try patient.shell(
      """
      git config gc.pruneExpire now && git config core.autocrlf true
      git config core.ignoreCase true && git remote add origin /nonexistent
      printf '#!/bin/sh\\n' >.git/hooks/pre-commit && chmod +x .git/hooks/pre-commit
      git rev-parse HEAD >.git/shallow
      """)
    let doctor = patient.look()
    #expect(doctor.troubles("settings").count == 3)
    #expect(
      Set(doctor.findings.filter { $0.level != .good }.map(\.topic)).isSubset(
        of: ["settings", "space", "inotify"]))
    let facts = doctor.findings.map(\.message)
    #expect(facts.contains("remote origin: not used"))
    #expect(facts.contains { $0.contains("pre-commit") })
    #expect(facts.contains { $0.contains("shallow") })
  }

  @Test func `room and watches are judged by what is left`() throws {
    var doctor = try Patient().look()
    func verdict(_ topic: String, _ judge: (inout Doctor) -> Void) -> Doctor.Finding.Level? {
      doctor.findings = []
      judge(&doctor)
      return doctor.findings.first { $0.topic == topic }?.level
    }
    let giga: UInt64 = 1 << 30
    #expect(
      verdict("space") { $0.judge(free: 50 * giga, of: 100 * giga, inodes: nil, at: "/") } == .good)
    #expect(
      verdict("space") { $0.judge(free: 4 * giga, of: 100 * giga, inodes: nil, at: "/") } == .look)
    #expect(
      verdict("space") { $0.judge(free: giga - 1, of: 2 * giga, inodes: nil, at: "/") } == .look)
    #expect(
      verdict("space") { $0.judge(free: 50 * giga, of: 100 * giga, inodes: 7, at: "/") } == .look)
    #expect(verdict("inotify") { $0.judge(watches: 8192, folders: 100) } == .good)
    #expect(verdict("inotify") { $0.judge(watches: 8192, folders: 8000) } == .look)
  }
}
