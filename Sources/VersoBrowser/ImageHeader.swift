/// What the first bytes of a picture tell of it.
package struct ImageHeader: Hashable, Sendable {
  package enum Format: String, Sendable, CaseIterable {
    case png = "PNG"
    case jpeg = "JPEG"
    case gif = "GIF"
    case webP = "WebP"
  }

  package let format: Format
  /// In pixels; `nil` where the bytes that were read do not reach so far, or are damaged.
  package let size: CellSize?

  /// Reads the beginning of a file.
  ///
  /// - Parameter bytes: 64 KiB are enough for nearly all; JPEG files may begin with a preview.
  /// - Returns: `nil` for what is no picture in one of the formats.
  package init?(_ bytes: [UInt8]) {
    if bytes.starts(with: [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]) {
      self.init(.png, Self.pngSize(bytes))
    } else if bytes.starts(with: [0xFF, 0xD8, 0xFF]) {
      self.init(.jpeg, Self.jpegSize(bytes))
    } else if bytes.starts(with: "GIF87a".utf8) || bytes.starts(with: "GIF89a".utf8) {
      self.init(.gif, Self.size(little(bytes, 6, 2), little(bytes, 8, 2)))
    } else if bytes.starts(with: "RIFF".utf8), bytes.dropFirst(8).starts(with: "WEBP".utf8) {
      self.init(.webP, Self.webPSize(bytes))
    } else {
      return nil
    }
  }

  private init(_ format: Format, _ size: CellSize?) {
    (self.format, self.size) = (format, size)
  }

  private static func size(_ width: Int?, _ height: Int?) -> CellSize? {
    guard let width, let height, width > 0, height > 0 else { return nil }
    return CellSize(width: width, height: height)
  }

  /// IHDR is the first chunk (PNG specification 5.6).
  private static func pngSize(_ bytes: [UInt8]) -> CellSize? {
    guard bytes.dropFirst(12).starts(with: "IHDR".utf8) else { return nil }
    return size(big(bytes, 16, 4), big(bytes, 20, 4))
  }

  /// The frame header is one of many segments (ITU-T T.81, B.1).
  private static func jpegSize(_ bytes: [UInt8]) -> CellSize? {
    var position = 2
    while position + 4 <= bytes.count, bytes[position] == 0xFF {
      let marker = bytes[position + 1]
      switch marker {
      // Fill bytes, and markers that stand alone.
      case 0xFF: position += 1
      case 0x01, 0xD0...0xD8: position += 2
      // C4, C8 and CC are tables, the others begin a frame.
      case 0xC0...0xC3, 0xC5...0xC7, 0xC9...0xCB, 0xCD...0xCF:
        return size(big(bytes, position + 7, 2), big(bytes, position + 5, 2))
      // The picture itself begins, or ends.
      case 0xD9, 0xDA: return nil
      default: position += 2 + max(2, big(bytes, position + 2, 2) ?? 2)
      }
    }
    return nil
  }

  /// The first chunk is one of three kinds (RFC 9649).
  private static func webPSize(_ bytes: [UInt8]) -> CellSize? {
    let chunk = bytes.dropFirst(12).prefix(4)
    if chunk.elementsEqual("VP8X".utf8) {
      return size(little(bytes, 24, 3).map { $0 + 1 }, little(bytes, 27, 3).map { $0 + 1 })
    }
    if chunk.elementsEqual("VP8L".utf8), bytes.count > 20, bytes[20] == 0x2F {
      guard let bits = little(bytes, 21, 4) else { return nil }
      return size((bits & 0x3FFF) + 1, (bits >> 14 & 0x3FFF) + 1)
    }
    guard chunk.elementsEqual("VP8 ".utf8), bytes.dropFirst(23).starts(with: [0x9D, 0x01, 0x2A])
    else { return nil }
    return size(
      little(bytes, 26, 2).map { $0 & 0x3FFF }, little(bytes, 28, 2).map { $0 & 0x3FFF })
  }
}

/// A number whose first byte counts most; `nil` where the bytes end before.
private func big(_ bytes: [UInt8], _ offset: Int, _ count: Int) -> Int? {
  guard offset + count <= bytes.count else { return nil }
  return bytes[offset..<offset + count].reduce(0) { $0 << 8 | Int($1) }
}

/// A number whose last byte counts most; `nil` where the bytes end before.
private func little(_ bytes: [UInt8], _ offset: Int, _ count: Int) -> Int? {
  guard offset + count <= bytes.count else { return nil }
  return bytes[offset..<offset + count].reversed().reduce(0) { $0 << 8 | Int($1) }
}
