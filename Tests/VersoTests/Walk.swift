import Glibc
import VersoModel
import VersoTestSupport

/// Somebody who does random things to the files of a folder, from a seed.
///
/// Calls that fail because something is not there, or is in the way, are part of the walk.
struct Walk {
  /// What a walk does besides creating, changing, moving and removing files.
  enum Flavour { case plain, ignoring, converting }

  let root: [UInt8]
  let flavour: Flavour
  var random: SeededGenerator
  /// What was there when it was last looked for: paths below the root.
  private(set) var files: [[UInt8]] = []
  private(set) var folders: [[UInt8]] = [[]]
  private var counter = 0

  init(in root: String, seed: UInt64, flavour: Flavour = .plain) {
    self.root = Array(root.utf8)
    self.flavour = flavour
    random = SeededGenerator(seed: seed)
  }

  // MARK: Names

  private static let plainNames = [
    "a", "a.md", "a-", "a0", "a!", "A", "b", "b.md", "c", "todo.md", "Todo.md", "4913", "notes",
    "ideas", "draft", "z",
  ].map { Array($0.utf8) }

  private static let oddNames: [[UInt8]] =
    [
      "caf\u{E9}.md", "cafe\u{301}.md", " leading", "trailing ", "-rf", "--", "new\nline.md", "\n",
      "tab\there", "quo\"te", "it's", "back\\slash", "$(x)", "*", "?", "[a]", "#hash", "!bang",
      "a -> b", ":colon", "\u{202E}bidi", "\u{1B}[31mred", "…", ".hidden", "..almost", "...",
      "git", ".gitx", "con", "x.", "😀.md", "%s%n", "a:b",
    ].map { Array($0.utf8) } + [
      [0xFF, 0xFE, 0x62], [0x63, 0x61, 0x66, 0xE9], [0xC0, 0xAF], [0x80], [0x01, 0x7F],
      Array(repeating: 0x78, count: 255), Array(repeating: 0xFF, count: 255),
      Array(repeating: 0x79, count: 251) + Array(".md".utf8),
    ]

  private mutating func name() -> [UInt8] {
    if random.chance(4) { return pick(Self.oddNames) }
    if random.chance(3) { return Array("n\(Int.random(in: 0..<400, using: &random)).md".utf8) }
    return pick(Self.plainNames)
  }

  private mutating func pick<T>(_ list: [T]) -> T {
    list[Int.random(in: 0..<list.count, using: &random)]
  }

  private mutating func anyFile() -> [UInt8] {
    files.isEmpty ? Array("a".utf8) : pick(files)
  }

  /// A path that may be free, or may not.
  private mutating func place() -> [UInt8] {
    var folder = pick(folders)
    // Longer ones could not be told to a program as arguments.
    if folder.count > 900 { folder = [] }
    return folder.isEmpty ? name() : folder + [0x2F] + name()
  }

  private mutating func content() -> [UInt8] {
    counter += 1
    if random.chance(12) { return [] }
    let lines = Int.random(in: 1..<9, using: &random)
    let end = random.chance(4) ? "\r\n" : "\n"
    var text: [UInt8] = []
    for line in 0..<lines { text += Array("line \(line) of \(counter)\(end)".utf8) }
    if random.chance(5) { text += Array("$Id$ no line end".utf8) }
    if random.chance(9) { text += [0, 0xFF, 0x0D] }
    return text
  }

  // MARK: The disk

  /// Something that was done, by paths without links in them.
  enum Deed {
    /// Something stands at a path, or has another content.
    case made([UInt8])
    case renamed([UInt8], to: [UInt8])
    case linked([UInt8], to: [UInt8])
  }

  /// What was done, except removals.
  private(set) var deeds: [Deed] = []

  /// The deeds since the last call.
  mutating func takeDeeds() -> [Deed] {
    defer { deeds = [] }
    return deeds
  }

  /// Calls `body` with a path of the disk; with one that leads nowhere, where a link leads out of the
  /// folder that is walked in.
  private func at<R>(_ path: [UInt8], _ body: (UnsafePointer<CChar>) throws -> R) rethrows -> R {
    guard let real = real(path) else { return try [UInt8]().withCString(body) }
    return try (root + (real.isEmpty ? [] : [0x2F]) + real).withCString(body)
  }

  /// A path without links in its folders; `nil` where they lead elsewhere or nowhere.
  private func real(_ path: [UInt8]) -> [UInt8]? {
    guard let slash = path.lastIndex(of: 0x2F) else { return path }
    guard let found = (root + [0x2F] + path[..<slash]).withCString({ realpath($0, nil) }) else {
      return nil
    }
    defer { free(found) }
    let folder = UnsafeRawBufferPointer(start: found, count: strlen(found)).map { $0 }
    if folder == root { return Array(path[(slash + 1)...]) }
    guard folder.starts(with: root + [0x2F]) else { return nil }
    return Array(folder[(root.count + 1)...]) + Array(path[slash...])
  }

  private mutating func put(
    _ bytes: [UInt8], _ path: [UInt8], flags: Int32 = O_TRUNC | O_CREAT
  ) {
    let mode: mode_t = 0o644
    let file = at(path) { open($0, O_WRONLY | O_NOFOLLOW | O_CLOEXEC | flags, mode) }
    guard file >= 0 else { return }
    _ = bytes.withUnsafeBytes { write(file, $0.baseAddress, $0.count) }
    close(file)
    noteMade(path)
  }

  private mutating func noteMade(_ path: [UInt8]) {
    if let path = real(path) { deeds.append(.made(path)) }
  }

  private mutating func move(_ old: [UInt8], _ new: [UInt8]) {
    guard let from = real(old), let to = real(new) else { return }
    // git allows no folder of this name.
    if Self.isAttributes(new), at(old, { Self.isFolder($0) }) { return }
    if at(old, { old in at(new) { rename(old, $0) } }) == 0 { deeds.append(.renamed(from, to: to)) }
  }

  private static func isAttributes(_ path: [UInt8]) -> Bool {
    path.suffix(14).elementsEqual(".gitattributes".utf8)
  }

  private static func isFolder(_ path: UnsafePointer<CChar>) -> Bool {
    var status = stat()
    return lstat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
  }

  private mutating func addName(_ old: [UInt8], _ new: [UInt8]) {
    guard let from = real(old), let to = real(new) else { return }
    if at(old, { old in at(new) { link(old, $0) } }) == 0 { deeds.append(.linked(from, to: to)) }
  }

  private mutating func makeFolder(_ path: [UInt8]) {
    if at(path, { mkdir($0, 0o755) }) == 0 { noteMade(path) }
  }

  func remove(_ path: [UInt8]) {
    if at(path, { unlink($0) }) == 0 { return }
    for name in Self.names(in: root + [0x2F] + path) { remove(path + [0x2F] + name) }
    _ = at(path) { rmdir($0) }
  }

  /// The names in a folder, those of `.` and `..` left out; none where there is no such folder.
  static func names(in folder: [UInt8]) -> [[UInt8]] {
    guard let directory = folder.withCString({ opendir($0) }) else { return [] }
    defer { closedir(directory) }
    var names: [[UInt8]] = []
    while let entry = readdir(directory) {
      let name = withUnsafeBytes(of: &entry.pointee.d_name) { raw in
        Array(raw.prefix { $0 != 0 })
      }
      if name != [0x2E] && name != [0x2E, 0x2E] { names.append(name) }
    }
    return names.sorted { $0.lexicographicallyPrecedes($1) }
  }

  static func status(of path: [UInt8]) -> stat? {
    var status = stat()
    return path.withCString { lstat($0, &status) } == 0 ? status : nil
  }

  /// Looks at what is there.
  mutating func look() {
    files = []
    folders = [[]]
    var position = 0
    while position < folders.count {
      let folder = folders[position]
      position += 1
      for name in Self.names(in: folder.isEmpty ? root : root + [0x2F] + folder) {
        if folder.isEmpty && name == Array(".git".utf8) { continue }
        let path = folder.isEmpty ? name : folder + [0x2F] + name
        guard let status = Self.status(of: root + [0x2F] + path) else { continue }
        if status.st_mode & S_IFMT == S_IFDIR { folders.append(path) } else { files.append(path) }
      }
    }
  }

  // MARK: Steps

  /// - Parameter stopsAtNames: Whether to stop where a file got a second name.
  /// - Returns: How many steps were made.
  @discardableResult
  mutating func steps(_ count: Int, stopsAtNames: Bool = false) -> Int {
    defer { look() }
    for number in 0..<count {
      if number % 3 == 0 { look() }
      let before = deeds.count
      step()
      if stopsAtNames,
        deeds[before...].contains(where: { if case .linked = $0 { true } else { false } })
      {
        return number + 1
      }
    }
    return count
  }

  private mutating func step() {
    if flavour == .ignoring, random.chance(8) { return editRules() }
    if flavour == .converting, random.chance(12) { return editAttributes() }
    switch Int.random(in: 0..<(files.count > 150 ? 40 : 30), using: &random) {
    case 0..<6: put(content(), place())
    case 6, 7: put(content(), anyFile())
    case 8, 9: put(content(), anyFile(), flags: O_APPEND)
    case 10: _ = at(anyFile()) { truncate($0, off_t.random(in: 0..<30, using: &random)) }
    case 11: replaceAsEditorsDo(anyFile())
    // git itself would not see it within a second, and cannot be asked what is right.
    case 12: if flavour == .plain { rewriteUnseen(anyFile()) }
    case 13, 14: move(anyFile(), place())
    case 15: move(anyFile(), anyFile())
    case 16: swap(anyFile(), anyFile())
    case 17: makeFolder(place())
    case 18, 19: move(pick(folders), place())
    case 20: move(pick(folders), pick(folders))
    case 21, 22: becomeAnotherKind(random.chance(3) ? pick(folders) : anyFile())
    case 23: flipExecutable(anyFile())
    case 24: addName(anyFile(), place())
    case 25: makeLink(place())
    case 26: moveAndRewrite(anyFile(), place())
    case 27: _ = at(anyFile()) { utimensat(AT_FDCWD, $0, nil, AT_SYMLINK_NOFOLLOW) }
    case 28: if random.chance(4) { removeUnlessRoot(pick(folders)) }
    default: remove(anyFile())
    }
  }

  private func removeUnlessRoot(_ folder: [UInt8]) {
    if !folder.isEmpty { remove(folder) }
  }

  private mutating func replaceAsEditorsDo(_ path: [UInt8]) {
    let draft = Array("4913".utf8)
    put(content(), draft)
    move(draft, path)
  }

  /// Another content of the same size, with the old modification time.
  private mutating func rewriteUnseen(_ path: [UInt8]) {
    guard let status = Self.status(of: root + [0x2F] + path), status.st_mode & S_IFMT == S_IFREG,
      status.st_size < 10_000
    else { return }
    counter += 1
    let byte = UInt8(ascii: "a") + UInt8(counter % 26)
    put([UInt8](repeating: byte, count: Int(status.st_size)), path, flags: 0)
    _ = at(path) { utimensat(AT_FDCWD, $0, [status.st_atim, status.st_mtim], 0) }
  }

  private mutating func swap(_ one: [UInt8], _ two: [UInt8]) {
    let aside = Array("aside".utf8)
    move(one, aside)
    move(two, one)
    move(aside, two)
  }

  private mutating func becomeAnotherKind(_ path: [UInt8]) {
    // git allows no folder of this name.
    if path.isEmpty || Self.isAttributes(path) { return }
    let wasFolder = folders.contains(path)
    remove(path)
    switch Int.random(in: 0..<3, using: &random) {
    case 0 where !wasFolder:
      makeFolder(path)
      put(content(), path + [0x2F] + name())
    case 1: makeLink(path)
    default: put(content(), path)
    }
  }

  private mutating func makeLink(_ path: [UInt8]) {
    let targets = ["a.md", "..", ".", "/etc/hostname", "nowhere\n", "/", "\u{1B}]0;x\u{7}"]
    var target = random.chance(2) ? Array(pick(targets).utf8) : anyFile()
    // Below a link that leads to itself, git takes files that are gone for unreadable ones.
    if flavour == .ignoring { target = Array("nowhere".utf8) }
    if at(path, { path in target.withCString { symlink($0, path) } }) == 0 { noteMade(path) }
  }

  private func flipExecutable(_ path: [UInt8]) {
    guard let status = Self.status(of: root + [0x2F] + path), status.st_mode & S_IFMT == S_IFREG
    else { return }
    _ = at(path) { chmod($0, status.st_mode ^ 0o111) }
  }

  private mutating func moveAndRewrite(_ old: [UInt8], _ new: [UInt8]) {
    move(old, new)
    put(content(), new, flags: O_TRUNC)
  }

  // MARK: Rules

  private mutating func file(_ name: String) -> [UInt8] {
    let folder = random.chance(2) ? [] : pick(folders)
    return (folder.isEmpty ? [] : folder + [0x2F]) + Array(name.utf8)
  }

  private mutating func editRules() {
    let rules = [
      "*.md", "!a.md", "/b", "notes/", "n1*", "!n12.md", "**/todo.md", "ideas/**", "\\#hash", "a*",
      "!*", "*", "draft", "trailing\\ ", "[A-Z]*", ".gitignore", "caf*", "!draft/",
    ]
    let path = file(".gitignore")
    if random.chance(3) { return remove(path) }
    var text = ""
    for _ in 0..<Int.random(in: 1..<4, using: &random) { text += pick(rules) + "\n" }
    put(Array(text.utf8), path, flags: random.chance(2) ? O_CREAT | O_APPEND : O_CREAT | O_TRUNC)
  }

  private mutating func editAttributes() {
    let rules = [
      "* text=auto", "*.md text eol=crlf", "a* ident", "b* filter=turn", "*.md -text", "* -text",
      "[n-z]* eol=lf", "ideas/* filter=turn", "*.md text=auto eol=crlf ident", "c* binary",
      "*.md !filter !eol", "draft text eol=crlf",
    ]
    let path = file(".gitattributes")
    if random.chance(3) { return remove(path) }
    var text = ""
    for _ in 0..<Int.random(in: 1..<3, using: &random) { text += pick(rules) + "\n" }
    put(Array(text.utf8), path)
  }
}
