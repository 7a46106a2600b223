import Testing
import VersoBrowser

@Suite struct FileContentTests {
  private func bytes(_ text: String) -> [UInt8] {
    text.split(separator: " ").compactMap { UInt8($0, radix: 16) }
  }

  @Test(
    arguments: [
      ("89 50 4e 47 0d 0a 1a 0a 00 00 00 0d 49 48 44 52 00 00 03 20 00 00 02 58", "PNG", 800, 600),
      ("47 49 46 38 39 61 20 03 58 02 00", "GIF", 800, 600),
      ("ff d8 ff e0 00 04 00 00 ff ff db 00 02 ff c2 00 11 08 02 58 03 20 03", "JPEG", 800, 600),
      (
        "52 49 46 46 00 00 00 00 57 45 42 50 56 50 38 58 0a 00 00 00 00 00 00 00 1f 03 00 57 02 00",
        "WebP", 800, 600
      ),
      (
        "52 49 46 46 00 00 00 00 57 45 42 50 56 50 38 20 0a 00 00 00 00 00 00 9d 01 2a 20 03 58 02",
        "WebP", 800, 600
      ),
      (
        "52 49 46 46 00 00 00 00 57 45 42 50 56 50 38 4c 0a 00 00 00 2f 1f c3 95 00", "WebP", 800,
        600
      ),
      ("89 50 4e 47 0d 0a 1a 0a 00 00 00 0d 49 48", "PNG", nil, nil),
      ("ff d8 ff da 00 02", "JPEG", nil, nil), ("ff d8 ff e0 ff ff", "JPEG", nil, nil),
      ("47 49 46 38 37 61 20", "GIF", nil, nil),
    ] as [(String, String, Int?, Int?)])
  func `pictures tell their size`(hex: String, format: String, width: Int?, height: Int?) throws {
    let header = try #require(ImageHeader(bytes(hex)))
    #expect(header.format.rawValue == format)
    #expect(header.size?.width == width && header.size?.height == height)
    // However they are cut, nothing traps.
    for count in 0..<bytes(hex).count { _ = ImageHeader(Array(bytes(hex).prefix(count))) }
  }

  @Test func `what a file is, is seen by its bytes first and its name last`() {
    func content(_ name: String, _ head: [UInt8]) -> FileContent {
      FileContent(name: Array(name.utf8), head: head)
    }
    #expect(content("a.md", Array("# x".utf8)) == .markdown)
    #expect(content("A.MARKDOWN", []) == .markdown)
    #expect(content(".md", []) == .text)
    #expect(content("a.txt", Array("größe".utf8)) == .text)
    #expect(content("a.md", [0x61, 0, 0x62]) == .binary("binary file"))
    #expect(content("a.txt", Array("%PDF-1.7".utf8)) == .binary("PDF document"))
    #expect(content("bm.txt", Array("BM is a text".utf8)) == .text)
    #expect(content("x.bin", Array("BM".utf8) + [0, 0]) == .binary("BMP image"))
    #expect(
      content("x.mp4", [0, 0, 0, 24] + Array("ftypisom".utf8))
        == .binary("MP4 sound, film or picture"))
  }

  @Test func `what cannot be shown is stated`() throws {
    let png = bytes("89 50 4e 47 0d 0a 1a 0a 00 00 00 0d 49 48 44 52 00 00 03 20 00 00 02 58")
    let image = try #require(FileContent(name: [], head: png).statement(size: 1_234_567))
    #expect(image.map(\.text) == ["PNG image", "800 × 600 pixels", "1.2 MB (1,234,567 bytes)"])
    let binary = try #require(FileContent.binary("binary file").statement(size: 12))
    #expect(binary.map(\.text) == ["Binary file", "12 bytes"])
    #expect(FileContent.text.statement(size: 1) == nil)
  }

  @Test(
    arguments: [
      (0, "0 bytes"), (1, "1 byte"), (999, "999 bytes"), (1000, "1.0 kB (1,000 bytes)"),
      (9_950, "10 kB (9,950 bytes)"), (12_345, "12 kB (12,345 bytes)"),
      (999_999, "1.0 MB (999,999 bytes)"), (5_000_000_000, "5.0 GB (5,000,000,000 bytes)"),
    ] as [(UInt64, String)])
  func `sizes are in words`(size: UInt64, text: String) {
    #expect(FileContent.text(ofSize: size) == text)
  }
}
