/**
 * A GitHub on this machine, for the real `gh` and the real git: an HTTPS server for api.github.com and github.com, and a proxy
 * that leads both names to it. So no name has to be known, and no port below 1024 is needed.
 */
import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer as createHttpServer, type Server } from 'node:http'
import { createServer as createHttpsServer } from 'node:https'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { systemClock } from '../../../src/kit/clock.ts'
import { findProgram } from '../../../src/kit/process/find-program.ts'
import { answerApi } from './forge-api.ts'
import { serveGit } from './forge-git.ts'
import { ForgeState } from './forge-state.ts'

/** The `gh` of this machine, or that in `FORGE_GH`, such as a newer one. */
const ghProgram = process.env['FORGE_GH'] ?? findProgram('gh', { env: process.env, cwd: process.cwd() })

/** On macOS, programs in Go do not read SSL_CERT_FILE. */
export const hasForge =
  process.platform === 'linux' &&
  ghProgram !== undefined &&
  findProgram('openssl', { env: process.env, cwd: '/' }) !== undefined
if (!hasForge) process.stderr.write('tests with the fake forge are skipped: they need Linux, gh and openssl\n')

export type FakeForge = ForgeState & {
  /** For drover: with these, gh and git talk to this forge. */
  readonly env: Readonly<Record<string, string>>
  /** The address of the repository, as in a clone. */
  readonly address: string
  close(): Promise<void>
}

/** With an empty repository `ada/weather`. Closed at the end of the test unless it `stays`. */
export async function startForge({ stays = false } = {}): Promise<FakeForge> {
  const directory = mkdtempSync(join(tmpdir(), 'drover-forge-'))
  const bare = join(directory, 'weather.git')
  execFileSync('git', ['init', '--quiet', '--bare', '--initial-branch=main', bare])
  execFileSync('git', ['--git-dir', bare, 'config', 'http.receivepack', 'true'])
  const state = new ForgeState(bare, systemClock)
  const server = createHttpsServer(certificate(), (request, response) => {
    const isGit = request.url?.startsWith('/ada/weather.git/') === true
    void (isGit
      ? serveGit(directory, (moment) => state.onPush(moment), { request, response })
      : answerApi(state, request, response))
  })
  const [port, proxy] = [await listen(server), createHttpServer()]
  const sockets = new Set<Socket>()
  proxy.on('connect', (_request, client: Socket) => {
    const target = connect(port, '127.0.0.1', () => {
      client.write('HTTP/1.1 200 Connection established\r\n\r\n')
      target.pipe(client)
      client.pipe(target)
    })
    for (const [socket, other] of [
      [client, target],
      [target, client],
    ] as const) {
      sockets.add(socket)
      socket.on('error', () => other.destroy()).on('close', () => sockets.delete(socket))
    }
  })
  const proxyUrl = `http://127.0.0.1:${await listen(proxy)}`
  const close = async () => {
    for (const socket of sockets) socket.destroy()
    server.closeAllConnections()
    await Promise.all([server, proxy].map((each) => new Promise((done) => each.close(done))))
    rmSync(directory, { recursive: true, force: true })
  }
  // Not at the top: scripts use this file without vitest.
  if (!stays) (await import('vitest')).onTestFinished(close)
  const address = 'https://github.com/ada/weather.git'
  return Object.assign(state, { env: toEnvironment(directory, proxyUrl), address, close })
}

function toEnvironment(directory: string, proxy: string): Record<string, string> {
  const [bin, settings] = [join(directory, 'bin'), join(directory, 'gitconfig')]
  mkdirSync(bin)
  writeFileSync(join(bin, 'gh'), `#!/bin/sh\nexec '${ghProgram}' "$@"\n`, { mode: 0o755 })
  writeFileSync(
    settings,
    `[http]\n\tproxy = ${proxy}\n\tsslCAInfo = ${certificateFile()}\n[user]\n\tname = Ada\n\temail = ada@example.com\n`,
  )
  return {
    PATH: `${bin}${delimiter}${process.env['PATH'] ?? ''}`,
    GH_TOKEN: 'x',
    GH_CONFIG_DIR: join(directory, 'gh'),
    SSL_CERT_FILE: certificateFile(),
    HTTPS_PROXY: proxy,
    GIT_CONFIG_GLOBAL: settings,
    GIT_CONFIG_NOSYSTEM: '1',
  }
}

async function listen(server: Server | ReturnType<typeof createHttpsServer>): Promise<number> {
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  return (server.address() as AddressInfo).port
}

let made: string | undefined

/** Once for all tests of this process. */
function certificateFile(): string {
  if (made !== undefined) return join(made, 'certificate.pem')
  const directory = mkdtempSync(join(tmpdir(), 'drover-certificate-'))
  process.once('exit', () => rmSync(directory, { recursive: true, force: true }))
  const names = 'subjectAltName=DNS:github.com,DNS:api.github.com,DNS:forge.test,DNS:localhost'
  const key = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-keyout', 'key.pem']
  const args = ['req', '-x509', ...key, '-out', 'certificate.pem', '-days', '2', '-subj', '/CN=forge', '-addext', names]
  execFileSync('openssl', args, { cwd: directory, stdio: 'ignore' })
  made = directory
  return join(directory, 'certificate.pem')
}

export function certificate(): { key: Buffer; cert: Buffer } {
  const file = certificateFile()
  return { cert: readFileSync(file), key: readFileSync(join(file, '..', 'key.pem')) }
}
