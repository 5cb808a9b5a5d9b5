/** The git side of the fake forge: `git http-backend`, the program that real servers use. */
import { spawn } from 'node:child_process'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { ForgeState } from './forge-state.ts'

export async function serveGit(
  root: string,
  onPush: ForgeState['onPush'],
  { request, response }: { request: IncomingMessage; response: ServerResponse },
): Promise<void> {
  const url = new URL(request.url ?? '', 'https://github.com')
  const isSent = request.method === 'POST' && url.pathname.endsWith('/git-receive-pack')
  if (isSent) onPush('sent')
  else if (url.searchParams.get('service') === 'git-receive-pack') onPush('asked')
  const backend = spawn('git', ['http-backend'], {
    env: {
      PATH: process.env['PATH'],
      GIT_CONFIG_NOSYSTEM: '1',
      GIT_PROJECT_ROOT: root,
      GIT_HTTP_EXPORT_ALL: '1',
      PATH_INFO: url.pathname.replace('/ada/', '/'),
      QUERY_STRING: url.search.slice(1),
      REQUEST_METHOD: request.method,
      REMOTE_USER: 'x',
      CONTENT_TYPE: request.headers['content-type'] ?? '',
      HTTP_CONTENT_ENCODING: request.headers['content-encoding'] ?? '',
      HTTP_GIT_PROTOCOL: String(request.headers['git-protocol'] ?? ''),
    },
    stdio: ['pipe', 'pipe', 'ignore'],
  })
  request.pipe(backend.stdin)
  backend.stdin.on('error', () => undefined)
  const chunks: Buffer[] = []
  for await (const chunk of backend.stdout) chunks.push(chunk)
  const printed = Buffer.concat(chunks)
  if (isSent) onPush('done')
  const end = printed.indexOf('\r\n\r\n')
  const lines = printed.subarray(0, end).toString('latin1').split('\r\n')
  const headers = Object.fromEntries(lines.map((line) => line.split(': ', 2) as [string, string]))
  const { Status: status = '200', ...rest } = headers
  response.writeHead(Number.parseInt(status, 10), rest).end(printed.subarray(end + 4))
}
