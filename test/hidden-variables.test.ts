/** What an agent finds about secrets of drover in the processes of its user. */
import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { mkdirSync, readFileSync, realpathSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { createPostgresDatabase, POSTGRES_PROGRAMS } from './support/postgres.ts'
import { DROVER, ending, temporaryDirectory } from './support/run-drover.ts'
import { ask } from './support/start-server.ts'
import { program } from './support/test-command.ts'
import { until } from './support/until.ts'

const LIBRARY = join(import.meta.dirname, '..', 'src', 'library', 'drover.ts')
const SERVES = `const { createDrover } = await import(${JSON.stringify(LIBRARY)})
  console.log('listens on ' + (await createDrover().serve({ port: 0 })).url)`
const PRETEND = 'Object.defineProperty(process.versions, "node", { value: "20.20.2" }); require(process.argv[1])'
const SERVE = ['serve', '--port', '0']

/** A home with an agent that looks for the secrets in all processes, and writes down where it finds one. */
function createHome() {
  const home = realpathSync(temporaryDirectory())
  const secret = () => randomBytes(16).toString('hex')
  const password = secret()
  const secrets = {
    DROVER_API_KEYS: secret(),
    PGPASSWORD: secret(),
    OTEL_EXPORTER_OTLP_HEADERS: `authorization=${secret()}`,
  }
  writeFileSync(join(home, 'secrets'), [password, ...Object.values(secrets)].join('\n'))
  const [found, bin] = [join(home, 'found'), join(home, 'bin')]
  mkdirSync(bin)
  const init = { type: 'system', subtype: 'init', session_id: '0b4c5a3e-8d70-4b8e-9a53-1d3c6a0f4b11', model: 'm' }
  const result = { ...init, type: 'result', subtype: 'success', is_error: false, result: 'looked' }
  const agent = `#!/bin/sh
case "$*" in *--version*) echo '2.0.0 (Claude Code)'; exit 0 ;; esac
cat > /dev/null
grep -alFf '${home}/secrets' /proc/[0-9]*/environ /proc/[0-9]*/cmdline > '${found}' 2> /dev/null
echo '${JSON.stringify(init)}'
echo '${JSON.stringify(result)}'
`
  writeFileSync(join(bin, 'claude'), agent, { mode: 0o755 })
  const env = { HOME: home, PATH: `${bin}:/usr/bin:/bin`, DROVER_WARM_ENABLED: 'false', ...secrets }
  return { home, found, env, password }
}

type Home = ReturnType<typeof createHome>

/** Starts a server in a separate process group, which ends with the test. */
function startServer({ home, env }: Pick<Home, 'home' | 'env'>, argv: readonly string[]) {
  const child = spawn(argv[0] ?? '', argv.slice(1), {
    cwd: home,
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  })
  const ended = ending(child)
  onTestFinished(async () => {
    if (child.exitCode === null) process.kill(-Number(child.pid), 'SIGKILL')
    await ended
  })
  const serving = { child, ended, heard: '' }
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (text) => (serving.heard += text))
  return serving
}

/** Lets the agent of a server look around, and returns what it has found. */
async function lookAround(home: Home, argv: readonly string[]): Promise<string[]> {
  const serving = startServer(home, [process.execPath, ...argv])
  const port = Number(await until(() => /listens on http:\/\/.*:(\d+)\n/.exec(serving.heard)?.[1]))
  const headers = { 'x-api-key': home.env.DROVER_API_KEYS }
  const body = { backend: 'claude', prompt: 'look around' }
  const answer = await ask({ port, path: '/api/v1/prompt', method: 'POST', headers, body })
  expect(answer).toMatchObject({ status: 200, body: { output: 'looked' } })
  return readFileSync(home.found, 'utf8').split('\n').filter(Boolean)
}

/** A newer Node, as the user installs it for drover. */
function bringNode(home: string): void {
  const bin = join(home, '.drover', 'node', 'node_modules', `node-linux-${process.arch}`, 'bin')
  mkdirSync(bin, { recursive: true, mode: 0o700 })
  writeFileSync(join(bin, 'node'), `#!/bin/sh\nexec '${process.execPath}' "$@"\n`, { mode: 0o755 })
}

describe.runIf(process.platform === 'linux')('an agent finds no secret in the processes of', () => {
  it('drover serve', async () => {
    expect(await lookAround(createHome(), [DROVER, ...SERVE])).toEqual([])
  })

  it('drover serve, and of an older Node that has started it', async () => {
    const home = createHome()
    bringNode(home.home)
    expect(await lookAround(home, ['-e', PRETEND, DROVER, ...SERVE])).toEqual([])
  })

  it('a program with a server of the library', async () => {
    expect(await lookAround(createHome(), ['--input-type=module', '-e', SERVES])).toEqual([])
  })

  it.skipIf(POSTGRES_PROGRAMS === undefined)('drover serve with a password in the address of its store', async () => {
    const home = createHome()
    const { pathname, search } = new URL(await createPostgresDatabase())
    const url = `postgres://drover:${home.password}@localhost${pathname}${search}`
    const env = { ...home.env, DROVER_STORE_URL: url, DATABASE_URL: url.replace('drover:', 'me:') }
    expect(await lookAround({ ...home, env }, [DROVER, ...SERVE])).toEqual([])
  })
})

describe.runIf(process.platform === 'linux')('drover serve', () => {
  it('refuses keys in its environment that it cannot hide there', async () => {
    const home = createHome()
    const failure = { DISK_FAILURE: JSON.stringify({ call: 'openSync', on: 'mem' }) }
    const argv = [process.execPath, '--import', program('fail-disk.ts'), DROVER, ...SERVE]
    const ran = await startServer({ ...home, env: { ...home.env, ...failure } }, argv).ended
    expect([ran.code, ran.stdout]).toEqual([1, ''])
    expect(ran.stderr).toContain('its agents could read DROVER_API_KEYS in its environment')
    expect(ran.stderr).toContain('drover keys create NAME')
  })

  it('warns about a process around it that shows its keys', async () => {
    const around = ['/bin/sh', '-c', '"$@"; exit', 'sh', process.execPath, DROVER, ...SERVE]
    const serving = startServer(createHome(), around)
    await until(() => serving.heard.includes('Press Ctrl-C'))
    const shown = `DROVER_API_KEYS of the process ${serving.child.pid}, which has started drover`
    expect(serving.heard).toContain(`agents can read secrets in the environment of a process: ${shown}`)
  })

  it('opens no debugger for a program that sends it SIGUSR1, nor does the older Node that has started it', async () => {
    const home = createHome()
    bringNode(home.home)
    const serving = startServer(home, [process.execPath, '-e', PRETEND, DROVER, ...SERVE])
    const port = Number(await until(() => /listens on http:\/\/.*:(\d+)\n/.exec(serving.heard)?.[1]))
    process.kill(-Number(serving.child.pid), 'SIGUSR1')
    expect(await ask({ port, path: '/health' })).toMatchObject({ status: 200 })
    process.kill(-Number(serving.child.pid), 'SIGTERM')
    expect((await serving.ended).stderr).not.toContain('Debugger listening')
  })
})

describe.runIf(process.platform === 'linux' && POSTGRES_PROGRAMS !== undefined)('drover work', () => {
  it('warns about a process around it that shows the password of its store', async () => {
    const home = createHome()
    const env = { ...home.env, DROVER_STORE_URL: await createPostgresDatabase() }
    const serving = startServer({ ...home, env }, [
      '/bin/sh',
      '-c',
      '"$@"; exit',
      'sh',
      process.execPath,
      DROVER,
      'work',
    ])
    await until(() =>
      serving.heard.includes(`PGPASSWORD of the process ${serving.child.pid}, which has started drover`),
    )
  })
})
