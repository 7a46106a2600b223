import Foundation
import Glibc
import Testing
import VersoModel
import VersoTestSupport

@testable import Verso

/// A file that no version has stands where another device has a folder.
@Suite struct BlockedFolderTests {
  /// Puts the file there, and takes away what keeps it out of versions.
  enum Block: String, CaseIterable {
    case ignored, large, special

    func put(on device: Device) throws {
      switch self {
      case .ignored:
        try Self.exclude("/wall\n", on: device)
        device.write("mine\n", "wall")
      case .large:
        try device.git("config", "verso.maxFileSize", "1k")
        device.write(String(repeating: "mine\n", count: 1000), "wall")
      case .special: #expect(mkfifo(device.full("wall"), 0o644) == 0)
      }
    }

    func lift(on device: Device) throws {
      switch self {
      case .ignored: try Self.exclude("", on: device)
      case .large: device.write("mine\n", "wall")
      case .special:
        unlink(device.full("wall"))
        device.write("mine\n", "wall")
      }
    }

    private static func exclude(_ text: String, on device: Device) throws {
      try text.write(toFile: device.full(".git/info/exclude"), atomically: true, encoding: .utf8)
    }
  }

  @Test(arguments: Block.allCases, [true, false])
  func `what this device never had is not deleted by what stood in its way`(
    block: Block, isFirst: Bool
  ) throws {
    let fleet = try Fleet(["here", "there"])
    let (here, there) = (fleet["here"], fleet["there"])
    here.write("other\n", "other.md")
    if !isFirst {
      try here.sync()
      try there.sync()
    }
    try block.put(on: here)
    for number in 1...3 { there.write("text \(number)\n", "wall/\(number).md") }
    try there.sync()
    try here.sync()
    #expect(try here.engine().readPending().count == 3)
    try block.lift(on: here)
    #expect(try fleet.settle() == [])
    for device in [here, there] {
      let texts = device.files().values.compactMap(\.text)
      #expect(Set(texts) == ["mine\n", "other\n", "text 1\n", "text 2\n", "text 3\n"])
    }
    let log = try here.git("log", "-m", "--name-status", "--format=", "--diff-filter=D")
    #expect(log == "")
  }
}
