import Glibc
import Testing
import VersoDisk
import VersoModel
import VersoTestSupport

@testable import Verso

/// What the doctor mends, and what it leaves.
@Suite struct DoctorFixTests {
  // MARK: The index

  static let injuries = [
    ("checksum", "printf xxxx | dd of=.git/index bs=1 seek=40 conv=notrunc 2>/dev/null"),
    ("cut off", "truncate -s 90 .git/index"),
    ("empty", ": >.git/index"),
    ("zeros", "head -c 300 /dev/zero >.git/index"),
    ("missing", "rm .git/index"),
  ]

  @Test(arguments: injuries)
  func `a damaged index is made anew from the last version, and the old one is kept`(
    name: String, script: String
  ) throws {
    let patient = try Patient()
    try patient.scratch.write("edited\n", to: "note.md")
    try patient.shell(script)
    let damaged = patient.scratch.bytes(of: ".git/index")
    let look = patient.look()
    #expect(look.troubles("index").map(\.level) == [.bad])
    #expect(look.troubles("history").isEmpty)
    let doctor = patient.mend()
    #expect(doctor.fixed("index").count == 1)
    #expect(doctor.troubles == [])
    #expect(patient.scratch.bytes(of: ".git/verso/index.damaged") == damaged)
    #expect(try patient.scratch.git("status", "--porcelain") == " M note.md")
    #expect(patient.scratch.text(of: "note.md") == "edited\n")
    try patient.save()
    #expect(try patient.scratch.git("status", "--porcelain") == "")
    #expect(patient.look().troubles == [])
  }

  @Test func `a second damaged index does not replace the first`() throws {
    let patient = try Patient()
    for _ in 0..<2 {
      try patient.shell(": >.git/index")
      #expect(patient.mend().fixed("index").count == 1)
    }
    #expect(patient.scratch.bytes(of: ".git/verso/index.damaged") == [])
    #expect(patient.scratch.bytes(of: ".git/verso/index.damaged.1") == [])
  }

  // MARK: Objects

  @Test func `an empty object is set aside, and its content stored again from the file`() throws {
    let patient = try Patient()
    let object = try patient.object("HEAD:note.md")
    try patient.shell("chmod u+w \(object) && : >\(object)")
    #expect(patient.look().troubles("objects").map(\.level) == [.bad])
    let doctor = patient.mend()
    #expect(doctor.fixed("objects").count == 1 && doctor.fixed("content").count == 1)
    #expect(doctor.troubles == [])
    try patient.scratch.git("fsck", "--strict")
    let id = try patient.scratch.git("rev-parse", "HEAD:note.md")
    #expect(patient.scratch.bytes(of: ".git/verso/empty-\(id)") == [])
  }

  @Test func `an object that is cut off is set aside, and its content stored again from the file`()
    throws
  {
    let patient = try Patient()
    let object = try patient.object("HEAD:note.md")
    try patient.shell("chmod u+w \(object) && truncate -s -6 \(object)")
    let look = patient.look().troubles("objects")
    #expect(look.map(\.level) == [.bad] && look[0].message.contains("damaged"))
    let doctor = patient.mend()
    #expect(doctor.fixed("objects").count == 1 && doctor.fixed("content").count == 1)
    #expect(doctor.troubles == [])
    try patient.scratch.git("fsck", "--strict")
    let id = try patient.scratch.git("rev-parse", "HEAD:note.md")
    #expect(patient.scratch.exists(".git/verso/damaged-\(id)"))
  }

  @Test func `what is missing and nowhere else is said and stays bad`() throws {
    let patient = try Patient()
    let object = try patient.object("HEAD:note.md")
    try patient.scratch.write("other\n", to: "note.md")
    try patient.shell("chmod u+w \(object) && : >\(object)")
    let doctor = patient.mend()
    #expect(doctor.fixed("objects").count == 1)
    #expect(doctor.troubles("content").first?.message.contains("note.md") == true)
    let id = try patient.scratch.git("rev-parse", "HEAD:note.md")
    #expect(doctor.troubles("history").first?.message.contains(id) == true)
    #expect(doctor.troubles("history").first?.level == .bad)
    #expect(patient.scratch.text(of: "note.md") == "other\n")
  }

  // MARK: Locks and leftovers

  @Test func `a lock that is ours by proof goes, any other stays`() throws {
    let patient = try Patient()
    try patient.shell("ln .git/verso/token .git/index.lock")
    #expect(patient.look().troubles("locks").first?.message.contains("was killed") == true)
    #expect(patient.mend().fixed("locks").count == 1)
    #expect(patient.scratch.bytes(of: ".git/index.lock") == nil)

    try patient.shell(
      "for f in index packed-refs refs/heads/main; do : >.git/$f.lock; touch -d '3 hours ago' .git/$f.lock; done"
    )
    let doctor = patient.mend()
    #expect(doctor.troubles("locks").count == 3)
    #expect(doctor.troubles("locks").allSatisfy { $0.message.contains("for 3 h") })
    #expect(patient.scratch.bytes(of: ".git/index.lock") == [])
    #expect(patient.scratch.bytes(of: ".git/refs/heads/main.lock") == [])
  }

  @Test func `a reference's lock that a killed verso left goes`() throws {
    let patient = try Patient()
    try patient.shell(
      """
      git rev-parse HEAD >.git/verso/ref.new && echo refs/heads/main >.git/verso/ref.name
      ln .git/verso/ref.new .git/refs/heads/main.lock
      """)
    #expect(patient.look().troubles("locks").count == 1)
    #expect(patient.mend().fixed("locks").count == 1)
    #expect(patient.scratch.bytes(of: ".git/refs/heads/main.lock") == nil)
    #expect(patient.look().troubles == [])
  }

  @Test func `a lock that was made just now is no trouble`() throws {
    let patient = try Patient()
    try patient.shell(": >.git/index.lock")
    #expect(patient.look().troubles("locks").isEmpty)
  }

  @Test func `dead temporaries of ours go, those of git are counted and stay`() throws {
    let patient = try Patient()
    try patient.shell(
      """
      : >.git/objects/tmp_obj_verso_1 && : >.git/objects/pack/tmp_pack_verso_1
      : >.git/verso/named.1.x.tmp && : >.git/verso/index.new
      head -c 3000000 /dev/zero >.git/objects/pack/tmp_pack_AbCdEf
      touch -d '2 hours ago' .git/objects/pack/tmp_pack_AbCdEf
      """)
    #expect(patient.look().troubles("temporaries").count == 2)
    let doctor = patient.mend()
    #expect(doctor.fixed("temporaries").count == 1)
    #expect(doctor.troubles("temporaries").first?.message.contains("2 MiB") == true)
    let left = try run(
      ["sh", "-c", "ls .git/objects .git/objects/pack .git/verso"], in: patient.scratch.path)
    #expect(!left.text.contains("tmp_obj_verso") && !left.text.contains(".tmp"))
    #expect(!left.text.contains("index.new") && left.text.contains("tmp_pack_AbCdEf"))
  }

  @Test func `what an earlier command was killed in is finished`() throws {
    let patient = try Patient()
    try patient.scratch.write("verso-journal 1\noper", to: ".git/verso/journal")
    #expect(patient.look().troubles("journal").count == 1)
    #expect(patient.mend().fixed("journal").count == 1)
    #expect(patient.look().troubles == [])
  }

  // MARK: Rules and permissions

  @Test func `tracked litter leaves the next version and stays on disk`() throws {
    let patient = try Patient()
    try patient.scratch.write("swap", to: ".note.md.swp")
    try patient.scratch.write("layout", to: ".obsidian/workspace.json")
    try patient.shell("git add -f . && git commit -qm adopted")
    #expect(patient.look().troubles("litter").count == 1)
    #expect(patient.mend().fixed("litter").count == 1)
    #expect(patient.look().troubles("litter").isEmpty)
    try patient.save()
    #expect(
      try patient.scratch.git("ls-tree", "-r", "--name-only", "HEAD") == "ideas/todo.md\nnote.md")
    #expect(patient.scratch.text(of: ".note.md.swp") == "swap")
    #expect(patient.scratch.text(of: ".obsidian/workspace.json") == "layout")
    #expect(try patient.scratch.git("status", "--porcelain") == "")
  }

  @Test func `what a user's own rules claim back is no litter`() throws {
    let patient = try Patient()
    try patient.scratch.write("mine", to: "letter.md~")
    try patient.scratch.write("!*~\n", to: ".gitignore")
    try patient.shell("git add -f . && git commit -qm adopted")
    #expect(patient.mend().findings.filter { $0.topic == "litter" }.map(\.level) == [.good])
    #expect(try patient.scratch.git("ls-files", "letter.md~") == "letter.md~")
  }

  @Test func `the ignore block is put back, and the user's lines stay`() throws {
    let patient = try Patient()
    try patient.scratch.write("mine.txt\n", to: ".git/info/exclude")
    #expect(patient.look().troubles("ignore").count == 1)
    #expect(patient.mend().fixed("ignore").count == 1)
    let text = try #require(patient.scratch.text(of: ".git/info/exclude"))
    #expect(text.hasSuffix("mine.txt\n") && text.hasPrefix(DefaultExcludes.begin))
  }

  @Test func `an open git directory is closed, unless it is shared on purpose`() throws {
    let patient = try Patient()
    try patient.shell("chmod 755 .git")
    #expect(patient.look().troubles("private").count == 1)
    #expect(patient.mend().fixed("private").count == 1)
    var status = stat()
    #expect(stat(patient.scratch.at(".git"), &status) == 0 && status.st_mode & 0o777 == 0o700)
    try patient.shell("chmod 2775 .git && git config core.sharedRepository group")
    #expect(patient.mend().fixed("private").isEmpty)
    #expect(patient.look().troubles("private").isEmpty)
  }

  // MARK: Manners

  @Test func `a dry run says what it would do and changes nothing`() throws {
    let patient = try Patient()
    try patient.shell(
      "chmod 755 .git && : >.git/index && : >.git/info/exclude && ln .git/verso/token .git/index.lock"
    )
    let before = try patient.gitDirectory()
    let doctor = patient.mend(isDryRun: true)
    let planned = doctor.findings.filter { $0.deed == .planned }
    #expect(Set(planned.map(\.topic)) == ["private", "index", "ignore", "locks"])
    #expect(planned.allSatisfy { $0.hint?.hasPrefix("would ") == true && $0.level != .good })
    #expect(try patient.gitDirectory() == before)
  }

  @Test func `nothing is mended while another verso works, and it says so`() throws {
    let patient = try Patient()
    try patient.shell("chmod 755 .git && ln .git/verso/token .git/index.lock")
    let lock = try Engine(root: patient.scratch.path).lockVault(wait: 1)
    let doctor = patient.mend()
    #expect(doctor.refusal?.code == .locked)
    #expect(doctor.findings.allSatisfy { !$0.isFixed })
    #expect(doctor.troubles("private").count == 1, "the look goes on")
    #expect(doctor.troubles("locks").isEmpty, "the lock may be that other verso's")
    _ = consume lock
    #expect(patient.mend().fixed("private").count == 1)
  }

  @Test func `mending twice finds nothing the second time`() throws {
    let patient = try Patient()
    try patient.shell("chmod 755 .git && : >.git/index && : >.git/info/exclude")
    #expect(patient.mend().findings.count(where: \.isFixed) == 3)
    let before = try patient.gitDirectory()
    #expect(patient.mend().troubles == [])
    #expect(try patient.gitDirectory() == before)
  }
}
