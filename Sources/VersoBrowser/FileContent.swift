import VersoModel

/// What kind of thing a file's bytes are, as far as the detail pane cares.
package enum FileContent: Hashable, Sendable {
  case markdown
  case text
  case image(ImageHeader)
  /// Something else, by its first bytes, in words.
  case binary(String)

  /// How many bytes at the beginning of a file are enough.
  package static let headLength = 64 << 10

  /// - Parameters:
  ///   - name: The name of the file.
  ///   - head: Its first bytes, up to ``headLength``.
  package init(name: [UInt8], head: [UInt8]) {
    if let image = ImageHeader(head) {
      self = .image(image)
    } else if let known = Self.known(head) {
      self = .binary(known)
    } else if head.prefix(8000).contains(0) {
      // Git's own rule for what is no text.
      self = .binary("binary file")
    } else {
      self = Self.isMarkdown(name) ? .markdown : .text
    }
  }

  private static func isMarkdown(_ name: [UInt8]) -> Bool {
    let name = name.map { 0x41...0x5A ~= $0 ? $0 | 0x20 : $0 }
    return [".md", ".markdown", ".mdown", ".mkd"].contains { ending in
      name.count > ending.utf8.count && name.suffix(ending.utf8.count).elementsEqual(ending.utf8)
    }
  }

  private static let signatures: [(offset: Int, bytes: [UInt8], name: String)] = [
    (0, Array("%PDF-".utf8), "PDF document"),
    (0, [0x50, 0x4B, 0x03, 0x04], "ZIP archive, or a document made of one"),
    (0, [0x1F, 0x8B], "gzip archive"),
    (0, [0x28, 0xB5, 0x2F, 0xFD], "Zstandard archive"),
    (0, [0xFD, 0x37, 0x7A, 0x58, 0x5A, 0x00], "xz archive"),
    (0, [0x37, 0x7A, 0xBC, 0xAF, 0x27, 0x1C], "7-Zip archive"),
    (0, [0x7F, 0x45, 0x4C, 0x46], "program"),
    (0, Array("SQLite format 3\u{0}".utf8), "SQLite database"),
    (0, Array("ID3".utf8), "MP3 sound"),
    (0, Array("OggS".utf8), "Ogg sound or film"),
    (0, Array("fLaC".utf8), "FLAC sound"),
    (4, Array("ftyp".utf8), "MP4 sound, film or picture"),
    (0, [0x1A, 0x45, 0xDF, 0xA3], "Matroska or WebM film"),
    (8, Array("WAVE".utf8), "WAV sound"),
    (0, Array("BM".utf8), "BMP image"),
    (0, [0x49, 0x49, 0x2A, 0x00], "TIFF image"),
    (0, [0x4D, 0x4D, 0x00, 0x2A], "TIFF image"),
    (0, Array("wOF2".utf8), "font"),
  ]

  private static func known(_ head: [UInt8]) -> String? {
    signatures.first { signature in
      let found = head.dropFirst(signature.offset).starts(with: signature.bytes)
      // Two letters begin many texts as well.
      return found && (signature.bytes.count > 2 || head.prefix(64).contains(0))
    }?.name
  }

  /// What the detail pane says of a file that it cannot show; `nil` for text.
  ///
  /// - Parameter size: In bytes.
  package func statement(size: UInt64) -> [StyledLine]? {
    let bytes = StyledLine(Self.text(ofSize: size), Style(.faint))
    switch self {
    case .markdown, .text: return nil
    case .binary(let name): return [StyledLine(Self.capitalised(name), Style(.strong)), bytes]
    case .image(let header):
      let pixels =
        header.size.map { "\($0.width) × \($0.height) pixels" } ?? "of unknown dimensions"
      return [
        StyledLine("\(header.format.rawValue) image", Style(.strong)),
        StyledLine(pixels), bytes,
      ]
    }
  }

  private static func capitalised(_ text: String) -> String {
    text.prefix(1).uppercased() + text.dropFirst()
  }

  /// A size in words, such as `1.2 MB (1,234,567 bytes)`.
  package static func text(ofSize size: UInt64) -> String {
    let exact = size == 1 ? "1 byte" : "\(NumberText.grouped(size)) bytes"
    var (value, unit) = (size, 0)
    // Tenths of the next unit, rounded half up.
    while value >= 1000, unit < 4 {
      unit += 1
      value = size / power(1000, unit)
    }
    guard unit > 0 else { return exact }
    let tenth = power(1000, unit) / 10
    var tenths = size / tenth + (size % tenth * 2 >= tenth ? 1 : 0)
    if tenths >= 10_000, unit < 4 { (tenths, unit) = (10, unit + 1) }
    let number = tenths >= 100 ? "\((tenths + 5) / 10)" : "\(tenths / 10).\(tenths % 10)"
    return "\(number) \(["", "kB", "MB", "GB", "TB"][unit]) (\(exact))"
  }

  private static func power(_ base: UInt64, _ exponent: Int) -> UInt64 {
    (0..<exponent).reduce(1) { product, _ in product * base }
  }
}
