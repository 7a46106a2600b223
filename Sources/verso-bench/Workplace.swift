import Glibc

/// A temporary directory with the vaults that are measured, and an environment without anything of
/// this user's.
final class Workplace {
  let root: String
  let verso: String
  private var vaults: [Int: Corpus] = [:]

  init() throws(BenchError) {
    let base = getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp"
    var template = Array("\(base)/verso-bench-XXXXXX".utf8CString)
    guard mkdtemp(&template) != nil else { throw BenchError("cannot make a folder in \(base)") }
    let made = template.withUnsafeBufferPointer { $0.baseAddress.map { String(cString: $0) } ?? "" }
    root = Self.resolved(made) ?? made
    guard let own = Self.resolved("/proc/self/exe"), let slash = own.lastIndex(of: "/") else {
      throw BenchError("cannot find this program's own folder")
    }
    verso = "\(own[..<slash])/verso"
    guard access(verso, X_OK) == 0 else {
      throw BenchError("\(verso) is not built; run: swift build -c release")
    }
    try makeFolders("\(root)/home")
    let settings = "[user]\nname = Bench\nemail = bench@example.org\n[init]\ndefaultBranch = main\n"
    try overwrite("\(root)/home/.gitconfig", with: Array(settings.utf8))
    // For the library in this process.
    for variable in environment {
      let cut = variable.firstIndex(of: "=") ?? variable.endIndex
      setenv(String(variable[..<cut]), String(variable[cut...].dropFirst()), 1)
    }
  }

  private static func resolved(_ path: String) -> String? {
    guard let real = realpath(path, nil) else { return nil }
    defer { free(real) }
    return String(cString: real)
  }

  var environment: [String] {
    let path = getenv("PATH").map { String(cString: $0) } ?? "/usr/bin:/bin"
    return [
      "PATH=\(path)", "HOME=\(root)/home", "XDG_CONFIG_HOME=\(root)/home/.config",
      "GIT_CONFIG_NOSYSTEM=1", "LC_ALL=C",
    ]
  }

  func remove() {
    do throws(BenchError) { try run(["rm", "-rf", root]) } catch {
      Bench.write("verso-bench: \(root) is left: \(error)\n", to: 2)
    }
  }

  // MARK: Programs

  private func run(_ words: [String]) throws(BenchError) {
    try Child.run(words, in: "/", environment: environment)
  }

  /// Has everything written that the kernel still holds: it would disturb what comes next.
  func quieten() throws(BenchError) { try run(["sync"]) }

  @discardableResult
  func git(_ arguments: [String], in corpus: Corpus) throws(BenchError) -> Child {
    try Child.run(["git"] + arguments, in: corpus.root, environment: environment)
  }

  @discardableResult
  func verso(_ arguments: [String], in corpus: Corpus) throws(BenchError) -> Child {
    try Child.run([verso] + arguments, in: corpus.root, environment: environment)
  }

  // MARK: Vaults

  /// A folder of so many notes, made once, that has just been cleared of any repository.
  func notes(_ count: Int) throws(BenchError) -> Corpus {
    if let corpus = vaults.removeValue(forKey: count) {
      try clear(corpus)
      return corpus
    }
    let corpus = Corpus(root: "\(root)/notes-\(count)", count: count)
    try corpus.make()
    try quieten()
    pause(Wait.settled)
    return corpus
  }

  /// A vault of so many notes, all of them saved.
  func vault(_ count: Int) throws(BenchError) -> Corpus {
    if let corpus = vaults[count] { return corpus }
    let corpus = try notes(count)
    try verso(["init", "--yes", "."], in: corpus)
    try keep(corpus)
    return corpus
  }

  /// Takes a corpus its repository.
  func clear(_ corpus: Corpus) throws(BenchError) {
    try run(["rm", "-rf", "\(corpus.root)/.git"])
    try quieten()
  }

  /// Keeps a corpus that is a vault for the measurements to come.
  func keep(_ corpus: Corpus) throws(BenchError) {
    // Folders younger than two seconds are not in the folder cache, and an index younger than its
    // files is racy: everybody's next look would be slower than any after it.
    pause(Wait.old)
    try corpus.edit(0, "Once.")
    pause(Wait.settled)
    try verso(["save"], in: corpus)
    try quieten()
    pause(Wait.settled)
    vaults[corpus.count] = corpus
  }
}

/// Times that measurements wait for, outside of what is timed.
enum Wait {
  /// `verso save` looks twice at what is younger than a second, which is a wait and no work.
  static let settled = 1.1
  /// When a folder's time stamp has come to stand for its names.
  static let old = 2.1
}

/// The bytes that a tree takes on the disk.
func diskUse(_ path: String) -> Int {
  var status = stat()
  guard lstat(path, &status) == 0 else { return 0 }
  var total = Int(status.st_blocks) * 512
  guard status.st_mode & S_IFMT == S_IFDIR, let folder = opendir(path) else { return total }
  defer { closedir(folder) }
  while let entry = readdir(folder) {
    let name = withUnsafePointer(to: &entry.pointee.d_name) {
      $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
    }
    if name != ".", name != ".." { total += diskUse("\(path)/\(name)") }
  }
  return total
}
