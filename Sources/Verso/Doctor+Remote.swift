import CLinux
import Glibc
import VersoDisk
import VersoGit
import VersoModel
import VersoSync

/// The remote: does it answer without asking anybody, by which keys, and how has it gone?
extension Doctor {
  mutating func checkRemote(_ engine: Engine) {
    guard let remote = engine.settings.remote else { return }
    checkRecord(engine, remote)
    let branch = engine.settings.branch ?? headBranch(engine) ?? "main"
    let exchange: Exchange
    do throws(ExchangeError) {
      exchange = try self.exchange(engine, remote, branch)
    } catch { return noteRemote(error, remote) }
    let isSecureShell = Self.isSecureShell(exchange.address)
    do throws(ExchangeError) {
      let tips = try exchange.tips()
      noteTips(tips, remote, branch, exchange)
      checkAgent(isSecureShell, answers: true)
      if isSecureShell { checkWithoutAgent(engine, remote, branch) }
    } catch {
      noteRemote(error, remote)
      checkAgent(isSecureShell, answers: error.reason != .authentication)
    }
    checkClock(of: exchange.references.fetched, remote, engine)
  }

  private func exchange(
    _ engine: Engine, _ remote: String, _ branch: String, environment: [String: String?] = [:]
  ) throws(ExchangeError) -> Exchange {
    let limit = options.remoteLimit
    return try Exchange(
      gitDirectory: engine.repository.gitDirectory, workTree: root, remote: remote,
      branch: branch, limits: ExchangeLimits(connect: limit, stall: limit, total: limit * 2),
      environment: environment)
  }

  private func headBranch(_ engine: Engine) -> String? {
    do throws(GitError) {
      guard case .branch(let name, _) = try engine.repository.head() else { return nil }
      return Engine.shortName(ofBranch: name)
    } catch { return nil }
  }

  private static func isSecureShell(_ address: String) -> Bool {
    do throws(ExchangeError) {
      if case .ssh = try RemoteAddress(address).transport { return true }
      return false
    } catch { return false }
  }

  private mutating func noteTips(
    _ tips: RemoteTips, _ remote: String, _ branch: String, _ exchange: Exchange
  ) {
    let what =
      tips.branch.map { "\(branch) is at \($0.short) there" }
      ?? (tips.isEmpty ? "it is empty" : "it has no branch \(branch) yet")
    note(
      .good, "remote", "\(remote) (\(exchange.address)) answers without asking anybody: \(what)")
  }

  private mutating func noteRemote(_ error: ExchangeError, _ remote: String) {
    // Away for a while is no illness; everything else stays until a person does something.
    let hint = error.byHand.map { "run once by hand: \($0)" }
    note(
      error.isTransient || error.reason == .noGit ? .look : .bad, "remote",
      "\(remote) does not answer as it should: \(error.message)", hint: hint)
  }

  // MARK: How it has gone

  private mutating func checkRecord(_ engine: Engine, _ remote: String) {
    guard let record = engine.lastSync else {
      return note(.good, "sync", "nothing has been synchronised with \(remote) yet")
    }
    let last =
      record.succeeded.map { "it last worked \(TimeText.minute($0))" } ?? "it never worked"
    guard let failure = record.failure, let since = record.failingSince else {
      return note(.good, "sync", "synchronising with \(remote): \(last)")
    }
    note(
      .look, "sync",
      "synchronising fails since \(TimeText.minute(since)) (\(last)): \(failure.message)",
      hint: "run: verso sync \(root)")
  }

  private mutating func checkClock(of reference: String, _ remote: String, _ engine: Engine) {
    do throws(GitError) {
      guard let id = try engine.repository.id(ofReference: reference) else { return }
      let ahead = try engine.repository.commit(id).time - engine.now().seconds
      if ahead > 600 {
        note(
          .look, "clock", "what \(remote) has is \(ahead / 60) minutes in the future",
          hint: "set the clock of this machine, or of the one that made \(id.short)")
      }
    } catch { note(.bad, "remote", "\(reference) cannot be read: \(error.message)") }
  }

  // MARK: Keys

  /// What an agent holds, by the exit code of ssh-add(1).
  enum Agent: Hashable { case unnamed, unreachable, empty, holds(Int) }

  private mutating func checkAgent(_ isSecureShell: Bool, answers: Bool) {
    guard isSecureShell else { return }
    let socket = Host.environment("SSH_AUTH_SOCK")
    var agent = Agent.unnamed
    if socket != nil {
      let outcome = Programs().run(
        ProgramRequest(arguments: ["ssh-add", "-l"], environment: ["LC_ALL": "C"], limit: 10))
      switch outcome.end {
      case .exit(0): agent = .holds(outcome.output.split(separator: 0x0A).count)
      case .exit(1): agent = .empty
      default: agent = .unreachable
      }
    }
    judge(agent, at: socket ?? "", answers: answers)
  }

  /// Judges the agent.
  ///
  /// - Parameter answers: Whether the remote took some key.
  mutating func judge(_ agent: Agent, at socket: String, answers: Bool) {
    switch agent {
    case .unreachable:
      note(
        answers ? .good : .look, "agent", "the ssh agent at \(socket) does not answer",
        hint: "start one, or take SSH_AUTH_SOCK out of the environment")
    case .holds(let count): note(.good, "agent", "the ssh agent at \(socket) holds \(count) keys")
    case .empty where answers, .unnamed where answers:
      note(.good, "agent", "the remote takes a key that needs no agent")
    case .empty:
      note(
        .look, "agent", "the ssh agent at \(socket) holds no key", hint: "run: ssh-add")
    case .unnamed:
      note(
        .look, "agent",
        "no ssh agent is named (SSH_AUTH_SOCK), and no key file works without asking",
        hint: "start an agent and run ssh-add, or make a key without a passphrase for this remote")
    }
  }

  /// cron and the system's services have no agent: what works at the terminal fails there.
  private mutating func checkWithoutAgent(
    _ engine: Engine, _ remote: String, _ branch: String
  ) {
    guard Host.environment("SSH_AUTH_SOCK") != nil,
      let entry = schedules.first(where: { isAgentless($0) })
    else { return }
    do throws(ExchangeError) {
      _ = try exchange(engine, remote, branch, environment: ["SSH_AUTH_SOCK": String?.none]).tips()
      note(.good, "agent", "\(entry.name) reaches \(remote) without an agent too")
    } catch {
      note(
        .look, "agent", "\(entry.name) has no ssh agent, and without one: \(error.message)",
        hint: "make a key without a passphrase for this remote, or name an agent in the crontab")
    }
  }

  private func isAgentless(_ entry: Scheduler.Entry) -> Bool {
    entry.root == Array(root.utf8) && (entry.means == .cron || geteuid() == 0)
  }
}
