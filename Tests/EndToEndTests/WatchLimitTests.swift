import Foundation
import Testing
import VersoTestSupport

/// `verso watch` where the kernel gives little, and where it loses events.
@Suite struct WatchLimitTests {
  /// Whether limits can be set for a process alone: they are those of a user namespace.
  private static let canLimit: Bool = {
    let outcome = try? run([
      "unshare", "-Ur", "sh", "-c",
      "echo 50 > /proc/sys/user/max_inotify_watches && echo 0 > /proc/sys/user/max_inotify_instances",
    ])
    return outcome?.status == 0
  }()

  @Test(.enabled(if: canLimit, "no user namespace with limits of its own can be made here"))
  func `beyond the limit of watches folders are looked at, and the message names the remedy`()
    async throws
  {
    let scratch = try Scratch()
    for number in 0..<200 { try scratch.write("\(number)\n", to: "d\(number)/n.md") }
    let watching = try Watching(
      scratch, limits: "echo 50 > /proc/sys/user/max_inotify_watches;")
    try await watching.wait("the message") { !watching.events("limit").isEmpty }
    try await watching.wait("the start") { !watching.events("started").isEmpty }
    let message = watching.events("limit")[0]
    let command = "sudo sysctl fs.inotify.max_user_watches="
    let advised = message.range(of: command).flatMap { found in
      Int(message[found.upperBound...].prefix { $0.isNumber })
    }
    let present = try String(
      contentsOfFile: "/proc/sys/fs/inotify/max_user_watches", encoding: .utf8)
    #expect(try #require(advised) > Int(present.filter(\.isNumber)) ?? 0, "\(message)")
    #expect(message.contains("of the 201 folders"), "\(message)")
    #expect(!message.contains("No space left"))
    for number in [0, 57, 123, 199] {
      try scratch.write("edited \(number)\n", to: "d\(number)/n.md")
    }
    try scratch.write("new\n", to: "d150/sub/new.md")
    try await watching.wait("the edits") {
      try scratch.git("status", "--porcelain", "--untracked-files=all").isEmpty
    }
    try run(["mv", scratch.at("d100"), scratch.at("moved")])
    try run(["rm", scratch.at("d101/n.md")])
    try await watching.wait("the rename and the deletion") {
      try scratch.git("status", "--porcelain", "--untracked-files=all").isEmpty
    }
    try await watching.finish()
    #expect(watching.events("limit").count == 1)
    #expect(try scratch.git("ls-tree", "-r", "--name-only", "HEAD").contains("moved/n.md"))
  }

  @Test(.enabled(if: canLimit, "no user namespace with limits of its own can be made here"))
  func `without any inotify all is looked at, and the message names the remedy`() async throws {
    let scratch = try Scratch()
    try scratch.write("one\n", to: "a/note.md")
    let watching = try Watching(
      scratch, limits: "echo 0 > /proc/sys/user/max_inotify_instances;")
    try await watching.wait("the message") { !watching.events("limit").isEmpty }
    #expect(watching.events("limit")[0].contains("sysctl fs.inotify.max_user_instances=1024"))
    try scratch.write("two\n", to: "a/note.md")
    try await watching.wait("the edit") { try watching.subjects().first == "Edit a/note.md" }
    try scratch.write("new\n", to: "b/c/new.md")
    try await watching.wait("the note") { try watching.subjects().first == "Add b/c/new.md" }
    try await watching.finish()
    #expect(watching.events("limit").count == 1)
  }

  @Test func `changes that come while it cannot read its events are all found`() async throws {
    let count = isFullRun ? 20_000 : 6_000
    let scratch = try Scratch()
    try scratch.write("one\n", to: "note.md")
    try scratch.write("one\n", to: "new/note.md")
    for number in 0..<60 { try scratch.write("old \(number)\n", to: "old/\(number).md") }
    let watching = try Watching(scratch)
    try await watching.wait("the start") { !watching.events("started").isEmpty }
    kill(watching.process.processIdentifier, SIGSTOP)
    // Three events each: the kernel's queue holds 16,384.
    try run(
      ["sh", "-euc", "seq \(count) | split -l 1 -a 5; cd ..; rm old/7.md"],
      in: scratch.at("new"))
    try scratch.write("two\n", to: "note.md")
    kill(watching.process.processIdentifier, SIGCONT)
    try await watching.wait("everything to be saved", atMost: 200) {
      try scratch.git("status", "--porcelain", "--untracked-files=all").isEmpty
    }
    try await watching.finish()
    #expect(!watching.events("rescan").isEmpty)
    #expect(
      try watching.subjects() == ["Add \(count) notes, edit 1, delete 1", "Add 62 notes"])
  }
}
