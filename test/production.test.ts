/** Runs the commands of docs/production.md on a real PostgreSQL: two servers, three workers, an upgrade from the version before. */
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { findProgram } from '../src/kit/process/find-program.ts'
import { IS_FULL } from './support/full-counts.ts'
import { blocksIn } from './support/markdown.ts'
import { ROOT } from './support/npm.ts'
import { POSTGRES_TOOLS, PostgresServer } from './support/postgres.ts'
import { findPreviousVersion } from './support/previous-version.ts'
import { runAt, SOURCES } from './support/run-drover.ts'
import { type Serving, startDrover } from './support/serve-drover.ts'
import { SHARED_DIRECTORY } from './support/unprivileged.ts'
import { until } from './support/until.ts'

const hasOpenssl = findProgram('openssl', { env: process.env, cwd: ROOT }) !== undefined
const IS_ROOT = process.getuid?.() === 0

const blocks = blocksIn(readFileSync(join(ROOT, 'docs', 'production.md'), 'utf8'))
const config = blocks.find(({ mark }) => mark === 'config')?.code ?? ''
/** In the order of the page. */
const commands = blocks.filter(({ language }) => language === 'sh').map(({ code }) => code)
const [certificate = '', database = '', roles = '', keys = '', install = '', migrate = '', connect = ''] = commands
const [server = '', worker = '', prompt = '', dump = '', stop = '', restore = '', start = ''] = commands.slice(7)
const [replace = '', drain = '', ...others] = commands.slice(14)

const CLAUDE = `#!/bin/sh
case "$*" in *--version*) echo '2.0.0 (Claude Code)'; exit 0 ;; esac
cat > /dev/null
echo '{"type":"system","subtype":"init","session_id":"0b4c5a3e-8d70-4b8e-9a53-1d3c6a0f4b11","model":"m"}'
sleep 0.3
echo '{"type":"result","subtype":"success","is_error":false,"result":"hello","session_id":"0b4c5a3e-8d70-4b8e-9a53-1d3c6a0f4b11"}'
`

async function freePort(): Promise<number> {
  const probe = createServer().listen(0, '127.0.0.1')
  await until(() => probe.listening)
  const { port } = probe.address() as AddressInfo
  await new Promise((resolve) => probe.close(resolve))
  return port
}

/** What all machines share: the working directory of the page, PostgreSQL, and the version that npm installs. */
async function createSite() {
  const directory = mkdtempSync(join(SHARED_DIRECTORY ?? tmpdir(), 'drover-production-'))
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }))
  chmodSync(directory, 0o755)
  const port = await freePort()
  const postgres = await PostgresServer.start({ port, programs: POSTGRES_TOOLS })
  onTestFinished(() => postgres.stop({ isLast: true }))
  const bin = join(directory, 'bin')
  for (const each of ['bin', 'postgresql', 'projects']) mkdirSync(join(directory, each))
  writeFileSync(join(bin, 'claude'), CLAUDE, { mode: 0o755 })
  writeFileSync(join(directory, 'config.yaml'), config.replaceAll('/srv/', `${directory}/`))
  return { directory, bin, port, postgres, key: '' }
}

type Site = Awaited<ReturnType<typeof createSite>>

/** A machine has a root directory and does what systemd does with the drop-in. */
class Host {
  readonly name: string
  readonly port: number
  drover: string
  #running: Serving | undefined
  readonly #site: Site
  readonly #root: string

  constructor(site: Site, { name, port, drover }: { name: string; port: number; drover: string }) {
    this.#site = site
    this.name = name
    this.port = port
    this.drover = drover
    this.#root = join(site.directory, name)
    mkdirSync(this.#root)
    this.#installDrover()
  }

  /** Runs commands of the page. Returns what they print. */
  async run(code: string): Promise<string> {
    let printed = ''
    for (const piece of this.#place(code).split(/^(systemctl .*|npm .*)\n/m)) {
      const [program, ...words] = piece.split(' ')
      if (program === 'systemctl') await this.#systemctl(words.filter((word) => word !== '--now'))
      else if (program === 'npm') this.#upgrade()
      else printed += await this.#shell(piece)
    }
    return printed
  }

  /** The page names paths and hosts that only a real site has. */
  #place(code: string): string {
    const { directory, port } = this.#site
    const owner = IS_ROOT ? '--owner=nobody' : ''
    return code
      .replaceAll('--owner=postgres --group=postgres', owner)
      .replaceAll(
        'sudo -u postgres psql',
        `psql --host=${this.#site.postgres.directory} --port=${port} --username=drover --dbname=postgres`,
      )
      .replaceAll('/etc/postgresql/', `${directory}/postgresql/`)
      .replaceAll('/etc/', `${this.#root}/etc/`)
      .replaceAll('/srv/projects', `${directory}/projects`)
      .replaceAll('db.example.com/', `localhost:${port}/`)
      .replaceAll('db.example.com', 'localhost')
      .replaceAll('127.0.0.1:8080', `127.0.0.1:${this.port}`)
      .replaceAll('worker-1', this.name)
  }

  async #shell(code: string): Promise<string> {
    const { directory } = this.#site
    const path = `${this.#root}/bin:${POSTGRES_TOOLS}:${process.env['PATH']}`
    const env = { PATH: path, HOME: this.#root, API_KEY: this.#site.key, DROVER_STORE_MACHINE: this.name }
    const ran = await runAt(directory, ['/bin/sh', '-e', '-c', code], env)
    expect([
      code,
      ran.code,
      ran.stdout,
      ran.stderr.replace(/^[.+*-]+\n|^Certificate request.*\n|^subject=.*\n/gm, ''),
    ]).toEqual([code, 0, ran.stdout, expect.not.stringMatching(/error|failed/i)])
    return ran.stdout
  }

  async #systemctl([verb, unit]: readonly string[]): Promise<void> {
    if (unit === 'postgresql') return await this.#site.postgres.restart()
    if (verb === 'stop' || verb === 'restart') await this.#stop()
    if (verb !== 'stop' && verb !== 'daemon-reload') await this.#start()
  }

  async #start(): Promise<void> {
    const [, ...args] = this.#command('ExecStart') ?? []
    const environment = join(this.#root, 'etc', 'drover', 'environment')
    this.#running = startDrover(
      args,
      {
        ...{ HOME: this.#root, PATH: `${this.#site.bin}:/usr/bin:/bin` },
        DROVER_CONFIG: join(this.#root, 'etc', 'drover', 'config.yaml'),
        DROVER_SERVER_PORT: String(this.port),
        DROVER_STORE_MACHINE: this.name,
      },
      { drover: this.drover, limit: `set -a && . ${environment} && set +a` },
    )
    await until(() => this.#running?.heard.stdout.includes('Press Ctrl-C'))
  }

  async #stop(): Promise<void> {
    const draining = this.#command('ExecStop')
    if (draining !== undefined)
      await this.#shell(`set -a\n. ${this.#root}/etc/drover/environment\n${draining.join(' ')}`)
    // A worker that has drained ends by itself.
    else this.#running?.child.kill('SIGTERM')
    expect(await this.#running?.ended).toBe(0)
  }

  /** The last one counts. */
  #command(name: string): string[] | undefined {
    const unit = readFileSync(join(this.#root, 'etc', 'systemd', 'system', 'drover.service.d', 'role.conf'), 'utf8')
    const lines = unit.split('\n').filter((line) => line.startsWith(`${name}=/`))
    return lines
      .at(-1)
      ?.slice(name.length + 1)
      .replace('/usr/local/bin/', '')
      .split(' ')
  }

  #upgrade(): void {
    this.drover = SOURCES
    this.#installDrover()
  }

  #installDrover(): void {
    mkdirSync(join(this.#root, 'bin'), { recursive: true })
    writeFileSync(join(this.#root, 'bin', 'drover'), `#!/bin/sh\nexec '${process.execPath}' '${this.drover}' "$@"\n`, {
      mode: 0o755,
    })
  }
}

/** Sends a prompt as a load balancer does: to a server that is ready, or to the next one. */
async function sendTo(servers: readonly Host[], key: string, name: string): Promise<void> {
  await until(async () => {
    const { port } = servers[Math.floor(Math.random() * servers.length)] as Host
    const headers = { 'content-type': 'application/json', 'x-api-key': key, 'idempotency-key': name }
    const body = JSON.stringify({ backend: 'claude', prompt: name, detach: true })
    const sent = fetch(`http://127.0.0.1:${port}/api/v1/prompt`, { method: 'POST', headers, body })
    return (await sent.catch(() => undefined))?.status === 202
  })
}

describe.runIf(IS_FULL && POSTGRES_TOOLS !== undefined && hasOpenssl)('the page on production', () => {
  it('leads from nothing to machines that are backed up, restored, upgraded and drained', {
    timeout: 600_000,
  }, async () => {
    expect(others).toEqual([])
    const site = await createSite()
    const old = findPreviousVersion()?.unpack()
    onTestFinished(() => old?.[Symbol.dispose]())
    const host = async (name: string) =>
      new Host(site, { name, port: await freePort(), drover: old?.drover ?? SOURCES })
    const db = await host('db')
    await db.run(certificate)
    await db.run(database)
    await db.run(roles)
    site.key = (await db.run(keys)).trim()
    const servers = [await host('server-1'), await host('server-2')]
    const workers = [await host('worker-1'), await host('worker-2'), await host('worker-3')]
    for (const each of [db, ...servers, ...workers]) await each.run(install)
    expect(await db.run(migrate)).toContain('localhost')
    for (const each of servers) {
      expect(await each.run(connect)).toContain('No worker has run yet')
      expect(await each.run(server)).toContain('"ready"')
    }
    for (const each of workers) await each.run(worker)
    expect(await servers[0]?.run(prompt)).toContain('hello')

    await db.run(dump)
    await sendTo(servers, site.key, 'after the backup')
    for (const each of [...servers, ...workers]) await each.run(stop)
    await db.run(restore)
    for (const each of [...servers, ...workers]) await each.run(start)
    const states = 'SELECT state, count(*)::int AS n FROM executions GROUP BY state'
    const read = async (sql: string) =>
      (
        await db.run(
          `set -a\n. ./owner\npsql --no-align --tuples-only --command "SET search_path = drover" --command "${sql}" "$DROVER_STORE_URL"\n`,
        )
      ).replace('SET\n', '')
    expect(await read(states)).toBe('completed|1\n')

    let isOver = false
    let sent = 0
    const load = (async () => {
      while (!isOver) await sendTo(servers, site.key, `prompt ${++sent}`)
    })()
    db.drover = SOURCES
    await db.run(`npm install\n${migrate}`)
    for (const each of [...servers, ...workers]) await each.run(replace)
    isOver = true
    await load
    await until(async () => (await read(states)) === `completed|${1 + sent}\n`)
    expect(sent).toBeGreaterThan(10)

    expect(await workers[1]?.run(drain)).toBe('worker-2 is drained\n')
    expect(await servers[0]?.run(connect)).toMatch(/worker-1 +working.*\nworker-2 +drained.*\nworker-3 +working/)
  })
})
