import Foundation
import Testing
import VersoModel
import VersoTestSupport

@Suite struct WhoTests {
  /// A note of two devices, renamed once.
  private func desk() throws -> ReadingDesk {
    let desk = try ReadingDesk()
    try desk.scratch.write("milk\nbread\n", to: "list.md")
    try desk.commit("Add list\n\nVerso-Device: desk", at: noon)
    try desk.scratch.git("mv", "list.md", "todo.md")
    try desk.commit("Rename it\n\nVerso-Device: desk", at: noon + 60)
    try desk.scratch.write("milk\ntea\nbread\n", to: "todo.md")
    try desk.commit("Edit todo.md\n\nVerso-Device: phone", at: noon + 120)
    return desk
  }

  @Test func `each line is printed with time, device, name then and number`() throws {
    let desk = try desk()
    let result = try desk.verso("who", "@todo.md")
    #expect(result.code == 0)
    let (first, last) = (TimeText.minute(noon), TimeText.minute(noon + 120))
    #expect(
      result.lines == [
        "\(first)  desk   list.md 1  milk", "\(last)  phone          2  tea",
        "\(first)  desk   list.md 3  bread",
      ])
  }

  @Test func `objects name version, device and both places`() throws {
    let desk = try desk()
    let objects = try desk.verso("who", "--json", "@todo.md").objects()
    #expect(objects.map { $0["type"] as? String } == ["hunk", "hunk", "hunk"])
    #expect(objects.map { $0["newStart"] as? Int } == [1, 2, 3])
    #expect(objects.map { $0["oldStart"] as? Int } == [1, 2, 2])
    #expect(objects.map { $0["from"] as? String } == ["list.md", nil, "list.md"])
    #expect(objects.map { $0["device"] as? String } == ["desk", "phone", "desk"])
    #expect(objects[1]["subject"] as? String == "Edit todo.md")
    #expect(objects[1]["time"] as? String == "2026-06-01T12:02:00Z")
    let head = String(decoding: try desk.git("rev-parse", "HEAD"), as: UTF8.self)
    #expect(objects[1]["id"] as? String == head.split(separator: "\n").first.map(String.init))
  }

  @Test func `lines of the disk that are in no version are not saved yet`() throws {
    let desk = try desk()
    try desk.scratch.write("milk\ntea\nbread\nsalt", to: "todo.md")
    let result = try desk.verso("who", "@todo.md")
    #expect(result.lines.count == 4)
    #expect(result.lines[3].hasPrefix("not saved yet ") && result.lines[3].hasSuffix(" 4  salt"))
    let object = try #require(try desk.verso("who", "--json", "@todo.md").objects().last)
    #expect(object["id"] is NSNull && object["oldCount"] as? Int == 0)
    // As it was saved, nothing of that is there.
    #expect(try desk.verso("who", "--at", "HEAD", "@todo.md").lines.count == 3)
    try desk.scratch.write("all new\n", to: "fresh.md")
    #expect(try desk.verso("who", "@fresh.md").lines.map { $0.prefix(13) } == ["not saved yet"])
  }

  @Test func `lines may be chosen, and must be there`() throws {
    let desk = try desk()
    #expect(try desk.verso("who", "--lines", "2-3", "@todo.md").lines.count == 2)
    let beyond = try desk.verso("who", "--lines", "2-4", "@todo.md")
    #expect(beyond.code == 2)
    #expect(beyond.errors.contains("todo.md has 3 lines"))
    try desk.scratch.write("milk\nnew\ntea\nbread\n", to: "todo.md")
    let objects = try desk.verso("who", "--lines", "2-3", "--json", "@todo.md").objects()
    #expect(objects.map { $0["newStart"] as? Int } == [2, 3])
    #expect(objects.map { $0["oldStart"] as? Int } == [0, 2])
  }

  @Test func `an old state is asked by its time and its name then`() throws {
    let desk = try desk()
    let result = try desk.verso("who", "@todo.md", "--at", TimeText.rfc3339(noon + 1))
    #expect(result.lines.count == 2)
    #expect(result.errors.contains("todo.md was called list.md then"))
    // A note that is gone from the disk is there in the last version.
    try run(["rm", desk.scratch.at("todo.md")])
    #expect(try desk.verso("who", "@todo.md").lines.count == 3)
  }

  @Test func `what has no lines is said to have none`() throws {
    let desk = try desk()
    try desk.scratch.write(
      [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A, 0], to: Array("folder/a.png".utf8))
    try desk.commit("Picture", at: noon + 180)
    let picture = try desk.verso("who", "@folder/a.png")
    #expect(picture.code == 1)
    #expect(picture.errors.contains("folder/a.png is no text (PNG image)"))
    let folder = try desk.verso("who", "@folder")
    #expect(folder.code == 1)
    #expect(folder.errors.contains("folder is a folder"))
    let absent = try desk.verso("who", "@tod.md")
    #expect(absent.code == 1)
    #expect(absent.errors.contains("did you mean todo.md?"))
    #expect(try desk.verso("who", "@").code == 2)
  }

  @Test func `a terminal gets each version once and nothing that acts on it`() throws {
    let desk = try desk()
    try desk.scratch.write("milk\ntea\nbread\na\u{1B}[2Jb\nc\n", to: "todo.md")
    try desk.commit("More\n\nVerso-Device: de\u{1B}sk", at: noon + 180)
    let shown = try desk.versoOnTerminal("who", "@todo.md").split(separator: "\n")
    #expect(shown.count == 5)
    #expect(!shown.joined().contains("\u{1B}"))
    #expect(shown[3].contains("de␛sk") && shown[3].hasSuffix("4  a␛[2Jb"))
    #expect(shown[4].hasPrefix("      ") && shown[4].hasSuffix(" 5  c"))
  }
}
