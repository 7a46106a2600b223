import Testing
import VersoTestSupport

@testable import VersoWatch

@Suite struct FileTableTests {
  @Test(arguments: seeds(isFullRun ? 200 : 20))
  func `a table holds what a dictionary holds`(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    var table = FileTable()
    var dictionary: [[UInt8]: LiveFile] = [:]
    let range = Int.random(in: 2...400, using: &random)
    for _ in 0..<3000 {
      let number = Int.random(in: 0..<range, using: &random)
      let name = Array(String(repeating: "n", count: number % 37).utf8) + Array("\(number)".utf8)
      switch Int.random(in: 0..<4, using: &random) {
      case 0:
        #expect(table.removeValue(forKey: name) == dictionary.removeValue(forKey: name))
      case 1:
        #expect(table[name] == dictionary[name])
      default:
        let inode = FakeDisk.Inode(UInt64(number), born: 1, mode: 0o100644, at: 1)
        let file = LiveFile(FakeDisk.status(inode))
        table[name] = file
        dictionary[name] = file
      }
      if random.chance(500) { table.reserveCapacity(table.count * 2) }
    }
    #expect(table.count == dictionary.count)
    #expect(Set(table.keys) == Set(dictionary.keys))
    for (name, file) in dictionary { #expect(table[name] == file) }
  }
}
