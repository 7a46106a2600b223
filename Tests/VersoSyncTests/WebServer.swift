import Foundation
import VersoSync
import VersoTestSupport

/// `git http-backend` behind a small server on the loopback that wants a user and a password.
///
/// While it answers it looks at the arguments of all processes for what nobody must see.
final class WebServer {
  let port: Int
  private let server: Background
  private let sightings: String

  static let user = "ada"
  static let password = "pa:ss@wörd"
  /// The password as an address spells it.
  static let encoded = "pa%3Ass%40w%C3%B6rd"

  init(_ desk: RemoteDesk, status: Int? = nil) throws {
    port = try Listener.freePort()
    sightings = desk.scratch.at("sightings")
    try desk.scratch.write(Self.script, to: "server.py")
    try desk.scratch.git("-C", desk.bare, "config", "http.receivepack", "true")
    server = try Background(
      ["python3", desk.scratch.at("server.py")], log: desk.scratch.at("server.log"),
      environment: [
        "PORT": "\(port)", "ROOT": desk.scratch.path, "SIGHTINGS": sightings,
        "USER_AND_PASSWORD": "\(Self.user):\(Self.password)", "FIXED": status.map { "\($0)" } ?? "",
        "PYTHONUTF8": "1",
      ])
    let port = self.port
    try eventually("the web server listens") { Listener.answers(port) }
  }

  func address(_ credentials: String = "") -> String {
    "http://\(credentials)127.0.0.1:\(port)/remote.git"
  }

  /// How many requests were answered with a repository, and how often a secret was seen.
  var seen: (requests: Int, secrets: Int) {
    let text = FileManager.default.contents(atPath: sightings).map {
      String(decoding: $0, as: UTF8.self)
    }
    let lines = (text ?? "").split(separator: "\n")
    return (lines.count { $0 == "looked" }, lines.count { $0.hasPrefix("secret") })
  }

  private static let script = """
    import base64, glob, os, subprocess
    from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
    from urllib.parse import quote

    given = os.environ['USER_AND_PASSWORD']
    password = given.split(':', 1)[1]
    secrets = [password.encode(), quote(password, safe='').encode()]

    def look():
        for name in glob.glob('/proc/[0-9]*/cmdline'):
            try:
                words = open(name, 'rb').read()
            except OSError:
                continue
            for secret in secrets:
                if secret in words:
                    report('secret ' + repr(words))
        report('looked')

    def report(line):
        with open(os.environ['SIGHTINGS'], 'a') as file:
            file.write(line + '\\n')

    class Handler(BaseHTTPRequestHandler):
        protocol_version = 'HTTP/1.0'

        def fail(self, status, headers={}):
            self.send_response(status)
            for key, value in headers.items():
                self.send_header(key, value)
            self.end_headers()

        def answer(self):
            fixed = os.environ['FIXED']
            if fixed:
                headers = {'Location': 'http://127.0.0.1:1/x/'} if fixed.startswith('3') else {}
                return self.fail(int(fixed), headers)
            wanted = 'Basic ' + base64.b64encode(given.encode()).decode()
            if self.headers.get('Authorization') != wanted:
                return self.fail(401, {'WWW-Authenticate': 'Basic realm="notes"'})
            look()
            path, _, query = self.path.partition('?')
            size = int(self.headers.get('Content-Length') or 0)
            environment = dict(
                os.environ, GIT_PROJECT_ROOT=os.environ['ROOT'], GIT_HTTP_EXPORT_ALL='1',
                PATH_INFO=path, QUERY_STRING=query, REQUEST_METHOD=self.command,
                REMOTE_USER='ada', REMOTE_ADDR='127.0.0.1',
                CONTENT_TYPE=self.headers.get('Content-Type') or '', CONTENT_LENGTH=str(size),
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
            self.end_headers()
            self.wfile.write(body)

        do_GET = do_POST = answer

    ThreadingHTTPServer(('127.0.0.1', int(os.environ['PORT'])), Handler).serve_forever()
    """
}
