import Testing
import VersoTestSupport

@testable import Verso

/// A vault with two notes that a test makes ill.
struct Patient {
  let scratch: Scratch

  init() throws {
    scratch = try Scratch()
    try scratch.write("one\n", to: "note.md")
    try scratch.write("two\n", to: "ideas/todo.md")
    var initialiser = Initialiser(directory: scratch.path) { _ in true }
    initialiser.wait = 10
    _ = try initialiser.run()
    try scratch.git("config", "user.name", "Ada")
    try scratch.git("config", "user.email", "ada@example.invalid")
  }

  func save() throws {
    var request = SaveRequest()
    request.settles = false
    _ = try Engine(root: scratch.path).save(request)
  }

  /// What a look finds.
  func look() -> Doctor { Doctor(root: scratch.path) }

  /// What mending finds and does.
  func mend(isDryRun: Bool = false) -> Doctor {
    var options = Doctor.Options(fixes: true, isDryRun: isDryRun)
    options.wait = 0.05
    return Doctor(root: scratch.path, options: options)
  }

  /// Everything below the git directory with its content, to see whether something was changed.
  func gitDirectory() throws -> String {
    try run(
      [
        "sh", "-c",
        "find .git -type f | sort | xargs sha1sum; find .git | sort | xargs stat -c '%n %a'",
      ],
      in: scratch.path
    ).text
  }

  /// The file of a loose object, relative to the scratch folder.
  func object(_ revision: String) throws -> String {
    let id = try scratch.git("rev-parse", revision)
    return ".git/objects/\(id.prefix(2))/\(id.dropFirst(2))"
  }

  func shell(_ script: String) throws {
    let outcome = try run(["sh", "-c", script], in: scratch.path)
    if outcome.status != 0 { throw Failure("\(script): \(outcome.error)") }
  }
}

extension Doctor {
  /// What is not well, but for what depends on the machine that the tests run on.
  var troubles: [String] {
    findings.filter { $0.level != .good && $0.topic != "space" && $0.topic != "inotify" }
      .map { "\($0.topic): \($0.message)" }
  }

  /// The findings of a topic that are not well.
  func troubles(_ topic: String) -> [Finding] {
    findings.filter { $0.topic == topic && $0.level != .good }
  }

  func fixed(_ topic: String) -> [Finding] { findings.filter { $0.topic == topic && $0.isFixed } }
}
