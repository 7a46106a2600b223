import Testing
import VersoSync
import VersoTestSupport

@Suite struct RemoteAddressTests {
  @Test(
    arguments: [
      ("host:notes.git", nil, "host", nil, "notes.git"),
      ("ada@host:/srv/a b.git", "ada", "host", nil, "/srv/a b.git"),
      ("[::1]:x", nil, "::1", nil, "x"),
      ("[host:2222]:x", nil, "host", "2222", "x"),
      ("ssh://ada@host:2222/srv/x.git", "ada", "host", "2222", "/srv/x.git"),
      ("ssh://host/~/x.git", nil, "host", nil, "~/x.git"),
      ("ssh://host/a%20b", nil, "host", nil, "/a b"),
      ("git+ssh://[::1]:22/x", nil, "::1", "22", "/x"),
    ] as [(String, String?, String, String?, String)])
  func `ssh addresses are read as git reads them`(
    text: String, user: String?, host: String, port: String?, path: String
  ) throws {
    guard case .ssh(let target) = try RemoteAddress(text).transport else {
      Issue.record("no ssh address")
      return
    }
    #expect(target.user == user)
    #expect(target.host == host)
    #expect(target.port == port)
    #expect(target.path == path)
  }

  @Test(arguments: ["/srv/x.git", "../x", "./a:b", "a/b:c", ".", "/a://b"])
  func `what has a slash first is a path`(text: String) throws {
    #expect(try RemoteAddress(text).transport == .path(text))
  }

  @Test(arguments: [
    "-x", "--upload-pack=touch /tmp/x", "ext::sh -c touch% x", "EXT::x", "fd::17", "::x",
    "ssh://-oProxyCommand=touch/x", "ssh://ada@-oProxyCommand=x/y", "-oProxyCommand=x:y",
    "-\u{301}x", "host:-\u{301}x", "ssh://-\u{301}x/y", "ssh://-\u{301}x@host/y",
    "ssh://%2DoProxyCommand=x/y", "host:-x", "ssh://host", "ssh://a;b@host/x", "ssh://ho$(x)st/y",
    "ssh://host:2222;x/y", "ho`x`st:y", "ada@:x", "ssh:///x", "http:///x", "http://-h/x",
    "a\nb", "host:a\u{0}b", "host:a\u{1B}[2J", "ssh://host/a%0Ab", "http://host/%0a",
    "https://a:b%0Ac@host/x", "ftp://host/x", "rsync://host/x", "foo://host/x",
    "ssh://ada:secret@host/x", "git://-x/y", "",
  ])
  func `an address that could be more than an address is refused`(text: String) throws {
    let error = try failure { try RemoteAddress(text) }
    #expect(error.reason == .badAddress)
    #expect(!error.message.unicodeScalars.contains { $0.value < 0x20 })
    #expect(!error.message.contains("secret"))
  }

  @Test func `credentials are taken out of what is shown`() throws {
    let address = try RemoteAddress("https://ada:t%40ken@host:8443/x.git")
    #expect(address.text == "https://ada@host:8443/x.git")
    #expect(address.credentials == .init(user: "ada", password: "t@ken"))
    #expect(try RemoteAddress("https://ada@host/x").credentials == nil)
    #expect(try RemoteAddress("https://:t@host/x").text == "https://host/x")
    #expect(try RemoteAddress("https://a:b@c@host/x").text == "https://a@host/x")
  }
}

@Suite struct HostileRemoteTests {
  @Test(arguments: [
    "--upload-pack=touch ran", "ext::sh -c 'touch ran'", "ssh://-oProxyCommand=touch ran/x", "a\nb",
  ])
  func `nothing runs for a hostile address, by itself or as a remote's`(address: String) throws {
    let desk = try RemoteDesk()
    try desk.vault("a")
    let shim = try desk.shim(
      "ssh", "touch \(desk.scratch.at("ran"))")
    #expect(
      try failure { try desk.exchange(remote: address, environment: shim) }.reason == .badAddress)
    try desk.scratch.git("-C", "a", "config", "remote.origin.url", address)
    try desk.scratch.git("-C", "a", "config", "protocol.ext.allow", "always")
    #expect(try failure { try desk.exchange(environment: shim) }.reason == .badAddress)
    #expect(desk.scratch.bytes(of: "ran") == nil)
    #expect(desk.scratch.bytes(of: "a/ran") == nil)
  }

  @Test(arguments: [
    "-x", "a b", "a:b", "+main", "a..b", "a.lock", "", "/a", "a/", "a\nb", "@{-1}", "x~",
  ])
  func `a branch that is none is refused`(branch: String) throws {
    let desk = try RemoteDesk()
    try desk.vault("a")
    guard branch != "+main" else {
      // Allowed by git; it must not become a forced refspec.
      try desk.commit("one")
      let exchange = try desk.exchange(branch: branch)
      #expect(try exchange.push(try desk.id("HEAD", in: "a")) == .pushed)
      #expect(try exchange.fetch().after == desk.id("HEAD", in: "a"))
      return
    }
    #expect(try failure { try desk.exchange(branch: branch) }.reason == .badAddress)
  }

  @Test func `a remote that needs a program of its own is not used`() throws {
    let desk = try RemoteDesk()
    try desk.vault("a")
    try desk.scratch.git("-C", "a", "config", "remote.origin.vcs", "hg")
    #expect(try failure { try desk.exchange() }.reason == .badAddress)
  }
}
