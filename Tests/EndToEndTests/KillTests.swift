import Testing
import VersoTestSupport

/// A kill at every step, and the next command goes on by itself.
@Suite(.serialized) struct KillTests {
  /// Calls that change names are few: each of them is tried. The others are sampled in CI.
  private static let rare = [
    "rename,renameat,renameat2", "link,linkat", "unlink,unlinkat", "fsync", "mkdir,mkdirat",
  ]
  private static let frequent = ["openat,openat2", "write,pwrite64"]

  private static func steps() -> [(calls: String, stride: Int)] {
    rare.map { ($0, isFullRun ? 1 : 2) } + frequent.map { ($0, isFullRun ? 1 : 12) }
  }

  /// Kills `arguments` in a copy of the template at every step, then saves and looks.
  private func killEverywhere(
    _ arguments: [String], template: Scratch, keeping contents: [String], first: Int = 1
  ) throws {
    var kills = 0
    for (calls, stride) in Self.steps() {
      var number = first
      while true {
        let scratch = try Scratch()
        try run(["cp", "-a", template.at("vault"), scratch.at("vault")])
        let killed = try Verso.runKilled(
          at: number, of: calls, arguments, in: scratch.at("vault"))
        guard killed != nil else { break }
        kills += 1
        let next = try Verso.run("init", "-q", in: scratch.at("vault"))
        #expect(next.status == 0, "after \(calls) \(number): \(next.error)")
        let save = try Verso.run("save", "-q", in: scratch.at("vault"))
        #expect(save.status == 0, "after \(calls) \(number): \(save.error)")
        let problems = try scratch.problems(keeping: contents, below: "vault")
        #expect(problems == [], "after \(arguments) was killed at \(calls) \(number)")
        number += stride
      }
    }
    #expect(kills > 5, "the kills did not reach the command")
  }

  private func template(_ changes: (Scratch) throws -> Void) throws -> Scratch {
    let scratch = try Scratch("verso-template")
    for number in 0..<5 {
      try scratch.write("first \(number)\n", to: "vault/a/note-\(number).md")
    }
    try scratch.write("top first\n", to: "vault/top.md")
    try run(["find", scratch.at("vault"), "-exec", "touch", "-d", "1 hour ago", "{}", "+"])
    #expect(try Verso.run("init", "-q", in: scratch.at("vault")).status == 0)
    try changes(scratch)
    return scratch
  }

  @Test func `a save that is killed at any step is completed by the next`() throws {
    let template = try template { scratch in
      try scratch.write("second 1\n", to: "vault/a/note-1.md")
      try scratch.write("new note\n", to: "vault/b/new.md")
      try run(["rm", scratch.at("vault/a/note-2.md")])
    }
    try killEverywhere(
      ["save", "-q"], template: template,
      keeping: ["first 1", "second 1", "new note", "first 2", "top first"])
  }

  @Test func `a first import that is killed at any step is completed by the next`() throws {
    let scratch = try Scratch("verso-template")
    var contents: [String] = []
    for number in 0..<(isFullRun ? 600 : 520) {
      try scratch.write("imported \(number) end\n", to: "vault/f\(number % 7)/n\(number).md")
      if number % 40 == 0 { contents.append("imported \(number) end") }
    }
    try run(["find", scratch.at("vault"), "-exec", "touch", "-d", "1 hour ago", "{}", "+"])
    // The first write would come hundreds of openat calls into the reading: sample those.
    var kills = 0
    for (calls, stride) in Self.steps() {
      let stride = calls.hasPrefix("openat") ? stride * 20 : stride
      var number = 1
      while true {
        let copy = try Scratch()
        try run(["cp", "-a", scratch.at("vault"), copy.at("vault")])
        guard
          try Verso.runKilled(at: number, of: calls, ["init", "-q"], in: copy.at("vault")) != nil
        else { break }
        kills += 1
        let next = try Verso.run("init", "-q", in: copy.at("vault"))
        #expect(next.status == 0, "after \(calls) \(number): \(next.error)")
        let problems = try copy.problems(keeping: contents, below: "vault")
        #expect(problems == [], "after init was killed at \(calls) \(number)")
        number += stride
      }
    }
    #expect(kills > 5, "the kills did not reach the command")
  }

  @Test func `a restore that is killed at any step is completed or taken back by the next`() throws
  {
    let template = try template { scratch in
      for number in 0..<5 {
        try scratch.write("second \(number)\n", to: "vault/a/note-\(number).md")
      }
      try run(["rm", scratch.at("vault/a/note-4.md")])
      try scratch.write("newer\n", to: "vault/a/newer.md")
      #expect(try Verso.run("save", "-q", in: scratch.at("vault")).status == 0)
    }
    try killEverywhere(
      ["restore", "-q", "a", "--at", "HEAD~1"], template: template,
      keeping: ["first 0", "second 0", "first 4", "newer", "top first"])
  }

  @Test func `an undo that is killed at any step is completed or taken back by the next`() throws {
    let template = try template { scratch in
      try scratch.write("second 0\n", to: "vault/a/note-0.md")
      try run(["rm", scratch.at("vault/a/note-3.md")])
      #expect(try Verso.run("save", "-q", in: scratch.at("vault")).status == 0)
      #expect(
        try Verso.run("restore", "-q", "a", "--at", "HEAD~1", in: scratch.at("vault")).status == 0)
    }
    try killEverywhere(
      ["undo", "-q"], template: template, keeping: ["first 0", "second 0", "first 3", "top first"])
  }
}
