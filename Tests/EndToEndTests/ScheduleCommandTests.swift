import Foundation
import Glibc
import Testing
import VersoTestSupport

/// The program at a place where it could be installed: `.build` is none.
struct Installed {
  let scratch: Scratch
  var program: String { scratch.at("bin/verso") }

  init() throws {
    scratch = try Scratch("installed")
    try run(["mkdir", scratch.at("bin"), scratch.at("home")])
    let copied = try run(["cp", Verso.binary, program])
    guard copied.status == 0 else { throw Failure(copied.error) }
    try run(["chmod", "755", scratch.path])
  }

  var environment: [String: String] {
    ["HOME": scratch.at("home"), "XDG_STATE_HOME": scratch.at("state")]
  }

  @discardableResult
  func verso(_ arguments: String..., more: [String: String] = [:]) throws -> Outcome {
    try run(
      [program] + arguments, in: scratch.path, environment: environment.merging(more) { $1 })
  }

  func vault(_ name: String) throws -> String {
    try scratch.write("one\n", to: "\(name)/note.md")
    let made = try verso("init", "-q", scratch.at(name))
    guard made.status == 0 else { throw Failure(made.error) }
    return scratch.at(name)
  }

  /// Whether the program can do what a schedule runs; else a wrapper saves in its stead.
  static let hasSync = (try? Verso.run("help", "sync"))?.status == 0

  /// A program that notes its words and environment, and does what a schedule wants.
  func wrapper() throws -> String {
    let sync = #"exec "$real" "$@""#
    let save = #"[ "$1 $2" = "sync -q" ] && exec "$real" save -q -C "$3"; exit 99"#
    let script = """
      #!/bin/sh
      here=$(dirname "$0"); real=$here/verso
      env > "$here/environment"; printf '%s\\n' "$@" > "$here/words"
      \(Self.hasSync ? sync : save)
      """
    let path = try scratch.write(script + "\n", to: "bin/wrapper")
    try run(["chmod", "755", path])
    return path
  }
}

@Suite struct ScheduleCommandTests {
  @Test func `a program below a .build is refused, with the command that installs it`() throws {
    let installed = try Installed()
    let vault = try installed.vault("notes")
    try run(["mkdir", "-p", installed.scratch.at(".build/debug")])
    try run(["cp", installed.program, installed.scratch.at(".build/debug/verso")])
    let refused = try run(
      [installed.scratch.at(".build/debug/verso"), "schedule", "add", "--print", vault],
      environment: installed.environment)
    #expect(refused.status == 5 && refused.text == "")
    #expect(refused.error.contains("sudo install .build/release/verso /usr/local/bin/verso"))
  }

  @Test func `--print shows both kinds and installs nothing`() throws {
    let installed = try Installed()
    let vault = try installed.vault("my notes")
    let cron = try installed.verso("schedule", "add", "--cron", "--every", "1h", "--print", vault)
    #expect(cron.status == 0)
    #expect(
      cron.text.contains(
        /^\d+ \* \* \* \* \/\S+\/bin\/verso sync -q '\/\S+\/my notes' # verso schedule [0-9a-f]{16}\n$/
      ))
    let units = try installed.verso("schedule", "add", "--systemd", "--print", vault)
    #expect(units.status == 0)
    #expect(units.text.contains("\n[Timer]\n") && units.text.contains("my\\x20notes.timer\n"))
    let lines = try installed.verso("schedule", "add", "--systemd", "--print", "--json", vault)
    let objects = try Notes.objects(lines.text)
    #expect(objects.count == 2)
    for object in objects {
      let unit = "\(object["unit"] ?? "")"
      #expect(units.text.contains("# \(unit)\n\(object["message"] ?? "")"))
    }
    let list = try installed.verso("schedule", "list", vault)
    #expect(list.status == 0 && list.text == "nothing is scheduled\n")
    #expect(access(installed.scratch.at("home/.config"), F_OK) != 0)
  }

  @Test func `a link in PATH is the name that stays`() throws {
    let installed = try Installed()
    let vault = try installed.vault("notes")
    try run(["mkdir", installed.scratch.at("links")])
    try run(["ln", "-s", installed.program, installed.scratch.at("links/verso")])
    let path = installed.scratch.at("links") + ":/usr/bin:/bin"
    let shown = try installed.verso(
      "schedule", "add", "--cron", "--print", vault, more: ["PATH": path])
    #expect(shown.text.contains(" \(installed.scratch.at("links/verso")) sync -q "))
  }

  @Test(arguments: [
    (["add", "--cron", "--every", "7m"], "give 6m or 10m"),
    (["add", "--cron", "--watch"], "leave --watch or --cron out"),
    (["add", "--cron", "--systemd"], "leave one of them out"),
    (["add", "--systemd", "--every", "1s"], "give at least 10s"),
    (["frob"], "write one of add, remove, list"), ([], "run 'verso help schedule'"),
  ])
  func `a wrong command line ends with 2 and says what is right`(
    words: [String], hint: String
  ) throws {
    let installed = try Installed()
    let vault = try installed.vault("notes")
    let outcome = try run(
      [installed.program, "-C", vault, "schedule"] + words, environment: installed.environment)
    #expect(outcome.status == 2 && outcome.error.contains(hint), "\(outcome.error)")
  }

  @Test func `a folder that is no vault, and a machine without either, are said`() throws {
    let installed = try Installed()
    let vault = try installed.vault("notes")
    let none = try installed.verso("schedule", "add", installed.scratch.at("home"))
    #expect(none.status == 1 && none.error.contains("verso init"))
    let bare = try installed.verso("schedule", "add", vault, more: ["PATH": "/nonexistent"])
    #expect(bare.status == 1)
    #expect(bare.error.contains("neither systemd") && bare.error.contains("--print"))
  }

  /// A `systemctl` and a `crontab` that work on files.
  private func machine(_ installed: Installed) throws -> [String: String] {
    try installed.scratch.write(
      """
      #!/bin/sh
      echo "$@" >> "\(installed.scratch.path)/calls"
      case "$*" in *is-system-running*) echo running;; *is-active*|*is-enabled*) exit 3;; esac
      """, to: "fake/systemctl")
    try installed.scratch.write(
      """
      #!/bin/sh
      f="\(installed.scratch.path)/crontab"
      [ "$1" = -u ] && shift 2
      case "$1" in
        -l) [ -e "$f" ] && cat "$f" || { echo "no crontab for me" >&2; exit 1; };;
        -r) rm "$f";;
        -) cat > "$f";;
      esac
      """, to: "fake/crontab")
    try run([
      "chmod", "755", installed.scratch.at("fake/systemctl"), installed.scratch.at("fake/crontab"),
    ])
    return ["PATH": installed.scratch.at("fake") + ":/usr/bin:/bin"]
  }

  @Test func `cron: add, list, forget`() throws {
    let installed = try Installed()
    let vault = try installed.vault("notes")
    let machine = try machine(installed)
    try installed.scratch.write("MAILTO=ada\n", to: "crontab")
    let added = try installed.verso("schedule", "add", "--cron", vault, more: machine)
    #expect(added.status == 0)
    #expect(added.text == "\(vault) is synchronised every 10m from now on (crontab)\n")
    let again = try installed.verso("schedule", "add", "--cron", vault, more: machine)
    #expect(again.text == "\(vault) is scheduled like that already (crontab)\n")
    let lines = (installed.scratch.text(of: "crontab") ?? "").split(separator: "\n")
    #expect(lines.count == 2 && lines[0] == "MAILTO=ada")
    let list = try installed.verso("schedule", "list", more: machine)
    #expect(list.text.contains(/notes  every 10m, by crontab, next \d{4}-\d\d-\d\d \d\d:\d\d\n$/))
    let object = try #require(
      try Notes.objects(
        installed.verso("schedule", "list", "--json", vault, more: machine).text
      ).first)
    #expect(object["event"] as? String == "scheduled" && object["vault"] as? String == vault)
    #expect(object["means"] as? String == "cron" && object["next"] is String)
    try run(["mv", installed.program, installed.program + "-gone"])
    let gone = try run(
      [installed.program + "-gone", "schedule", "list"],
      environment: installed.environment.merging(machine) { $1 })
    #expect(gone.text.contains("\(installed.program) is missing"))
    try run(["mv", installed.program + "-gone", installed.program])
    let dry = try installed.verso("forget", "--dry-run", vault, more: machine)
    #expect(dry.text.contains("would be scheduled no more"))
    let forgotten = try installed.verso("forget", vault, more: machine)
    #expect(forgotten.status == 0 && forgotten.text.contains("is scheduled no more (crontab)\n"))
    #expect(installed.scratch.text(of: "crontab") == "MAILTO=ada\n")
  }

  @Test func `a vault that is gone can be taken out by its name`() throws {
    let installed = try Installed()
    let vault = try installed.vault("notes")
    let machine = try machine(installed)
    try installed.verso("schedule", "add", "--cron", vault, more: machine)
    try run(["rm", "-r", vault])
    #expect(try installed.verso("forget", vault, more: machine).status == 0)
    #expect(installed.scratch.bytes(of: "crontab") == nil)
    #expect(installed.scratch.text(of: "state/verso/vaults") == "")
  }

  @Test(.enabled(if: Nobody.isAvailable))
  func `as a user: user units, and the command that lets them linger`() throws {
    let installed = try Installed()
    let machine = try machine(installed)
    try installed.scratch.write("one\n", to: "notes/note.md")
    try run(["touch", installed.scratch.at("calls")])
    try Nobody.own(installed.scratch)
    let environment = installed.environment.merging(machine) { $1 }
    func verso(_ words: String...) throws -> Outcome {
      try run(
        ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", installed.program] + words,
        in: installed.scratch.at("notes"), environment: environment)
    }
    #expect(try verso("init", "-q").status == 0)
    let added = try verso("schedule", "add", "--every", "30m")
    #expect(added.status == 0, "\(added.error)")
    #expect(added.text.contains("loginctl enable-linger nobody\n"))
    let folder = installed.scratch.at("home/.config/systemd/user")
    let names = try FileManager.default.contentsOfDirectory(atPath: folder)
    #expect(names.count == 2)
    let calls = installed.scratch.text(of: "calls") ?? ""
    #expect(calls.contains("--user --no-pager --no-ask-password enable verso-"))
    let listed = try verso("schedule", "list")
    #expect(listed.text.contains("notes  every 30m, by verso-"))
    #expect(try verso("schedule", "remove").text.contains("is scheduled no more"))
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder).isEmpty)
  }

  @Test(.enabled(if: Nobody.isAvailable))
  func `as root: another user's vault is run as that user`() throws {
    let installed = try Installed()
    try installed.scratch.write("one\n", to: "notes/note.md")
    try run(["chown", "-R", "65534:65534", installed.scratch.at("notes")])
    let made = try Nobody.verso("init", "-q", in: installed.scratch.at("notes"))
    #expect(made.status == 0, "\(made.error)")
    let shown = try installed.verso(
      "schedule", "add", "--systemd", "--print", installed.scratch.at("notes"))
    #expect(shown.status == 0 && shown.text.contains("\nUser=nobody\n"), "\(shown.error)")
  }
}

/// What a schedule runs, in the environments in which it is run.
@Suite struct ScheduledRunTests {
  /// Runs a shell command with nothing in the environment but what cron gives (crontab(5)).
  private func asCron(_ command: String, home: String, in folder: String) throws -> Outcome {
    try run(
      [
        "env", "-i", "HOME=\(home)", "LOGNAME=ada", "SHELL=/bin/sh", "PATH=/usr/bin:/bin",
        "/bin/sh",
        "-c", command,
      ], in: folder)
  }

  @Test func `the crontab's line works with cron's environment`() throws {
    let installed = try Installed()
    let vault = try installed.vault("my %notes 'x'")
    try installed.scratch.write("two\n", to: "my %notes 'x'/note.md")
    let line = try installed.verso("schedule", "add", "--cron", "--print", vault).text
    let parts = line.split(separator: " ", maxSplits: 5)
    let command = String(parts[5]).replacing("\\%", with: "%")
      .replacing(installed.program + " ", with: try installed.wrapper() + " ")
    let done = try asCron(command, home: installed.scratch.at("home"), in: "/")
    #expect(done.status == 0 && done.text == "" && done.error == "", "\(done.error)")
    let log = try run(["git", "-C", vault, "log", "--format=%an %s"]).text
    #expect(log.split(separator: "\n").count == 2 && log.contains("Edit note.md"))
    // Nothing to do is quiet too.
    let again = try asCron(command, home: installed.scratch.at("home"), in: "/")
    #expect(again.status == 0 && again.text + again.error == "")
  }

  @Test func `without HOME, as systemd runs root's services, everything works`() throws {
    let installed = try Installed()
    let vault = try installed.vault("notes")
    try installed.scratch.write("two\n", to: "notes/note.md")
    func bare(_ words: String...) throws -> Outcome {
      try run(
        [
          "env", "-i", "PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin", "LANG=C.UTF-8",
          "INVOCATION_ID=0", "XDG_STATE_HOME=\(installed.scratch.at("state"))", installed.program,
        ] + words, in: "/")
    }
    for words in [["save", "-q", "-C", vault], ["status", "-C", vault], ["status", "--all"]] {
      let done = try run(
        [
          "env", "-i", "PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin", "LANG=C.UTF-8",
          "INVOCATION_ID=0", "XDG_STATE_HOME=\(installed.scratch.at("state"))", installed.program,
        ] + words, in: "/")
      #expect(done.status == 0 && done.error == "", "\(words): \(done.error)")
    }
    #expect(try bare("log", "-C", vault).text.contains("Edit note.md"))
    #expect(try bare("doctor", "-q", vault).status <= 3)
    // Not even a PATH.
    try installed.scratch.write("three\n", to: "notes/note.md")
    let naked = try run(["env", "-i", installed.program, "save", "-q", "-C", vault])
    #expect(naked.status == 0 && naked.error == "", "\(naked.error)")
    if Installed.hasSync { #expect(try bare("sync", "-q", vault).status == 0) }
  }

  /// Whether a cron can be run here that sees no crontab but the test's.
  private static let canRunCron: Bool = {
    guard geteuid() == 0, access("/usr/sbin/cron", X_OK) == 0 else {
      print("no root, or cron is not installed: no real cron was run")
      return false
    }
    let isApart = (try? run(["unshare", "-m", "true"]))?.status == 0
    if !isApart { print("mount namespaces are not allowed: no real cron was run") }
    return isApart
  }()

  /// Takes until the next minute.
  @Test(.enabled(if: canRunCron))
  func `a real cron runs the line, as the vault's owner`() throws {
    let installed = try Installed()
    let name = "my %notes 'x' ü"
    try installed.scratch.write("one\n", to: "\(name)/note.md")
    let wrapper = try installed.wrapper()
    try run(["chown", "-R", "64123:64123", installed.scratch.path])
    let setup = """
      mount -t tmpfs none /var/spool/cron
      mkdir -m 1730 /var/spool/cron/crontabs
      chgrp crontab /var/spool/cron/crontabs
      mount -t tmpfs none /run
      cp -r /etc/cron.d empty; rm -rf empty/*; mount --bind empty /etc/cron.d
      : > nothing; mount --bind nothing /etc/crontab
      cp /etc/passwd passwd; echo "verso-ada:x:64123:64123::$2/home:/bin/sh" >> passwd
      cp /etc/shadow shadow; echo "verso-ada:*:19000:0:99999:7:::" >> shadow
      mount --bind passwd /etc/passwd; mount --bind shadow /etc/shadow
      own() { setpriv --reuid=64123 --regid=64123 --clear-groups --inh-caps=-all "$@"; }
      export HOME="$2/home"
      own "$1" init -q "$3"
      printf 'two\\n' > "$3/note.md"
      printf '# mine\\n' | crontab -u verso-ada -
      "$1" schedule add --cron --every 1m -q "$3"
      crontab -u verso-ada -l > installed
      sed -i "s|$1 |$4 |" installed
      crontab -u verso-ada installed
      """
    let wait = """
      cron -f & cron=$!
      n=0
      until own git -C "$3" log --format=%s 2>&1 | grep -q "Edit note.md"; do
        n=$((n + 1)); [ $n -lt 750 ] || { kill $cron; exit 75; }
        sleep 0.1
      done
      kill $cron
      "$1" schedule remove -q "$3"
      crontab -u verso-ada -l > left
      """
    let outcome = try run(
      Notes.unblocked + [
        "unshare", "-m", "--propagation", "private", "sh", "-euc", setup + "\n" + wait, "sh",
        installed.program, installed.scratch.path, installed.scratch.at(name), wrapper,
      ], in: installed.scratch.path, environment: ["XDG_STATE_HOME": installed.scratch.at("state")],
      deadline: 120)
    #expect(outcome.status == 0, "\(outcome.text)\(outcome.error)")
    let crontab = installed.scratch.text(of: "installed") ?? ""
    #expect(crontab.hasPrefix("# mine\n* * * * * \(wrapper) sync -q '"), "\(crontab)")
    #expect(installed.scratch.text(of: "left") == "# mine\n")
    let words = installed.scratch.text(of: "bin/words")
    #expect(words == "sync\n-q\n\(installed.scratch.at(name))\n")
    // That is all that cron gives, besides what the shell adds.
    let lines = Set((installed.scratch.text(of: "bin/environment") ?? "").split(separator: "\n"))
    let own = lines.filter { line in
      !["PWD=", "OLDPWD=", "SHLVL=", "_="].contains { line.hasPrefix($0) }
    }
    let names = Set(own.map { String($0.prefix { $0 != "=" }) })
    #expect(names.isSubset(of: ["HOME", "LOGNAME", "SHELL", "PATH", "LANG", "USER"]), "\(names)")
    #expect(lines.contains("PATH=/usr/bin:/bin") && lines.contains("SHELL=/bin/sh"))
    let owner = try run(["stat", "-c", "%u", installed.scratch.at("\(name)/.git/index")]).text
    #expect(owner == "64123\n")
  }
}
