import Foundation
import Testing
import VersoTestSupport

/// A `verso sync` that is killed at a call, and the next one goes on by itself.
@Suite struct SyncKillTests {
  /// A phone that is about to save, join and push, and a desk that was faster.
  private struct Ground {
    let scratch: Scratch
    static let contents = [
      "one", "two", "three", "desk line", "phone line", "desk's own", "phone's own", "desk new",
      "phone new", "unsaved", "to be moved", "to be deleted",
    ]

    init() throws {
      scratch = try Scratch("verso-template", inMemory: true)
      try run(["git", "init", "-q", "--bare", "-b", "main", scratch.at("hub.git")])
      for device in ["desk", "phone"] {
        try write("", to: "\(device)/.gitattributes")
        if device == "desk" {
          try write("one\ntwo\nthree\n", to: "desk/a/note.md")
          try write("both\nhere\n", to: "desk/a/both.md")
          try write("to be moved\n", to: "desk/old/moved.md")
          try write("to be deleted\n", to: "desk/gone.md")
        }
        try verso("init", "-q", "--device", device, scratch.at(device))
        // Copies have hubs of their own.
        for (key, value) in [("remote.origin.url", "../hub.git"), ("verso.remote", "origin")] {
          try run(["git", "-C", scratch.at(device), "config", key, value])
        }
        try sync(device)
      }
      try sync("desk")
      try write("one\ndesk line\ntwo\nthree\n", to: "desk/a/note.md")
      try write("both\ndesk's own\n", to: "desk/a/both.md")
      try write("desk new\n", to: "desk/b/new.md")
      try run(["rm", scratch.at("desk/gone.md")])
      try run(["mv", scratch.at("desk/old"), scratch.at("desk/new")])
      try sync("desk")
      try write("one\ntwo\nthree\nphone line\n", to: "phone/a/note.md")
      try write("both\nphone's own\n", to: "phone/a/both.md")
      try verso("save", "-q", "-C", scratch.at("phone"))
      try write("phone new\nunsaved\n", to: "phone/c/new.md")
    }

    init(copying other: Ground) throws {
      scratch = try Scratch("verso-kill", inMemory: true)
      try run(["cp", "-a", other.scratch.path + "/.", scratch.path])
    }

    /// The last second's edits are looked at twice: none is so young.
    private func write(_ text: String, to name: String) throws {
      try scratch.write(text, to: name)
      try run(["touch", "-d", "1 minute ago", scratch.at(name)])
    }

    private func verso(_ words: String...) throws {
      let outcome = try run([Verso.binary] + words)
      guard [0, 3].contains(outcome.status) else {
        throw Failure("\(words): \(outcome.status) \(outcome.error)")
      }
    }

    func sync(_ device: String) throws { try verso("sync", "-q", scratch.at(device)) }

    /// Runs the phone's sync below strace.
    func trace(_ words: String...) throws -> Outcome {
      try run(
        ["strace", "-qq"] + words + Notes.unblocked + [Verso.binary, "sync", "-q", "."],
        in: scratch.at("phone"), deadline: 60)
    }

    /// What is wrong once all have gone on.
    func problems() throws -> [String] {
      var problems: [String] = []
      for _ in 0..<2 { for device in ["phone", "desk"] { try sync(device) } }
      for device in ["phone", "desk"] {
        problems += try scratch.problems(keeping: Self.contents, below: device)
        for left in ["pending", "displaced"]
        where scratch.bytes(of: "\(device)/.git/verso/\(left)") != nil {
          problems.append("\(device): \(left) is left")
        }
      }
      let heads = try ["phone", "desk", "hub.git"].map { folder in
        try run(["git", "-C", scratch.at(folder), "rev-parse", "refs/heads/main"]).text
      }
      if Set(heads).count > 1 { problems.append("not one version: \(heads)") }
      let files = try run(["sh", "-c", "cd phone && cat a/* b/* c/* new/*"], in: scratch.path).text
      for content in Self.contents where content != "to be deleted" && !files.contains(content) {
        problems.append("no note has \(content)")
      }
      if files.contains("<<<<<<<") { problems.append("a marker") }
      return problems
    }
  }

  private static let calls = [
    "rename,renameat,renameat2", "link,linkat", "unlink,unlinkat", "fsync", "mkdir,mkdirat",
    "openat,openat2", "write,pwrite64",
  ]

  /// How often the tool itself makes such calls in a sync that nothing happens to.
  private static func counts(_ template: Ground) throws -> [String: Int] {
    let ground = try Ground(copying: template)
    let trace = ground.scratch.at("trace")
    let all = calls.joined(separator: ",")
    let done = try ground.trace("-o", trace, "-e", "trace=execve,\(all)")
    guard done.status == 3 else { throw Failure("sync: \(done.status) \(done.error)") }
    #expect(try ground.problems() == [])
    var lines = (ground.scratch.text(of: "trace") ?? "").split(separator: "\n")
    // What perl does before is not the tool's.
    let first = try #require(lines.lastIndex { $0.hasPrefix("execve(") })
    let before = lines[...first]
    lines.removeFirst(first + 1)
    var counts: [String: Int] = [:]
    for group in calls {
      let names = group.split(separator: ",").map { "\($0)(" }
      let isIn = { (line: Substring) in names.contains { line.hasPrefix($0) } }
      counts[group] = lines.count(where: isIn)
      counts["before " + group] = before.count(where: isIn)
    }
    return counts
  }

  @Test func `a sync that is killed at any step is completed by the next, and loses nothing`()
    throws
  {
    let template = try Ground()
    let counts = try Self.counts(template)
    var random = SeededGenerator(seed: 11)
    var allKills = 0
    for group in Self.calls {
      let (count, before) = (counts[group] ?? 0, counts["before " + group] ?? 0)
      try #require(count > 0, "no \(group) at all")
      let isFrequent = group.hasPrefix("openat") || group.hasPrefix("write")
      let wanted = isFullRun ? (isFrequent ? 100 : count) : group.hasPrefix("rename") ? 2 : 1
      var kills = 0
      for number in Array(1...count).shuffled(using: &random).prefix(wanted).sorted() {
        let ground = try Ground(copying: template)
        let killed = try ground.trace(
          "-o", "/dev/null", "-e", "trace=\(group)", "-e",
          "inject=\(group):signal=KILL:when=\(before + number)")
        if ![0, 3].contains(killed.status) { kills += 1 }
        #expect(try ground.problems() == [], "killed at \(group) \(number) of \(count)")
      }
      // The last of them may come to nothing, where runs differ by one.
      #expect(kills > 0 || wanted == 1, "the kills at \(group) did not reach it")
      allKills += kills
      print("sync killed at \(kills) of \(count) \(group)")
    }
    #expect(allKills > 4, "the kills did not reach it")
  }
}
