import Glibc
import Testing
import VersoGit
import VersoModel
import VersoTestSupport

/// Filters that only the git program runs.
@Suite struct ContentFilterProgramTests {
  private static let swap = [
    "filter.swap.clean": "sed s/disk/blob/", "filter.swap.smudge": "sed s/blob/disk/",
  ]

  /// Keeps contents beside the repository and lets git have their names, as git-lfs does.
  private static let largeFiles = """
    #!/bin/sh
    store="$(git rev-parse --absolute-git-dir)/lfs-store"
    mkdir -p "$store"
    case $1 in
      clean)
        cat > "$store/new.$$"
        sum=$(sha256sum < "$store/new.$$" | cut -c1-64)
        mv "$store/new.$$" "$store/$sum"
        printf 'version https://git-lfs.github.com/spec/v1\\noid sha256:%s\\n' "$sum" ;;
      smudge) cat "$store/$(sed -n s/^oid.sha256://p)" ;;
      *) exit 2 ;;
    esac
    """
  private static let largeFilesConfig = [
    "filter.lfs.clean": "git-lfs clean -- %f", "filter.lfs.smudge": "git-lfs smudge -- %f",
    "filter.lfs.required": "true",
  ]

  private func refusal(_ body: () throws -> Void) throws -> ContentFilterError {
    try #require(#expect(throws: ContentFilterError.self) { try body() })
  }

  private func clean(
    _ filter: ContentFilter, _ text: String = "disk\n", _ path: RelativePath = "a.md"
  ) throws -> ContentFilter.Cleaned {
    try filter.clean(Array(text.utf8), path: path, tracked: nil, hasAttributeFiles: true)
  }

  @Test func `a configured filter runs in both directions`() throws {
    let fixture = try FilterFixture("*.md filter=swap text=auto", config: Self.swap)
    let (decision, blob) = try fixture.compare(Array("on disk\r\n".utf8))
    #expect(decision == .program("swap"))
    #expect(blob == Array("on blob\n".utf8))
    // Names are arguments, never parts of a command.
    for name in ["-a.md", "$(touch x) 'q'.md", "é\n.md", "a=b:c.md"] {
      #expect(
        try fixture.compareQuoted(Array("disk".utf8), at: name) == Array("blob".utf8), "\(name)")
    }
    #expect(fixture.scratch.bytes(of: "x") == nil)
  }

  @Test func `a path that is not UTF-8 goes through a filter`() throws {
    let fixture = try FilterFixture("*.md filter=swap", config: Self.swap)
    let path = try #require(RelativePath([0xE9, 0xFF] + Array(".md".utf8)))
    guard case .stored(let id) = try clean(fixture.filter(), "disk", path) else {
      throw Failure("git was to store it")
    }
    #expect(try fixture.blob(id) == Array("blob".utf8))
  }

  @Test func `UTF-16 on disk is UTF-8 in history`() throws {
    let fixture = try FilterFixture("*.txt working-tree-encoding=UTF-16LE eol=lf")
    let text = Array("né\n".utf16).flatMap { [UInt8($0 & 0xFF), UInt8($0 >> 8)] }
    let (decision, blob) = try fixture.compare(text, at: "a.txt")
    #expect(decision == .program("working-tree-encoding"))
    #expect(blob == Array("né\n".utf8))
    let odd = try refusal { _ = try clean(fixture.filter(), "odd", "b.txt") }
    #expect(odd.reason == .failed)
    #expect(odd.filter == "working-tree-encoding")
  }

  @Test func `an encoding that cannot be restored is refused`() throws {
    let fixture = try FilterFixture("*.txt working-tree-encoding=ISO-8859-1")
    let blob = Array("\u{65E5}\n".utf8)
    let hex = try fixture.git("hash-object", "-w", "--stdin", input: blob)
    let id = try #require(ObjectID(hex: hex.prefix(40)))
    let error = try refusal {
      _ = try fixture.filter().smudge(blob, id: id, path: "a.txt", hasAttributeFiles: true)
    }
    #expect(error.reason == .failed)
    #expect(error.detail.contains("failed to encode"))
    let same = try FilterFixture("*.txt working-tree-encoding=utf-8")
    #expect(try same.filter().decision(for: "a.txt", hasAttributeFiles: true) == .raw)
  }

  @Test func `git-lfs stores a pointer and restores the file`() throws {
    let fixture = try FilterFixture(
      "*.png filter=lfs diff=lfs merge=lfs -text", config: Self.largeFilesConfig,
      program: Self.largeFiles)
    let image = (0..<300_000).map { UInt8(truncatingIfNeeded: $0 &* 7 ^ $0 >> 9) }
    let (decision, blob) = try fixture.compare(image, at: "photos/a.png")
    #expect(decision == .program("lfs"))
    #expect(String(decoding: blob, as: UTF8.self).hasPrefix("version https://git-lfs"))
  }

  @Test func `a filter whose program is missing is refused in both directions`() throws {
    // Without `required`, git itself would take the content unfiltered.
    for config in [Self.largeFilesConfig, Self.largeFilesConfig.filter { $0.value != "true" }] {
      let fixture = try FilterFixture("*.png filter=lfs -text", config: config)
      let filter = try fixture.filter(environment: ["PATH": "/usr/bin:/bin"])
      let saved = try refusal { _ = try clean(filter, "x", "photos/a.png") }
      #expect(saved.reason == .missingProgram)
      #expect(saved.description.contains("photos/a.png is left alone"))
      #expect(saved.hint.contains("git lfs install"))
      let hex = try fixture.git("hash-object", "-w", "--stdin", input: [0x78])
      let id = try #require(ObjectID(hex: hex.prefix(40)))
      let restored = try refusal {
        _ = try filter.smudge([0x78], id: id, path: "photos/a.png", hasAttributeFiles: true)
      }
      #expect(restored.reason == .missingProgram)
    }
  }

  @Test func `a filter that is not configured is refused only where it would hurt`() throws {
    let fixture = try FilterFixture(
      "*.png filter=lfs\n*.key filter=git-crypt\n*.md filter=tidy text")
    let filter = try fixture.filter()
    let large = try refusal { _ = try clean(filter, "x", "a.png") }
    #expect(large.reason == .notConfigured)
    #expect(large.filter == "lfs")
    let secret = try refusal {
      _ = try filter.smudge([1], id: .zero, path: "a.key", hasAttributeFiles: true)
    }
    #expect(secret.reason == .notConfigured)
    #expect(secret.hint.contains("git-crypt unlock"))
    // For git this filter does nothing, and the other attributes count.
    let (decision, blob) = try fixture.compare(Array("a\r\n".utf8), at: "a.md")
    guard case .builtIn = decision else { throw Failure("text counts") }
    #expect(blob == Array("a\n".utf8))
  }

  @Test func `a filter that fails is refused`() throws {
    let fixture = try FilterFixture(
      "*.md filter=bad", config: ["filter.bad.clean": "echo oops >&2; exit 3"])
    let error = try refusal { _ = try clean(fixture.filter()) }
    #expect(error.reason == .failed)
    #expect(error.detail == "oops")
    // It has nothing to do on the way back.
    let blob = Array("blob".utf8)
    let hex = try fixture.git("hash-object", "-w", "--stdin", input: blob)
    let id = try #require(ObjectID(hex: hex.prefix(40)))
    #expect(
      try fixture.filter().smudge(blob, id: id, path: "a.md", hasAttributeFiles: true) == blob)
  }

  @Test func `a filter that hangs is killed and refused`() throws {
    let fixture = try FilterFixture("*.md filter=slow", config: ["filter.slow.clean": "sleep 300"])
    let clock = ContinuousClock()
    let start = clock.now
    let error = try refusal { _ = try clean(fixture.filter(timeLimit: 0.5)) }
    #expect(error.reason == .timedOut)
    #expect(clock.now - start < .seconds(30))
  }

  @Test func `without git a filter is refused and plain files are not`() throws {
    let fixture = try FilterFixture("*.md filter=swap\n*.txt text", config: Self.swap)
    let empty = try Scratch()
    defer { withExtendedLifetime((fixture, empty)) {} }
    let filter = try fixture.filter(environment: ["PATH": empty.path])
    let error = try refusal { _ = try clean(filter) }
    #expect(error.reason == .noGit)
    #expect(error.hint == "install git")
    #expect(try clean(filter, "a\r\n", "a.txt") == .bytes(Array("a\n".utf8)))
  }

  @Test func `core safecrlf makes no save through git fail`() throws {
    let fixture = try FilterFixture(
      "*.md filter=swap text", config: Self.swap.merging(["core.safecrlf": "true"]) { $1 })
    guard case .stored(let id) = try clean(fixture.filter(), "disk\r\n") else {
      throw Failure("git was to store it")
    }
    #expect(try fixture.blob(id) == Array("blob\n".utf8))
  }

  @Test func `variables that a hook leaves behind lead nowhere else`() async {
    // In a process of its own, as the environment belongs to all tests.
    await #expect(processExitsWith: .success) {
      let fixture = try FilterFixture("*.md filter=swap", config: Self.swap)
      setenv("GIT_OBJECT_DIRECTORY", "/nonexistent", 1)
      setenv("GIT_DIR", "/nonexistent", 1)
      let cleaned = try fixture.filter().clean(
        Array("disk".utf8), path: "a.md", tracked: nil, hasAttributeFiles: true)
      guard case .stored(let id) = cleaned, try fixture.blob(id) == Array("blob".utf8) else {
        throw Failure("the blob is elsewhere")
      }
    }
  }
}

extension FilterFixture {
  /// Cleans a file with an odd name and compares with `git add`.
  fileprivate func compareQuoted(_ content: [UInt8], at name: String) throws -> [UInt8] {
    let path = try #require(RelativePath(name))
    try scratch.write(content, to: path.bytes)
    let cleaned = try filter().clean(content, path: path, tracked: nil, hasAttributeFiles: true)
    let id = try #require(
      ObjectID(hex: try git("hash-object", "-w", "--", "./\(name)").prefix(40)))
    #expect(cleaned == .stored(id))
    return try blob(id)
  }
}
