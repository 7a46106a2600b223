package import VersoModel

extension RelativePath {
  /// The name as it stands in messages of commits: readable, and unable to forge a line.
  ///
  /// Text that is valid UTF-8 stays as it is but for control characters, quotes and backslashes;
  /// other bytes are escaped as git does, so that a message is always valid UTF-8.
  package var quoted: String { quoted(spaces: false) }

  /// The same where more follows on the line.
  package var quotedBeforeMore: String { quoted(spaces: true) }

  private func quoted(spaces: Bool) -> String {
    let isText = String(validating: bytes, as: UTF8.self) != nil
    return String(
      decoding: QuotedPath.quote(bytes, escapesHighBytes: !isText, quotesSpaces: spaces),
      as: UTF8.self)
  }
}
