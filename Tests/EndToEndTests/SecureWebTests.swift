import Foundation
import Testing
import VersoTestSupport

/// https with certificates that no authority has signed: `git http-backend` behind TLS on the loopback.
@Suite struct SecureWebTests {
  /// A server with a repository `hub.git`, ended with its last reference.
  private final class Server {
    let scratch: Scratch
    let port: Int
    private let process = Process()
    var address: String { "https://127.0.0.1:\(port)/hub.git" }

    /// - Parameter certificate: The name of a certificate that ``certify(_:for:in:)`` made.
    init(_ scratch: Scratch, certificate: String) throws {
      self.scratch = scratch
      try run(["git", "init", "-q", "--bare", "-b", "main", scratch.at("hub.git")])
      try run(["git", "-C", scratch.at("hub.git"), "config", "http.receivepack", "true"])
      try scratch.write(Self.script, to: "server.py")
      process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
      process.arguments = [
        "python3", scratch.at("server.py"), scratch.path, scratch.at("\(certificate).pem"),
      ]
      process.environment = hermeticEnvironment
      process.standardInput = FileHandle.nullDevice
      process.standardError = FileHandle.nullDevice
      try process.run()
      var said: String?
      try Notes.wait {
        said = scratch.text(of: "port").flatMap { $0.hasSuffix("\n") ? $0 : nil }
        return said != nil
      }
      port = try #require(said.flatMap { Int($0.dropLast()) })
    }

    // What a test starts has its signals blocked.
    deinit { kill(process.processIdentifier, SIGKILL) }

    private static let script = """
      import os, ssl, subprocess, sys
      from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

      root, certificate = sys.argv[1:]

      class Handler(BaseHTTPRequestHandler):
          protocol_version = 'HTTP/1.0'

          def answer(self):
              path, _, query = self.path.partition('?')
              size = int(self.headers.get('Content-Length') or 0)
              environment = dict(
                  os.environ, GIT_PROJECT_ROOT=root, GIT_HTTP_EXPORT_ALL='1', PATH_INFO=path,
                  QUERY_STRING=query, REQUEST_METHOD=self.command, REMOTE_USER='ada',
                  REMOTE_ADDR='127.0.0.1', CONTENT_TYPE=self.headers.get('Content-Type') or '',
                  CONTENT_LENGTH=str(size),
                  HTTP_CONTENT_ENCODING=self.headers.get('Content-Encoding') or '',
                  GIT_PROTOCOL=self.headers.get('Git-Protocol') or '')
              done = subprocess.run(
                  ['git', 'http-backend'], input=self.rfile.read(size), env=environment,
                  stdout=subprocess.PIPE)
              head, _, body = done.stdout.partition(b'\\r\\n\\r\\n')
              fields = dict(line.split(': ', 1) for line in head.decode().split('\\r\\n') if line)
              self.send_response(int(fields.pop('Status', '200 OK').split()[0]))
              for key, value in fields.items():
                  self.send_header(key, value)
              # Without it the end would be that of the connection, which TLS wants announced.
              self.send_header('Content-Length', str(len(body)))
              self.end_headers()
              self.wfile.write(body)

          do_GET = do_POST = answer

      server = ThreadingHTTPServer(('127.0.0.1', 0), Handler)
      context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
      context.load_cert_chain(certificate)
      server.socket = context.wrap_socket(server.socket, server_side=True)
      with open(root + '/port', 'w') as file:
          file.write(str(server.server_port) + '\\n')
      server.serve_forever()
      """
  }

  /// Makes `NAME.pem`, a key with a certificate that it signed itself.
  private static func certify(_ name: String, for host: String, in scratch: Scratch) throws {
    let made = try run([
      "openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1",
      "-nodes", "-days", "2", "-subj", "/CN=\(host)", "-addext", "subjectAltName=\(host)",
      "-keyout", scratch.at("\(name).key"), "-out", scratch.at("\(name).crt"),
    ])
    guard made.status == 0 else { throw Failure("openssl: \(made.error)") }
    let text = [".key", ".crt"].compactMap { scratch.text(of: name + $0) }.joined()
    try scratch.write(text, to: "\(name).pem")
  }

  /// A vault without a remote that trusts one certificate.
  private static func vault(trusting name: String, in scratch: Scratch) throws {
    try scratch.write("mine\n", to: "vault/note.md")
    guard try Verso.run("init", "-q", scratch.at("vault")).status == 0 else {
      throw Failure("init")
    }
    try run([
      "git", "-C", scratch.at("vault"), "config", "http.sslCAInfo", scratch.at("\(name).crt"),
    ])
  }

  @Test func `a certificate that the user trusts is enough to exchange`() throws {
    let scratch = try Scratch()
    try Self.certify("good", for: "IP:127.0.0.1", in: scratch)
    let server = try Server(scratch, certificate: "good")
    try Self.vault(trusting: "good", in: scratch)
    let made = try Verso.run("init", "--remote", server.address, scratch.at("vault"))
    #expect(made.status == 0, "\(made.error)")
    #expect(try run(["git", "-C", scratch.at("hub.git"), "show", "main:note.md"]).text == "mine\n")
    try scratch.write("more\n", to: "vault/more.md")
    let synced = try Verso.run("sync", scratch.at("vault"))
    #expect(synced.status == 0, "\(synced.error)")
    #expect(try run(["git", "-C", scratch.at("hub.git"), "show", "main:more.md"]).text == "more\n")
  }

  @Test(arguments: [("other", "IP:127.0.0.1"), ("good", "DNS:notes.invalid")])
  func `another certificate, or one for another name, is 6 and says so; all is saved`(
    trusted: String, host: String
  ) throws {
    let scratch = try Scratch()
    try Self.certify("good", for: host, in: scratch)
    try Self.certify("other", for: host, in: scratch)
    let server = try Server(scratch, certificate: "good")
    try Self.vault(trusting: trusted, in: scratch)
    for (key, value) in [("remote.origin.url", server.address), ("verso.remote", "origin")] {
      try run(["git", "-C", scratch.at("vault"), "config", key, value])
    }
    try scratch.write("more\n", to: "vault/more.md")
    let outcome = try Verso.run("sync", scratch.at("vault"))
    #expect(outcome.status == 6)
    #expect(
      outcome.error.contains("the certificate of 127.0.0.1:\(server.port) is not trusted"),
      "\(outcome.error)")
    #expect(outcome.error.contains("run once by hand: git -C"), "\(outcome.error)")
    #expect(try run(["git", "-C", scratch.at("vault"), "show", "HEAD:more.md"]).text == "more\n")
    #expect(try run(["git", "-C", scratch.at("hub.git"), "for-each-ref"]).text == "")
    // cron hears of it by the code, and reads one sentence.
    let quiet = try Verso.run("sync", "-q", scratch.at("vault"))
    #expect(quiet.status == 6 && quiet.text == "")
  }
}
