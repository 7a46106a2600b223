import Glibc
import VersoModel
import VersoTestSupport

@testable import Verso

/// Several vaults and one bare repository between them.
final class Devices: Sendable {
  let scratch: Scratch
  let names: [String]
  var hub: String { scratch.at("hub.git") }

  /// Makes the hub, the first vault with these files, and clones of it.
  init(_ names: String..., files: [String: String] = ["note.md": "# T\none\ntwo\nthree\n"]) throws {
    scratch = try Scratch("devices")
    self.names = names
    try run(["git", "init", "-q", "--bare", "-b", "main", scratch.at("hub.git")]).check()
    for (name, text) in files { try write(text, to: name, on: names[0]) }
    for name in names { try join(name) }
  }

  /// Makes a vault of a device's folder, tied to the hub, and synchronises it.
  @discardableResult
  func join(_ name: String) throws -> SyncOutcome {
    var initialiser = Initialiser(directory: scratch.at(name)) { _ in true }
    initialiser.device = name
    _ = try initialiser.run()
    for (key, value) in [("user.name", name), ("user.email", "\(name)@example.invalid")] {
      try git(name, "config", key, value)
    }
    _ = try RemoteSetup(remote: hub).run(Engine(root: root(name)))
    return try sync(name)
  }

  func root(_ name: String) throws -> String {
    guard let real = realpath(scratch.at(name), nil) else { throw Failure("no folder of \(name)") }
    defer { free(real) }
    return String(cString: real)
  }

  func engine(_ name: String) throws -> Engine { try Engine(root: root(name)) }

  @discardableResult
  func sync(
    _ name: String, adjusting adjust: (inout SyncRequest) -> Void = { _ in }
  ) throws -> SyncOutcome {
    let engine = try engine(name)
    var request = SyncRequest()
    adjust(&request)
    return try engine.sync(request) { saving throws(VersoError) in
      var saving = saving
      saving.settles = false
      return try engine.save(saving)
    }
  }

  @discardableResult
  func save(_ name: String) throws -> SaveOutcome {
    var request = SaveRequest()
    request.settles = false
    return try engine(name).save(request)
  }

  /// Everybody, often enough for everything to get everywhere.
  func settle() throws {
    for _ in 0..<3 { for name in names { try sync(name) } }
  }

  // MARK: Files

  func write(_ text: String, to path: String, on name: String) throws {
    try scratch.write(text, to: "\(name)/\(path)")
  }

  func text(_ path: String, on name: String) -> String? { scratch.text(of: "\(name)/\(path)") }

  func remove(_ path: String, on name: String) throws {
    guard unlink(scratch.at("\(name)/\(path)")) == 0 else { throw Failure("no \(path) on \(name)") }
  }

  /// The files on a device's disk.
  func files(on name: String) throws -> [String] {
    try run(
      ["find", ".", "-path", "./.git", "-prune", "-o", "!", "-type", "d", "-print"], in: root(name)
    )
    .text.split(separator: "\n").map { String($0.dropFirst(2)) }.sorted()
  }

  // MARK: git

  @discardableResult
  func git(_ name: String, _ arguments: String...) throws -> String {
    try run(["git", "-C", scratch.at(name)] + arguments).check()
  }

  /// What is wrong, once everything has got everywhere.
  func problems() throws -> [String] {
    var problems: [String] = []
    let tips = try names.map { try git($0, "rev-parse", "HEAD") }
    if Set(tips).count > 1 { problems.append("different tips: \(tips)") }
    for name in names {
      let status = try git(name, "status", "--porcelain")
      if !status.isEmpty { problems.append("\(name): status \(status)") }
      let check = try run(["git", "-C", scratch.at(name), "fsck", "--strict", "--no-dangling"])
      if check.status != 0 { problems.append("\(name): fsck \(check.error)") }
      let grep = try run(
        ["grep", "-rlE", "^(<<<<<<<|>>>>>>>)", "--exclude-dir=.git", "."], in: root(name))
      if grep.status == 0 { problems.append("\(name): markers in \(grep.text)") }
      for left in ["journal", "pending", "displaced"] {
        if access(scratch.at("\(name)/.git/verso/\(left)"), F_OK) == 0 {
          problems.append("\(name): \(left) is left")
        }
      }
    }
    return problems
  }
}

extension Outcome {
  /// The output without its last line end.
  @discardableResult
  func check() throws -> String {
    guard status == 0 else { throw Failure("\(status): \(error)\(text)") }
    return text.hasSuffix("\n") ? String(text.dropLast()) : text
  }
}
