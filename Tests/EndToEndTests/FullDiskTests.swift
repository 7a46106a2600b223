import Foundation
import Testing
import VersoTestSupport

/// A disk of a few megabytes that fills up; only where the tests may mount one.
@Suite(.serialized, .enabled(if: TinyDisk.isPossible, "mounting needs root"))
struct FullDiskTests {
  /// How much room is left, in KiB: from none to enough.
  private static let rooms =
    isFullRun ? Array(stride(from: 0, through: 260, by: 4)) : [0, 4, 12, 28, 60, 100, 160, 240]

  private func noise(_ generator: inout SeededGenerator, _ count: Int) -> String {
    let letters = Array("abcdefghijklmnopqrstuvwxyz0123456789".utf8)
    let bytes = (0..<count).map { _ in
      letters[Int.random(in: 0..<letters.count, using: &generator)]
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  /// What the command may say: that it is done, or that there is no room and what to do.
  private func expectClear(_ outcome: Outcome, _ place: Comment) {
    if outcome.status == 0 { return }
    #expect(outcome.status == 1, place)
    #expect(outcome.error.contains("No space left on device"), "\(place): \(outcome.error)")
    #expect(outcome.error.contains("free some space"), "\(place): \(outcome.error)")
  }

  private func expectSound(_ disk: TinyDisk, keeping contents: [String], _ place: Comment) throws {
    disk.free()
    let next = try Verso.run("save", "-q", in: disk.at("vault"))
    #expect(next.status == 0, "\(place): \(next.error)")
    #expect(try disk.scratch.problems(keeping: contents, below: "disk/vault") == [], place)
  }

  @Test func `a save on a full disk says so, loses nothing, and works when there is room`() throws {
    var generator = SeededGenerator(seed: 1)
    var refused = 0
    for room in Self.rooms {
      let disk = try TinyDisk(kibibytes: 2048)
      let old = (0..<4).map { _ in noise(&generator, 6000) }
      for (number, text) in old.enumerated() {
        try disk.write(text, to: "vault/a/note-\(number).md")
      }
      #expect(try Verso.run("init", "-q", in: disk.at("vault")).status == 0)
      let new = (0..<4).map { _ in noise(&generator, 20000) }
      for (number, text) in new.enumerated() {
        try disk.write(text, to: "vault/a/note-\(number).md")
      }
      try disk.fill(leaving: room)
      let outcome = try Verso.run("save", "-q", in: disk.at("vault"))
      expectClear(outcome, "save with \(room) KiB")
      refused += outcome.status == 0 ? 0 : 1
      for (number, text) in new.enumerated() {
        #expect(disk.text(of: "vault/a/note-\(number).md") == text)
      }
      try expectSound(disk, keeping: old + new, "save with \(room) KiB")
    }
    #expect(0 < refused && refused < Self.rooms.count, "the disk was never or always full")
  }

  @Test func `a restore on a full disk leaves whole notes, and works when there is room`() throws {
    var generator = SeededGenerator(seed: 2)
    var refused = 0
    for room in Self.rooms {
      let disk = try TinyDisk(kibibytes: 2048)
      let old = (0..<4).map { _ in noise(&generator, 30000) }
      let new = (0..<4).map { _ in noise(&generator, 3000) }
      for (number, text) in old.enumerated() {
        try disk.write(text, to: "vault/a/note-\(number).md")
      }
      #expect(try Verso.run("init", "-q", in: disk.at("vault")).status == 0)
      for (number, text) in new.enumerated() {
        try disk.write(text, to: "vault/a/note-\(number).md")
      }
      #expect(try Verso.run("save", "-q", in: disk.at("vault")).status == 0)
      try disk.fill(leaving: room)
      let outcome = try Verso.run("restore", "-q", "a", "--at", "HEAD~1", in: disk.at("vault"))
      expectClear(outcome, "restore with \(room) KiB")
      refused += outcome.status == 0 ? 0 : 1
      for number in 0..<4 {
        let text = disk.text(of: "vault/a/note-\(number).md")
        #expect(text == old[number] || text == new[number], "restore with \(room) KiB")
      }
      try expectSound(disk, keeping: old + new, "restore with \(room) KiB")
      let again = try Verso.run("restore", "-q", "a", "--at", "HEAD~1", in: disk.at("vault"))
      #expect(again.status == 0 || again.status == 2, "\(again.error)")
    }
    #expect(0 < refused && refused < Self.rooms.count, "the disk was never or always full")
  }

  @Test func `an import on a full disk says so, and works when there is room`() throws {
    var generator = SeededGenerator(seed: 3)
    var refused = 0
    for room in Self.rooms {
      let disk = try TinyDisk(kibibytes: 1536)
      let texts = (0..<5).map { _ in noise(&generator, 20000) }
      for (number, text) in texts.enumerated() {
        try disk.write(text, to: "vault/a/note-\(number).md")
      }
      try disk.fill(leaving: room)
      let outcome = try Verso.run("init", "-q", "--yes", in: disk.at("vault"))
      expectClear(outcome, "import with \(room) KiB")
      refused += outcome.status == 0 ? 0 : 1
      disk.free()
      let again = try Verso.run("init", "-q", "--yes", in: disk.at("vault"))
      #expect(again.status == 0, "import with \(room) KiB: \(again.error)")
      try expectSound(disk, keeping: texts, "import with \(room) KiB")
    }
    #expect(0 < refused && refused < Self.rooms.count, "the disk was never or always full")
  }
}

/// A file system in memory with little room.
final class TinyDisk {
  let scratch: Scratch

  static let isPossible: Bool = {
    guard geteuid() == 0, let disk = try? TinyDisk(kibibytes: 64) else { return false }
    _ = disk
    return true
  }()

  init(kibibytes: Int) throws {
    scratch = try Scratch("verso-disk")
    try run(["mkdir", scratch.at("disk")])
    let mounted = try run([
      "mount", "-t", "tmpfs", "-o", "size=\(kibibytes)k", "none", scratch.at("disk"),
    ])
    guard mounted.status == 0 else { throw Failure("mount: \(mounted.error)") }
  }

  deinit { _ = try? run(["umount", scratch.at("disk")]) }

  func at(_ name: String) -> String { scratch.at("disk/\(name)") }
  func text(of name: String) -> String? { scratch.text(of: "disk/\(name)") }
  func write(_ text: String, to name: String) throws { try scratch.write(text, to: "disk/\(name)") }

  /// Fills the disk up beside the vault.
  func fill(leaving kibibytes: Int) throws {
    try run(
      ["sh", "-c", "head -c \(kibibytes * 1024) /dev/zero >reserve; cat /dev/zero >filler"],
      in: at(""))
    try run(["rm", at("reserve")])
  }

  func free() { _ = try? run(["rm", "-f", at("filler")]) }
}
