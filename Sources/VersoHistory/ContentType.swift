import VersoGit

/// What kind of file a content is, by its first bytes (the signatures of file(1)).
package enum ContentType {
  private static let signatures: [(at: Int, bytes: [UInt8], name: String)] = [
    (0, [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A], "PNG image"),
    (0, [0xFF, 0xD8, 0xFF], "JPEG image"),
    (0, Array("GIF8".utf8), "GIF image"),
    (8, Array("WEBP".utf8), "WebP image"),
    (4, Array("ftypavif".utf8), "AVIF image"),
    (4, Array("ftypheic".utf8), "HEIC image"),
    (0, Array("BM".utf8), "BMP image"),
    (0, Array("%PDF-".utf8), "PDF document"),
    (0, [0x50, 0x4B, 0x03, 0x04], "ZIP archive"),
    (0, [0x1F, 0x8B], "gzip archive"),
    (0, [0x28, 0xB5, 0x2F, 0xFD], "Zstandard archive"),
    (0, Array("SQLite format 3\0".utf8), "SQLite database"),
    (0, Array("OggS".utf8), "Ogg sound"),
    (0, Array("ID3".utf8), "MP3 sound"),
    (8, Array("WAVE".utf8), "WAV sound"),
    (4, Array("ftyp".utf8), "MP4 film"),
    (0, [0x7F, 0x45, 0x4C, 0x46], "ELF program"),
  ]

  /// A name for people: "text", "PNG image", "binary data", "nothing".
  package static func name(of content: [UInt8]) -> String {
    if content.isEmpty { return "nothing" }
    guard TextDifference.isBinary(content) else { return "text" }
    let known = signatures.first { content.dropFirst($0.at).starts(with: $0.bytes) }
    return known?.name ?? "binary data"
  }
}
