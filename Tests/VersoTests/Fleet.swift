import Foundation
import Glibc
import VersoDisk
import VersoGit
import VersoModel
import VersoTestSupport

@testable import Verso

/// A vault among others that share a remote.
///
/// Unchecked: a test uses it from one thread at a time.
final class Device: @unchecked Sendable {
  let name: String
  let root: String
  /// What its clock shows, in seconds since 1970; `nil` for the real time.
  var clock: Int64?

  init(_ name: String, at root: String) {
    self.name = name
    self.root = root
  }

  /// The engine of a new process.
  func engine(_ store: any FileStore = SystemFileStore()) throws -> Engine {
    let engine = try Engine(root: root, store: store)
    engine.grace = 0
    if let clock { engine.stampTime = { _ in ZonedTime(seconds: clock, zone: 0) } }
    return engine
  }

  @discardableResult
  func save() throws -> SaveOutcome {
    var request = SaveRequest()
    request.settles = false
    request.allowsMassDeletion = true
    return try engine().save(request)
  }

  /// Saves and synchronises once.
  ///
  /// - Parameter change: What is asked for besides.
  @discardableResult
  func sync(
    _ store: any FileStore = SystemFileStore(), _ change: (inout SyncRequest) -> Void = { _ in }
  ) throws -> SyncOutcome {
    var request = SyncRequest()
    request.allowsMassDeletion = true
    request.timeout = 60
    change(&request)
    let restless = request.restless
    let engine = try engine(store)
    return try engine.sync(request) { saving throws(VersoError) in
      var saving = saving
      saving.settles = false
      return try engine.save(saving) { restless?() ?? [] }
    }
  }

  @discardableResult
  func git(_ arguments: String...) throws -> String {
    let outcome = try run(["git", "-C", root] + arguments)
    guard outcome.status == 0 else {
      throw Failure("\(name): git \(arguments.joined(separator: " ")): \(outcome.error)")
    }
    return outcome.text.hasSuffix("\n") ? String(outcome.text.dropLast()) : outcome.text
  }

  var head: ObjectID? {
    get throws { try engine().repository.headCommit() }
  }

  // MARK: The disk

  /// A file or a link as it is on disk.
  struct File: Hashable {
    var kind: Item.Kind
    var bytes: [UInt8]
    var text: String { String(decoding: bytes, as: UTF8.self) }
  }

  func full(_ path: String) -> String { "\(root)/\(path)" }

  /// All files by their paths.
  func files() -> [String: File] {
    var found: [String: File] = [:]
    collect("", &found)
    return found
  }

  private func collect(_ folder: String, _ found: inout [String: File]) {
    for name in Walk.names(in: Array(full(folder).utf8)) {
      let path = folder + String(decoding: name, as: UTF8.self)
      if path == ".git" { continue }
      guard let status = Walk.status(of: Array(full(path).utf8)) else { continue }
      if status.st_mode & S_IFMT == S_IFDIR {
        collect(path + "/", &found)
      } else if let file = file(path) {
        found[path] = file
      }
    }
  }

  func file(_ path: String) -> File? {
    let name = full(path)
    guard let status = Walk.status(of: Array(name.utf8)) else { return nil }
    if status.st_mode & S_IFMT == S_IFLNK {
      var buffer = [CChar](repeating: 0, count: 4096)
      let count = readlink(name, &buffer, buffer.count)
      guard count >= 0 else { return nil }
      return File(kind: .link, bytes: buffer[..<count].map { UInt8(bitPattern: $0) })
    }
    guard status.st_mode & S_IFMT == S_IFREG, let data = FileManager.default.contents(atPath: name)
    else { return nil }
    return File(kind: status.st_mode & 0o100 != 0 ? .executable : .file, bytes: Array(data))
  }

  func text(_ path: String) -> String? { file(path)?.text }

  /// Puts a file or a link in place as an editor would, its folders made.
  func write(_ file: File, _ path: String) {
    makeFolders(for: path)
    let name = full(path)
    let draft = "\(root)/.git/draft-of-a-test"
    if file.kind == .link {
      unlink(draft)
      symlink(file.text, draft)
      rename(draft, name)
      return
    }
    let mode: mode_t = file.kind == .executable ? 0o755 : 0o644
    let descriptor = open(draft, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, mode)
    _ = file.bytes.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
    fchmod(descriptor, mode)
    close(descriptor)
    rename(draft, name)
  }

  func write(_ text: String, _ path: String) {
    write(File(kind: .file, bytes: Array(text.utf8)), path)
  }

  /// Adds to a file in place.
  func append(_ text: String, _ path: String) {
    let descriptor = open(full(path), O_WRONLY | O_APPEND | O_CLOEXEC | O_NOFOLLOW)
    if descriptor < 0 { return }
    _ = Array(text.utf8).withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
    close(descriptor)
  }

  func makeFolders(for path: String) {
    var folder = root
    for part in path.split(separator: "/").dropLast() {
      folder += "/\(part)"
      mkdir(folder, 0o755)
    }
  }

  /// Removes a file and the folders that are empty then.
  func remove(_ path: String) {
    unlink(full(path))
    var parts = path.split(separator: "/").dropLast()
    while !parts.isEmpty, rmdir(full(parts.joined(separator: "/"))) == 0 {
      parts = parts.dropLast()
    }
  }

  func move(_ old: String, _ new: String) {
    makeFolders(for: new)
    rename(full(old), full(new))
  }
}

/// Devices and the bare repository that they share, all below one folder.
final class Fleet: @unchecked Sendable {
  let scratch: Scratch
  let devices: [Device]
  /// Whether attributes have asked for other line ends in history than on one's disk.
  var convertsLineEnds = false
  var remote: String { scratch.at("remote.git") }

  /// Makes vaults without a version, and an empty remote.
  init(_ names: [String]) throws {
    let scratch = try Scratch("verso-fleet", inMemory: true)
    self.scratch = scratch
    try Self.makeBare(scratch.at("remote.git"))
    devices = try names.map { try Self.makeVault($0, in: scratch) }
  }

  /// Copies another fleet as it is.
  init(copying other: Fleet) throws {
    let scratch = try Scratch("verso-fleet", inMemory: true)
    self.scratch = scratch
    try run(["cp", "-a", other.scratch.path + "/.", scratch.path])
    devices = other.devices.map { device in
      let copy = Device(device.name, at: scratch.at(device.name))
      copy.clock = device.clock
      return copy
    }
  }

  subscript(_ name: String) -> Device {
    guard let found = devices.first(where: { $0.name == name }) else {
      preconditionFailure("no device \(name)")
    }
    return found
  }

  static func makeBare(_ path: String) throws {
    let made = try run(["git", "init", "-q", "--bare", "-b", "main", path])
    guard made.status == 0 else { throw Failure("git init: \(made.error)") }
    try append("[receive]\n\tautogc = false\n", to: "\(path)/config")
  }

  private static func makeVault(_ name: String, in scratch: Scratch) throws -> Device {
    let root = scratch.at(name)
    _ = try Initialiser(directory: root) { _ in nil }.run()
    let head = try String(contentsOfFile: "\(root)/.git/HEAD", encoding: .utf8)
    if !head.hasSuffix("/main\n") {
      try Data("ref: refs/heads/main\n".utf8).write(to: URL(fileURLWithPath: "\(root)/.git/HEAD"))
    }
    try append(
      """
      [user]
      \tname = \(name)
      \temail = \(name)@example.invalid
      [remote "origin"]
      \turl = ../remote.git
      \tfetch = +refs/heads/*:refs/remotes/origin/*
      [verso]
      \tdevice = \(name)
      \tremote = origin
      \tbranch = main
      [gc]
      \tauto = 0

      """, to: "\(root)/.git/config")
    return Device(name, at: root)
  }

  private static func append(_ text: String, to path: String) throws {
    guard let file = FileHandle(forWritingAtPath: path) else { throw Failure("open \(path)") }
    try file.seekToEnd()
    try file.write(contentsOf: Data(text.utf8))
    try file.close()
  }

  // MARK: What has to be true

  /// Synchronises all until nothing happens any more.
  ///
  /// - Returns: What is wrong then.
  func settle(_ order: [Device]? = nil) throws -> [String] {
    let order = order ?? devices
    var heads: [ObjectID?] = []
    for _ in 0..<3 where heads.isEmpty || Set(heads).count > 1 {
      for device in order { try device.sync() }
      heads = try order.map { try $0.head }
    }
    for device in order { try device.sync() }
    var problems: [String] = []
    if try order.map({ try $0.head }) != heads { problems.append("another sync made a commit") }
    if Set(heads).count > 1 { problems.append("not one version: \(heads)") }
    return try problems + self.problems(of: order)
  }

  /// What is wrong with vaults that are in step.
  func problems(of devices: [Device]) throws -> [String] {
    var problems: [String] = []
    let first = comparable(devices[0])
    for device in devices {
      let files = comparable(device)
      if files != first {
        problems.append("\(device.name) differs: \(Self.difference(first, files))")
      }
      for (path, file) in files {
        if path.contains("recovered-") { problems.append("\(device.name) has \(path)") }
        if file.text.contains("<<<<<<<") { problems.append("a marker in \(path)") }
      }
      let status = try device.git("status", "--porcelain", "--untracked-files=all")
      if status != "" { problems.append("\(device.name): git status: \(status)") }
      let left = try run(
        [
          "sh", "-c",
          "cd .git && find . -name '*.lock' && ls verso | grep -E '^(journal|pending|displaced|kept|index.new)$'; ls -A verso/stage 2>/dev/null",
        ], in: device.root)
      if !left.output.isEmpty { problems.append("\(device.name) has left: \(left.text)") }
      let check = try run([
        "git", "-C", device.root, "fsck", "--strict", "--no-dangling", "--no-progress",
      ])
      if check.status != 0 { problems.append("\(device.name): fsck: \(check.text)\(check.error)") }
    }
    return problems
  }

  private func comparable(_ device: Device) -> [String: Device.File] {
    if !convertsLineEnds { return device.files() }
    return device.files().mapValues { file in
      Device.File(kind: file.kind, bytes: file.bytes.filter { $0 != 0x0D })
    }
  }

  private static func difference(
    _ first: [String: Device.File], _ second: [String: Device.File]
  ) -> String {
    Set(first.keys).union(second.keys).sorted().filter { first[$0] != second[$0] }
      .map { "\($0): \(first[$0]?.text ?? "-") / \(second[$0]?.text ?? "-")" }
      .joined(separator: "; ")
  }
}

/// Closes a file and waits until nobody has it open for writing any more: a process that another test
/// is just starting shares all that is open until it is another program.
func closeForGood(_ file: Int32, _ path: String) throws {
  close(file)
  let store = SystemFileStore()
  let end = MonotonicTime.now() + 30
  while true {
    let reader = try store.opening(Array(path.utf8), in: AT_FDCWD, flags: O_RDONLY)
    if store.setLease(reader.number, F_RDLCK) == 0 {
      _ = store.setLease(reader.number, F_UNLCK)
      return
    }
    guard MonotonicTime.now() < end else { throw Failure("somebody writes to \(path)") }
    usleep(5_000)
  }
}
