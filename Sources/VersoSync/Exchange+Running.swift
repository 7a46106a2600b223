import VersoGit

extension Attendance.Result {
  var isClean: Bool { interference == nil && result.succeeded }
}

extension Exchange {
  /// Runs a git command to its success.
  func perform(
    _ command: [String], _ side: RemoteSide, _ rest: [String] = []
  ) throws(ExchangeError) -> Subprocess.Result {
    let run = try attempt(command, side, rest)
    guard run.isClean else { throw error(of: run, at: side) }
    return run.result
  }

  /// Runs a git command, once more on a new connection where it may be the shared one that failed.
  func attempt(
    _ command: [String], _ side: RemoteSide, _ rest: [String]
  ) throws(ExchangeError) -> Attendance.Result {
    guard let shell = side.shell, shell.controlPath != nil else {
      return try once(command, side, rest, sharing: false)
    }
    let wasShared = shell.isShared
    let first = try once(command, side, rest, sharing: true, wasShared: wasShared)
    guard !first.isClean, wasShared, isTransportFailure(first, side) else { return first }
    shell.disconnect()
    return try once(command, side, rest, sharing: false)
  }

  private func isTransportFailure(_ run: Attendance.Result, _ side: RemoteSide) -> Bool {
    if run.interference == .cancelled || run.interference == .late { return false }
    if run.interference != nil { return true }
    return error(of: run, at: side).isTransient
      || run.result.errorText.contains("mux_client")
  }

  /// Seconds that an open connection has to show that it is alive, before a new one is tried.
  private static let reuseLimit = 10.0

  private func once(
    _ command: [String], _ side: RemoteSide, _ rest: [String], sharing: Bool,
    wasShared: Bool = false
  ) throws(ExchangeError) -> Attendance.Result {
    let mayAsk = prompting == .terminal && Attendance.canAsk
    let keepsHooks = command.first == "push" && git.usesLargeFileHook
    let words =
      git.options(keepsHooks: keepsHooks, mayAsk: mayAsk) + command + ["--", side.argument] + rest
    let program = Subprocess(
      "git", words.map { Subprocess.Argument(Array($0.utf8)) },
      environment: git.environment(
        for: side,
        shellCommand: side.shell?.fullCommand(
          connect: limits.connect, mayAsk: mayAsk, sharing: sharing),
        mayAsk: mayAsk, stall: limits.stall),
      directory: side.shell?.directory ?? git.directory)
    return try run(program, silence: silence(side, mayAsk, wasShared), mayAsk: mayAsk)
  }

  /// How long nothing at all may be heard: ssh itself minds ``ExchangeLimits/connect``, and who is
  /// asked for a passphrase may take any time.
  private func silence(_ side: RemoteSide, _ mayAsk: Bool, _ wasShared: Bool) -> Double? {
    if mayAsk { return nil }
    switch side.address.transport {
    case .path: return limits.stall
    case .ssh: return wasShared ? min(Self.reuseLimit, limits.connect) : limits.stall
    case .web, .daemon: return limits.connect
    }
  }

  func run(
    _ program: Subprocess, silence: Double?, mayAsk: Bool
  ) throws(ExchangeError) -> Attendance.Result {
    var attendance = Attendance(
      silence: silence, stall: limits.stall, total: limits.total, mayAsk: mayAsk,
      isCancelled: isCancelled)
    if let progress {
      attendance.onText = { bytes in
        let lines = bytes.split { $0 == UInt8(ascii: "\r") || $0 == UInt8(ascii: "\n") }
        if let last = lines.last { progress(String(decoding: last, as: UTF8.self)) }
      }
    }
    do throws(SubprocessError) {
      return try program.run(attended: attendance)
    } catch {
      throw GitProgram.missing(error)
    }
  }

  // MARK: The shared connection

  /// Whether asking costs no new connection: an open one of ssh's, or a path on this machine.
  package var isConnected: Bool {
    switch source.address.transport {
    case .path: true
    case .ssh: source.shell?.isConnected ?? false
    case .web, .daemon: false
    }
  }

  /// Closes the connection that ``SharedConnection`` keeps open, if there is one.
  package func disconnect() {
    source.shell?.disconnect()
    destination.shell?.disconnect()
  }
}
