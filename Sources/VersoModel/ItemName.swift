/// Names that people give to files and folders, before they are on disk.
public enum ItemName {
  /// What an item without a name is called.
  public static let untitled = "Untitled"

  /// Why a name cannot be given.
  public enum Problem: Error, Hashable, Sendable {
    /// Nothing was typed, or nothing but blanks.
    case empty
    /// It holds a slash or a NUL, or is `.` or `..`.
    case invalid
    /// It is longer than the 255 bytes that file systems of Linux take.
    case tooLong
    /// It is `.git` in any case, which belongs to git.
    case reserved
  }

  /// What somebody typed for a new item: a slash at the end makes it a folder.
  public struct New: Hashable, Sendable {
    /// The name, without the slash.
    public let name: [UInt8]
    /// `folder` or `file`.
    public let kind: Item.Kind

    /// Reads what was typed.
    public init(_ typed: String) throws(Problem) {
      let isFolder = typed.hasSuffix("/")
      name = try ItemName.bytes(isFolder ? String(typed.dropLast()) : typed)
      kind = isFolder ? .folder : .file
    }
  }

  /// The bytes of a name that a file or folder can have.
  public static func bytes(_ name: String) throws(Problem) -> [UInt8] {
    let bytes = Array(name.utf8)
    if name.allSatisfy(\.isWhitespace) { throw .empty }
    if bytes.contains(RelativePath.slash) || RelativePath(bytes) == nil { throw .invalid }
    if bytes.count > 255 { throw .tooLong }
    if name.lowercased() == ".git" { throw .reserved }
    return bytes
  }

  /// A name that none of `taken` is: `stem` with the extension, else with a number before it.
  ///
  /// Upper and lower case count as equal, so that the name can also go to devices whose file systems
  /// take them so.
  ///
  /// - Parameters:
  ///   - stem: What comes before the number.
  ///   - suffix: What comes after the number, such as `.md`; may be empty.
  ///   - taken: What is there already.
  public static func free(
    _ stem: String = untitled, suffix: String = "", besides taken: some Sequence<Item>
  ) -> String {
    free(stem, suffix: suffix, besides: Set(taken.map { $0.name.lowercased() }))
  }

  /// The same for who asks often of the same folder.
  ///
  /// - Parameter taken: The names that are there already, in lower case.
  package static func free(
    _ stem: String, suffix: String, besides taken: Set<String>
  ) -> String {
    var (name, number) = (stem + suffix, 1)
    while taken.contains(name.lowercased()) {
      number += 1
      name = "\(stem) \(number)\(suffix)"
    }
    return name
  }
}
