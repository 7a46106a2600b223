import Glibc
import Testing
import VersoModel
import VersoTestSupport

@Suite struct ShellTextTests {
  @Test(arguments: [
    "notes", "my notes", "it's", "'", "''", "'\u{301}", "it'\u{301}s; id #", "$HOME", "`id`",
    "a\\b", "\"q\"", "", "ü 梅干し", "a\nb", "*", "~",
  ])
  func `the shell reads back exactly the word`(word: String) throws {
    for text in [ShellText.quote(word), ShellText.inQuotes(word)] {
      let outcome = try run(["sh", "-c", "printf '%s|' \(text)"])
      #expect(outcome.output == Array("\(word)|".utf8), "\(text)")
    }
  }

  @Test func `only letters, digits and harmless marks stand without quotes`() {
    for byte in UInt8(0x20)...0x7E {
      let isHarmless = "/._-+,:@%".utf8.contains(byte)
      let isLetterOrDigit = isalnum(Int32(byte)) != 0
      #expect(ShellText.isPlain([byte]) == (isHarmless || isLetterOrDigit), "\(byte)")
    }
    #expect(!ShellText.isPlain([]) && !ShellText.isPlain([0xC3]))
  }
}
