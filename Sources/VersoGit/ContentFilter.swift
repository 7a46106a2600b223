import CGit2
import Glibc
package import VersoDisk
package import VersoModel

/// How the bytes of a file in the work tree become those of a blob, and the reverse (gitattributes(5)).
///
/// Most repositories need nothing of it, and find that out without reading more than a few file
/// names. What only concerns line ends and `$Id$` is done here, what needs other programs by the git
/// program.
///
/// Attributes are those of the work tree as it is now: write a `.gitattributes` before the files that
/// it speaks of. Links have no attributes; do not ask about them. Configuration is read once: call
/// ``refresh()`` at the start of each operation in a process that lives long.
package final class ContentFilter {
  /// What has to be done with the content of a path.
  package enum Decision: Hashable, Sendable {
    /// The bytes are the same on both sides.
    case raw
    /// Verso converts: `text`, `eol`, `ident`, `core.autocrlf`.
    case builtIn(ContentConversion)
    /// The git program converts: the name in `filter=NAME`, or `working-tree-encoding`.
    case program(String)
  }

  /// The content of a blob.
  package enum Cleaned: Hashable, Sendable {
    case bytes([UInt8])
    /// The blob is in the object database already.
    case stored(ObjectID)
  }

  let repository: Repository
  let store: any FileStore
  /// Variables for the programs that run; `nil` removes one.
  let environment: [String: String?]
  /// Seconds that one filter may take; a filter may have to download what it restores.
  let timeLimit: Double
  /// libgit2's second view of the repository, made when first needed.
  private var attributeReader: AttributeReader?
  private var settings = ContentConversion.LineEnds.Settings()
  private var hasGlobalSources = false
  private var drivers: [String: Driver] = [:]

  /// Makes the filter for a repository that has a work tree.
  package init(
    repository: Repository, store: any FileStore = SystemFileStore(),
    environment: [String: String?] = [:], timeLimit: Double = 600
  ) throws(GitError) {
    self.repository = repository
    self.store = store
    self.environment = environment
    self.timeLimit = timeLimit
    try refresh()
  }

  /// Reads configuration and attributes anew.
  package func refresh() throws(GitError) {
    attributeReader = nil
    drivers = [:]
    settings = try lineEndSettings()
    hasGlobalSources = settings.automatic != .off ? true : try hasGlobalAttributes()
  }

  // MARK: The decision

  /// What has to be done with the content of `path`, in both directions.
  ///
  /// A `filter=` whose driver is configured nowhere is, as in git, no filter at all, with a few
  /// exceptions: see ``refusesUnconfigured(_:)``.
  ///
  /// - Parameters:
  ///   - path: A file in the work tree; need not exist.
  ///   - hasAttributeFiles: Whether a `.gitattributes` lies in a folder above it; see
  ///     ``hasAttributeFiles(above:root:)``.
  /// - Returns: What ``clean(_:path:tracked:hasAttributeFiles:)`` and
  ///   ``smudge(_:id:path:hasAttributeFiles:)`` will do.
  /// - Throws: ``GitError`` where libgit2 cannot read attributes or configuration.
  package func decision(
    for path: RelativePath, hasAttributeFiles: Bool
  ) throws(GitError) -> Decision {
    guard hasAttributeFiles || hasGlobalSources else { return .raw }
    let attributes = try reader().attributes(of: path)
    if case .string(let name) = attributes.filter {
      let driver = try driver(named: name)
      if driver.isConfigured || Self.refusesUnconfigured(name) { return .program(name) }
    }
    switch attributes.encoding {
    case .unspecified, .isFalse: break
    case .string(let name) where Self.isUTF8(name): break
    // git refuses the value "true" by itself.
    case .string, .isTrue: return .program("working-tree-encoding")
    }
    let conversion = ContentConversion(
      lineEnds: .init(attributes, settings), expandsID: attributes.ident == .isTrue)
    return conversion.isEmpty ? .raw : .builtIn(conversion)
  }

  /// Whether content must not pass unconverted through a filter of that name, even where the
  /// machine knows no such filter.
  ///
  /// For git a driver without configuration is a filter that does nothing, which is right for one
  /// that tidies up, such as nbstripout. The filters here keep content out of the history: files
  /// that are large (git-lfs, git-annex) or secret (git-crypt, transcrypt). On a machine without them
  /// a save would put the content itself into every clone, and a restore would put a pointer or
  /// ciphertext into the place of the file.
  package static func refusesUnconfigured(_ name: String) -> Bool {
    ["lfs", "annex", "crypt", "git-crypt"].contains(name) || name.hasPrefix("git-crypt-")
  }

  private static func isUTF8(_ name: String) -> Bool {
    // git compares regardless of case and takes both spellings.
    ["", "utf-8", "utf8"].contains(name.lowercased())
  }

  // MARK: Where attributes come from

  /// Whether a `.gitattributes` lies in the root or in a folder above `path`.
  ///
  /// A link of that name does not count: git does not follow it.
  ///
  /// - Parameters:
  ///   - path: A file in the work tree.
  ///   - root: An open descriptor of the work tree.
  /// - Returns: Whether there is at least one.
  /// - Throws: ``DiskError`` where a folder cannot be looked into.
  package func hasAttributeFiles(
    above path: RelativePath, root: Int32
  ) throws(DiskError) -> Bool {
    let name = Array(".gitattributes".utf8)
    for folder in path.ancestors + [.root] {
      let status = try store.status(of: folder.appending(name).bytes, in: root)
      if status?.kind == .file { return true }
    }
    return false
  }

  /// Reads `core.autocrlf` and `core.eol`.
  private func lineEndSettings() throws(GitError) -> ContentConversion.LineEnds.Settings {
    var settings = ContentConversion.LineEnds.Settings()
    let automatic = try repository.setting("core.autocrlf")
    if automatic?.lowercased() == "input" {
      settings.automatic = .input
    } else if try repository.boolean("core.autocrlf") == true {
      settings.automatic = .on
    }
    settings.writesCRLF = try repository.setting("core.eol")?.lowercased() == "crlf"
    return settings
  }

  private func hasGlobalAttributes() throws(GitError) -> Bool {
    var files = ["\(repository.commonDirectory)/info/attributes", "/etc/gitattributes"]
    if let file = try repository.path("core.attributesFile") {
      files.append(file)
    } else if let folder = getenv("XDG_CONFIG_HOME").map({ String(cString: $0) }), !folder.isEmpty {
      files.append("\(folder)/git/attributes")
    } else if let home = getenv("HOME").map({ String(cString: $0) }), !home.isEmpty {
      files.append("\(home)/.config/git/attributes")
    }
    return files.contains { file in
      do throws(DiskError) {
        return try store.status(of: Array(file.utf8), in: AT_FDCWD) != nil
      } catch {
        // It may be there: libgit2 says what is wrong with it.
        return true
      }
    }
  }

  // MARK: Drivers

  /// What the configuration says of a filter.
  struct Driver: Hashable {
    var cleans = false
    var smudges = false
    var isConfigured = false
  }

  func driver(named name: String) throws(GitError) -> Driver {
    if let known = drivers[name] { return known }
    let key = "filter.\(name)"
    let clean = try repository.setting("\(key).clean")
    let smudge = try repository.setting("\(key).smudge")
    let process = try repository.setting("\(key).process")
    let required = try repository.setting("\(key).required")
    // For git an empty command is none.
    func runs(_ command: String?) -> Bool { command.map { !$0.isEmpty } ?? false }
    let driver = Driver(
      cleans: runs(clean) || runs(process), smudges: runs(smudge) || runs(process),
      isConfigured: clean != nil || smudge != nil || process != nil || required != nil)
    drivers[name] = driver
    return driver
  }

  private func reader() throws(GitError) -> AttributeReader {
    if let attributeReader { return attributeReader }
    let reader = try AttributeReader(repository)
    attributeReader = reader
    return reader
  }
}

extension Repository {
  /// The value of a configuration key as a path, its `~` expanded; `nil` where no file sets it.
  package func path(_ key: String) throws(GitError) -> String? {
    let config = try Handle("git_repository_config_snapshot", free: git_config_free) {
      git_repository_config_snapshot(&$0, handle.pointer)
    }
    var buffer = git_buf()
    let status = git_config_get_path(&buffer, config.pointer, key)
    defer { git_buf_dispose(&buffer) }
    if status == GIT_ENOTFOUND.rawValue { return nil }
    try GitError.check(status, "git_config_get_path")
    return buffer.ptr.map { String(cString: $0) }
  }
}
