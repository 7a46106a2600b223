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
/// it speaks of. Links have no attributes; do not ask about them. Configuration and the attribute
/// files outside the work tree are read once: call ``refresh()`` at the start of each operation in a
/// process that lives long.
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
  /// Where the attribute files are.
  let workTree: String
  /// Variables for the programs that run; `nil` removes one.
  let environment: [String: String?]
  /// Seconds that one filter may take; a filter may have to download what it restores.
  let timeLimit: Double
  private var settings = ContentConversion.LineEnds.Settings()
  private var reader: AttributeReader
  private var drivers: [String: Driver] = [:]

  /// Makes the filter for a repository.
  ///
  /// - Precondition: The repository has a work tree, or another is given.
  /// - Parameter workTree: A folder that stands for the work tree, absolute; programs run in it.
  package init(
    repository: Repository, store: any FileStore = SystemFileStore(),
    environment: [String: String?] = [:], timeLimit: Double = 600, workTree: String? = nil
  ) throws(ContentFilterError) {
    guard let workTree = workTree ?? repository.workTree else {
      preconditionFailure("a bare repository has no files to convert")
    }
    self.repository = repository
    self.store = store
    self.environment = environment
    self.timeLimit = timeLimit
    self.workTree = workTree
    (reader, settings) = try Self.read(repository, store, workTree)
  }

  /// Reads configuration and attributes anew.
  package func refresh() throws(ContentFilterError) {
    drivers = [:]
    (reader, settings) = try Self.read(repository, store, workTree)
  }

  private static func read(
    _ repository: Repository, _ store: any FileStore, _ workTree: String
  ) throws(ContentFilterError) -> (AttributeReader, ContentConversion.LineEnds.Settings) {
    let (files, ignoringCase, settings) = try ContentFilterError.reporting(.root) {
      () throws(GitError) in
      (
        try outerAttributeFiles(repository), try repository.boolean("core.ignoreCase") ?? false,
        try lineEndSettings(repository)
      )
    }
    let reader = try ContentFilterError.reporting(.root) { () throws(DiskError) in
      try AttributeReader(
        workTree: workTree, outer: files,
        inner: "\(repository.commonDirectory)/info/attributes", ignoringCase: ignoringCase,
        store: store)
    }
    return (reader, settings)
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
  /// - Throws: ``ContentFilterError``, ``ContentFilterError/Reason/unreadable``.
  package func decision(
    for path: RelativePath, hasAttributeFiles: Bool
  ) throws(ContentFilterError) -> Decision {
    guard hasAttributeFiles || reader.hasGlobalAttributes || settings.automatic != .off else {
      return .raw
    }
    let attributes = try ContentFilterError.reporting(path) { () throws(DiskError) in
      try reader.attributes(of: path, looksIntoFolders: hasAttributeFiles)
    }
    if case .string(let name) = attributes.filter {
      let driver = try driver(named: name, path)
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
  private static func lineEndSettings(
    _ repository: Repository
  ) throws(GitError) -> ContentConversion.LineEnds.Settings {
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

  /// The system's attribute file and the user's, whether or not they are there.
  private static func outerAttributeFiles(
    _ repository: Repository
  ) throws(GitError) -> [String] {
    let system = variable("GIT_ATTR_NOSYSTEM") == nil ? ["/etc/gitattributes"] : []
    if let file = try repository.path("core.attributesFile") { return system + [file] }
    if let folder = variable("XDG_CONFIG_HOME") { return system + ["\(folder)/git/attributes"] }
    guard let home = variable("HOME") else { return system }
    return system + ["\(home)/.config/git/attributes"]
  }

  private static func variable(_ name: String) -> String? {
    guard let value = getenv(name), value.pointee != 0 else { return nil }
    return String(cString: value)
  }

  // MARK: Drivers

  /// What the configuration says of a filter.
  struct Driver: Hashable {
    var cleans = false
    var smudges = false
    var isConfigured = false
  }

  func driver(
    named name: String, _ path: RelativePath
  ) throws(ContentFilterError) -> Driver {
    if let known = drivers[name] { return known }
    let driver = try ContentFilterError.reporting(path) { () throws(GitError) in
      try Driver(name, repository)
    }
    drivers[name] = driver
    return driver
  }
}

extension ContentFilter.Driver {
  fileprivate init(_ name: String, _ repository: Repository) throws(GitError) {
    let clean = try repository.setting("filter.\(name).clean")
    let smudge = try repository.setting("filter.\(name).smudge")
    let process = try repository.setting("filter.\(name).process")
    let required = try repository.setting("filter.\(name).required")
    // For git an empty command is none.
    func runs(_ command: String?) -> Bool { command.map { !$0.isEmpty } ?? false }
    cleans = runs(clean) || runs(process)
    smudges = runs(smudge) || runs(process)
    isConfigured = clean != nil || smudge != nil || process != nil || required != nil
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
