import VersoModel

/// Conversions that only the git program does.
extension ContentFilter {
  private static let encoding = "working-tree-encoding"

  /// Lets git filter `bytes` and write the blob.
  func storeThroughGit(
    _ bytes: [UInt8], path: RelativePath, filter: String
  ) throws(ContentFilterError) -> ObjectID {
    let driver = try usableDriver(filter, path)
    let arguments: [Subprocess.Argument] = [
      "hash-object", "-w", "--stdin", .init(Array("--path=".utf8) + path.bytes),
    ]
    let result = try runGit(
      arguments, input: bytes, path: path, filter: filter, isForced: driver.cleans)
    guard let id = ObjectID(hex: result.output.prefix { $0 != UInt8(ascii: "\n") }) else {
      throw failure(.failed, filter, path, result)
    }
    return id
  }

  /// Lets git filter what the blob holds.
  func readThroughGit(
    _ id: ObjectID, path: RelativePath, filter: String
  ) throws(ContentFilterError) -> [UInt8] {
    let driver = try usableDriver(filter, path)
    let arguments: [Subprocess.Argument] = [
      "cat-file", "--filters", .init(Array("--path=".utf8) + path.bytes), "\(id.hex)",
    ]
    return try runGit(
      arguments, input: [], path: path, filter: filter, isForced: driver.smudges
    ).output
  }

  /// The driver of a filter that may be run.
  private func usableDriver(
    _ name: String, _ path: RelativePath
  ) throws(ContentFilterError) -> Driver {
    if name == Self.encoding { return Driver() }
    let driver = try driver(named: name, path)
    guard driver.isConfigured else {
      throw ContentFilterError(reason: .notConfigured, filter: name, path: path, detail: "")
    }
    return driver
  }

  /// Runs git in the work tree.
  ///
  /// By itself git passes content through unchanged where a filter fails or is not installed, unless
  /// `filter.NAME.required` is set; `isForced` sets it.
  private func runGit(
    _ arguments: [Subprocess.Argument], input: [UInt8], path: RelativePath, filter: String,
    isForced: Bool
  ) throws(ContentFilterError) -> Subprocess.Result {
    var options: [Subprocess.Argument] = [
      "--git-dir=\(repository.gitDirectory)",
      "--work-tree=\(workTree)",
      "-c", "core.safecrlf=false",
    ]
    if isForced {
      guard !filter.contains("=") else {
        throw ContentFilterError(
          reason: .failed, filter: filter, path: path, detail: "its name has a \"=\"")
      }
      options += ["-c", "filter.\(filter).required=true"]
    }
    let git = Subprocess(
      "git", options + arguments, environment: variables, directory: workTree,
      timeLimit: timeLimit)
    let result: Subprocess.Result
    do throws(SubprocessError) {
      result = try git.run(input: input)
    } catch {
      let reason: ContentFilterError.Reason = error.reason == .missing ? .noGit : .failed
      throw ContentFilterError(
        reason: reason, filter: filter, path: path,
        detail: error.reason == .missing ? "" : error.description)
    }
    try check(result, filter, path)
    return result
  }

  private func check(
    _ result: Subprocess.Result, _ filter: String, _ path: RelativePath
  ) throws(ContentFilterError) {
    let text = result.errorText
    if result.ending == .timedOut { throw failure(.timedOut, filter, path, result) }
    if result.succeeded {
      // On its way out, git reports an encoding that it cannot produce and writes UTF-8 instead.
      if text.contains("error: failed to encode") { throw failure(.failed, filter, path, result) }
      return
    }
    // A shell ends with 127 where it finds no such program, and with 126 where it may not run it.
    let signs = [" failed 127", " failed 126", "cannot run ", "cannot exec ", "not found"]
    let isMissing = filter != Self.encoding && signs.contains { text.contains($0) }
    throw failure(isMissing ? .missingProgram : .failed, filter, path, result)
  }

  private func failure(
    _ reason: ContentFilterError.Reason, _ filter: String, _ path: RelativePath,
    _ result: Subprocess.Result
  ) -> ContentFilterError {
    // The first line is the filter's own; git's follow.
    let line = result.errorText.split(separator: "\n").first.map(String.init) ?? ""
    return ContentFilterError(reason: reason, filter: filter, path: path, detail: line)
  }

  private var variables: [String: String?] {
    // What a hook or an alias of git leaves behind would lead git to another repository or index.
    let strangers = [
      "GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_OBJECT_DIRECTORY", "GIT_COMMON_DIR",
      "GIT_ALTERNATE_OBJECT_DIRECTORIES", "GIT_PREFIX", "GIT_NAMESPACE", "GIT_ATTR_SOURCE",
    ]
    var variables = [String: String?](uniqueKeysWithValues: strangers.map { ($0, nil) })
    // Nobody is there to answer a question.
    variables["GIT_TERMINAL_PROMPT"] = "0"
    // Messages are read here. The locale itself stays: filters such as sed depend on it.
    variables["LANGUAGE"] = "C"
    return variables.merging(environment) { $1 }
  }
}
