import { once } from 'node:events'
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { stripVTControlCharacters } from 'node:util'
import { describe, expect, it, onTestFinished } from 'vitest'
import { temporaryName } from '../../src/kit/files/temporary-file.ts'
import type { Script } from '../fake-agent/script.ts'
import { callDrover } from '../support/call-drover.ts'
import { assignments, readDockerfile } from '../support/dockerfile.ts'
import { installFakeAgents, readPids } from '../support/fake-agent.ts'
import { firstOf, IS_FULL } from '../support/full-counts.ts'
import { NOWHERE } from '../support/nowhere.ts'
import { hasTerminals, startOnTerminal } from '../support/on-terminal.ts'
import { runDrover, temporaryDirectory } from '../support/run-drover.ts'
import { portOf, serveDrover } from '../support/serve-drover.ts'
import { ask } from '../support/start-server.ts'
import { isRunning } from '../support/test-command.ts'
import { until } from '../support/until.ts'

const { version } = JSON.parse(readFileSync(join(import.meta.dirname, '../../package.json'), 'utf8'))

/** An environment with the fake agents on PATH, and the file in which they write their process ids. */
function fakeAgents(script: Script) {
  const directory = installFakeAgents(temporaryDirectory())
  const pidFile = join(directory, 'pids')
  const env = { PATH: `${directory}:/usr/bin:/bin`, FAKE_AGENT_SCRIPT: JSON.stringify({ ...script, pidFile }) }
  return { env, pidFile }
}

async function listenerOn(place: { port: number; host: string } | string) {
  const other = createServer().listen(place)
  await once(other, 'listening')
  onTestFinished(() => void other.close())
  return other
}

describe('drover serve', () => {
  it('prints its address when it listens, and answers', async () => {
    const serving = serveDrover(['-p', '0', '--demo'])
    const port = await portOf(serving)
    const { status, body } = await ask({ port, path: '/health' })
    expect({ status, body }).toMatchObject({ status: 200, body: { status: 'ok', version } })
    expect(serving.heard.stdout).toContain(`drover ${version} listens on http://127.0.0.1:${port}\n`)
    expect(serving.heard.stdout).toContain('claude, codex, gemini: not installed. The built-in demo agent answers')
  })

  it('on a network address follows one rule with and without the image: a source without keys stops it, no source warns', async () => {
    const { stages } = readDockerfile(readFileSync(join(import.meta.dirname, '../../Dockerfile'), 'utf8'))
    const image = assignments(stages.at(-1)?.steps.find(({ keyword }) => keyword === 'ENV')?.rest ?? '')
    const { DROVER_SERVER_HOST: host = '', DROVER_API_KEYS_FILE: file = '' } = image
    expect([host, file]).toEqual(['0.0.0.0', '/run/secrets/drover-keys'])
    for (const [args, env] of [
      [['serve', '-p', '0'], { DROVER_SERVER_HOST: host, DROVER_API_KEYS_FILE: file }],
      [['serve', '-p', '0', '--host', host], { DROVER_API_KEYS_FILE: file }],
    ] as const) {
      const { code, stdout, stderr } = await runDrover([...args], { env })
      expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
      expect(stderr).toMatch(/^drover: the server does not start, because .* provides no API key: /)
    }
    const open = serveDrover(['-p', '0', '--host', host, '--demo', '--verbose'])
    await until(() => open.heard.stdout.includes('Press Ctrl-C to stop'))
    expect(open.heard.stdout).toContain('! public bind address without API key auth')
    expect(open.heard.stdout).toMatch(/ceilings {9}sandbox read-only/)
  })

  it('warns about an allowed directory that does not exist, and refuses a prompt there with that reason', async () => {
    const missing = join(temporaryDirectory(), 'projects')
    const serving = serveDrover(['-p', '0', '--demo'], { DROVER_SERVER_ALLOWED_WORKDIR_PREFIXES: missing })
    const url = `http://127.0.0.1:${await portOf(serving)}/api/v1/prompt`
    await until(() =>
      serving.heard.stdout.includes(`! allowed working directories do not exist: prompts in ${missing}`),
    )
    const body = JSON.stringify({ backend: 'codex', prompt: 'hello' })
    const answer = await fetch(url, { method: 'POST', headers: { 'Content-Type': 'application/json' }, body })
    expect(await answer.json()).toMatchObject({
      error: 'workdir_not_allowed',
      message: `the working directory ${missing} does not exist; create it or choose another one`,
    })
  })

  it.runIf(IS_FULL)('prints at most ten lines outside of a terminal, the log included', async () => {
    const serving = serveDrover(['-p', '0', '--demo'])
    await portOf(serving)
    await until(() => serving.heard.stdout.includes('Press Ctrl-C to stop'))
    expect(serving.heard.stderr).toBe('')
    const lines = serving.heard.stdout.trimEnd().split('\n')
    expect(lines.filter((line) => !line.startsWith('! '))).toHaveLength(5)
    expect(lines.length).toBeLessThanOrEqual(10)
  })

  it.runIf(IS_FULL)('uses host and port of the config without flags', async () => {
    const serving = serveDrover([], { DROVER_SERVER_PORT: '0', DROVER_SERVER_HOST: '127.0.0.2' })
    await until(() => /listens on http:\/\/127\.0\.0\.2:\d+\n/.test(serving.heard.stdout))
  })

  it('also listens on a socket for its user, without a key, and removes it at the end', async () => {
    const serving = serveDrover(['-p', '0', '--demo', '--verbose'], { DROVER_API_KEYS: 'a-secret-key-of-mine' })
    const socketPath = join(serving.home, '.drover', 'server.sock')
    const port = await portOf(serving)
    expect(statSync(socketPath).mode & 0o777).toBe(0o600)
    expect((await ask({ socketPath, path: '/api/v1/executions' })).status).toBe(200)
    expect((await ask({ port, path: '/api/v1/executions' })).status).toBe(401)
    expect(serving.heard.stdout).toContain(`local socket     ${socketPath} (only for you, without a key)`)
    serving.child.kill('SIGTERM')
    expect(await serving.ended).toBe(0)
    expect(existsSync(socketPath)).toBe(false)
  })

  it('prints a link to the console with drover open, which logs in once', async () => {
    const serving = serveDrover(['-p', '0', '--demo'], { DROVER_API_KEYS: 'a-secret-key-of-mine' })
    const port = await portOf(serving)
    expect(serving.heard.stdout).toContain(
      `console    http://127.0.0.1:${port}/ ("drover open" prints a link that logs you in)\n`,
    )
    expect(serving.heard.stdout).not.toContain('#/open/')
    const { code, stdout, stderr } = await runDrover(['open'], { home: serving.home })
    expect({ code, stderr }).toEqual({ code: 0, stderr: 'drover: the link logs you in once, within 5 minutes\n' })
    const [, link] = stdout.match(new RegExp(`^http://127\\.0\\.0\\.1:${port}/#/open/([0-9a-f]{64})\\n$`)) ?? []
    const logIn = () => ask({ port, path: '/api/v1/login', method: 'POST', body: { link } })
    expect(await logIn()).toMatchObject({ status: 200, body: { role: 'admin' } })
    expect((await logIn()).status).toBe(401)
  })

  it.skipIf(!IS_FULL || !hasTerminals)(
    'opens a browser with drover open on a desktop, without the link in its arguments',
    async () => {
      const serving = serveDrover(['-p', '0', '--demo'], { DROVER_API_KEYS: 'a-secret-key-of-mine' })
      await portOf(serving)
      const [bin, seen] = [join(serving.home, 'bin'), join(serving.home, 'opened')]
      mkdirSync(bin)
      writeFileSync(join(bin, 'xdg-open'), `#!/bin/sh\nprintf '%s' "$1" > ${seen}.new && mv ${seen}.new ${seen}\n`, {
        mode: 0o755,
      })
      const env = { HOME: serving.home, PATH: `${bin}:/usr/bin:/bin`, DISPLAY: ':0' }
      const { code, seen: shown } = await startOnTerminal(['open'], { cwd: serving.home, env, columns: 200 }).ended
      expect(code).toBe(0)
      const [link] = /http:\S+#\/open\/[0-9a-f]{64}/.exec(shown) ?? []
      const page = join(serving.home, '.drover', 'open-console.html')
      await until(() => existsSync(seen))
      expect(readFileSync(seen, 'utf8')).toBe(`file://${page}`)
      expect(readFileSync(page, 'utf8')).toContain(`url=${link}"`)
      expect(statSync(page).mode & 0o777).toBe(0o600)
      await startOnTerminal(['open', '--print'], { cwd: serving.home, env, columns: 200 }).ended
      expect(readFileSync(page, 'utf8')).toContain(`url=${link}"`)
    },
  )

  it.runIf(IS_FULL)('prints the plain address of the console without keys, and says if there is none', async () => {
    const open = serveDrover(['-p', '0', '--demo'])
    const port = await portOf(open)
    expect(await runDrover(['open'], { home: open.home })).toEqual({
      code: 0,
      stdout: `http://127.0.0.1:${port}/\n`,
      stderr: '',
    })
    const closed = serveDrover(['-p', '0', '--demo'], { DROVER_SERVER_CONSOLE: 'false' })
    await portOf(closed)
    expect(await runDrover(['open'], { home: closed.home })).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('the running server has no console: it was started with --socket, or with'),
    })
    const off = { DROVER_SERVER_CONSOLE: 'false' }
    expect((await runDrover(['open'], { home: closed.home, env: off })).stderr).toContain('server.console is false')
  })

  it.skipIf(!IS_FULL || !hasTerminals)('prints at most ten lines on a terminal, with a link that logs in', async () => {
    const home = temporaryDirectory()
    const env = { HOME: home, PATH: '/usr/bin:/bin', DROVER_API_KEYS: 'a-secret-key-of-mine' }
    const terminal = startOnTerminal(['serve', '-p', '0', '--demo'], { cwd: home, env, columns: 200 })
    onTestFinished(() => void terminal.child.kill('SIGKILL'))
    await terminal.shows('Press Ctrl-C to stop')
    await terminal.shows('The built-in demo agent answers')
    const lines = stripVTControlCharacters(terminal.seen()).trimEnd().split('\n')
    expect(lines.length).toBeLessThanOrEqual(10)
    expect(lines[0]).toMatch(/^drover \S+ listens on http:\/\/127\.0\.0\.1:\d+$/)
    expect(lines[1]).toMatch(/^console {4}http:\/\/127\.0\.0\.1:\d+\/#\/open\/[0-9a-f]{64} \(logs you in once/)
    terminal.type('\u0003')
    expect((await terminal.ended).code).toBe(0)
  })

  it.runIf(IS_FULL && hasTerminals)('stops in order when its terminal is closed', async () => {
    const home = temporaryDirectory()
    const env = { HOME: home, PATH: '/usr/bin:/bin' }
    const terminal = startOnTerminal(['serve', '-p', '0', '--demo'], { cwd: home, env })
    await terminal.shows('Press Ctrl-C to stop')
    const [pid, socket] = [terminal.pid(), join(home, '.drover', 'server.sock')]
    onTestFinished(() => void (isRunning(pid) && process.kill(pid, 'SIGKILL')))
    expect(existsSync(socket)).toBe(true)
    terminal.child.kill('SIGKILL')
    await until(() => !isRunning(pid))
    expect(existsSync(socket)).toBe(false)
  })

  it.each([
    [['serve', '--no-work', '-p', '0', '--demo'], 'drover serve --no-work puts prompts into a PostgreSQL store; give'],
    [['work', '--demo'], 'drover work takes prompts from a PostgreSQL store; give'],
  ])('with the arguments %j needs a PostgreSQL store', async (args, message) => {
    const { code, stdout, stderr } = await runDrover(args)
    expect({ code, stdout, stderr }).toEqual({ code: 2, stdout: '', stderr: expect.stringContaining(message) })
  })

  it('listens on no such socket with server.local_socket: false', async () => {
    const serving = serveDrover(['-p', '0', '--demo'], { DROVER_SERVER_LOCAL_SOCKET: 'false' })
    await portOf(serving)
    expect(existsSync(join(serving.home, '.drover', 'server.sock'))).toBe(false)
  })

  it('logs each request as one JSON line on stderr, without prompt and answer', async () => {
    const serving = serveDrover(['-p', '0', '--demo'])
    const port = await portOf(serving)
    const body = { backend: 'claude', prompt: 'a very private prompt' }
    await ask({ port, path: '/api/v1/prompt', method: 'POST', body })
    const line = await until(() => serving.heard.stderr.split('\n').find((each) => each.includes('/api/v1/prompt')))
    expect(JSON.parse(line)).toMatchObject({
      level: 'info',
      msg: 'request',
      method: 'POST',
      route: '/api/v1/prompt',
      status: 200,
    })
    expect(serving.heard.stderr).not.toContain('private')
  })

  it.runIf(IS_FULL)('logs prompts with --log-prompts, and no requests with --quiet', async () => {
    const talking = serveDrover(['-p', '0', '--demo', '--log-prompts'])
    const quiet = serveDrover(['-p', '0', '--demo', '--quiet'])
    const body = { backend: 'claude', prompt: 'a very private prompt' }
    for (const serving of [talking, quiet]) {
      await ask({ port: await portOf(serving), path: '/api/v1/prompt', method: 'POST', body })
    }
    await until(() => talking.heard.stderr.includes('"prompt":"a very private prompt"'))
    quiet.child.kill('SIGTERM')
    await quiet.ended
    expect(quiet.heard.stderr).not.toContain('"msg":"request"')
    expect(quiet.heard.stderr).not.toContain('/api/v1/prompt')
  })

  it.each<[string, readonly string[], Record<string, string>, RegExp]>([
    [
      'a host of another machine',
      ['--host', '192.0.2.1', '-p', '0'],
      {},
      /cannot listen on 192\.0\.2\.1:0: it is not an address of this machine; correct --host/,
    ],
    [
      'keys that cannot be read',
      ['-p', '0'],
      { DROVER_API_KEYS_GOPASS_PATH: 'a/b' },
      /does not start, because gopass a\/b provides no API key/,
    ],
    [
      'a directory that is not there',
      ['--socket', `${NOWHERE}/x.sock`],
      {},
      new RegExp(`cannot listen on ${NOWHERE}/x\\.sock: .*; `),
    ],
  ])('exits with 1 and one message for %s', async (_name, args, env, says) => {
    const { code, stdout, stderr } = await runDrover(['serve', ...args], { env })
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
    expect(stderr).toMatch(says)
    expect(stderr.trim().split('\n')).toHaveLength(1)
  })

  it.each<[string, Record<string, string>]>(
    firstOf([
      ['drover serve --host localhost --demo', {}],
      ['npm start -- --host localhost', { npm_lifecycle_event: 'start' }],
    ]),
  )('exits with 1 for a port in use, and shows another one for %s', async (command, env) => {
    const other = await listenerOn({ host: '127.0.0.1', port: 0 })
    const { port } = other.address() as { port: number }
    const given = ['serve', '-p', String(port), '--demo', '--host', 'localhost']
    const { code, stdout, stderr } = await runDrover(given, { env })
    const next = port === 65_535 ? port - 1 : port + 1
    expect({ code, stdout, stderr }).toEqual({
      code: 1,
      stdout: '',
      stderr: `drover: the server cannot listen on localhost:${port}: another program is listening there; stop it, or choose another port: ${command} --port ${next}\n`,
    })
  })

  it.runIf(IS_FULL)('says that the port in use is that of the own server', async () => {
    const serving = serveDrover(['-p', '0', '--demo'])
    const port = await portOf(serving)
    const { code, stderr } = await runDrover(['serve', '--demo', '-p', String(port)], { home: serving.home })
    expect([code, stderr]).toEqual([
      1,
      expect.stringContaining('your drover server is listening there already ("drover open" shows its console)'),
    ])
  })

  it.each([
    [['-p', '65536'], '-p must be a whole number'],
    [['-p', 'http'], '-p must be a whole number'],
    [['--nonsense'], '--nonsense'],
    [['extra'], 'extra'],
    [['--socket', 'x', '--port', '1'], '--socket'],
    [['--socket', 'x', '--host', 'localhost'], '--socket'],
  ])('refuses %j with exit code 2', async (args, says) => {
    const { code, stderr } = await callDrover(['serve', ...args])
    expect(code).toBe(2)
    expect(stderr).toContain(says)
  })

  it.each(['DROVER_API_KEYS', 'DROVER_API_KEYS_FILE'])(
    'does not start without keys because %s is empty',
    async (name) => {
      const { code, stderr } = await runDrover(['serve', '-p', '0'], { env: { [name]: '' } })
      expect(code).toBe(1)
      expect(stderr).toContain(`${name} provides no API key: the variable is set but empty`)
    },
  )
})

describe('on a Unix socket, drover serve', () => {
  it('lets only its user connect, and removes the socket at the end', async () => {
    const path = join(temporaryDirectory(), 'drover.sock')
    const serving = serveDrover(['--socket', path, '--demo'])
    await until(() => serving.heard.stdout.includes('Press Ctrl-C to stop'))
    expect(statSync(path).mode & 0o777).toBe(0o600)
    expect((await ask({ socketPath: path, path: '/health' })).status).toBe(200)
    serving.child.kill('SIGTERM')
    expect(await serving.ended).toBe(0)
    expect(existsSync(path)).toBe(false)
  })

  it.runIf(IS_FULL)('replaces the socket of a killed server', async () => {
    const path = join(temporaryDirectory(), 'drover.sock')
    const dead = serveDrover(['--socket', path, '--demo'])
    await until(() => dead.heard.stdout.includes('Press Ctrl-C to stop'))
    dead.child.kill('SIGKILL')
    await dead.ended
    expect(existsSync(path)).toBe(true)
    const serving = serveDrover(['--socket', path, '--demo'])
    await until(() => serving.heard.stdout.includes('Press Ctrl-C to stop'))
    expect((await ask({ socketPath: path, path: '/health' })).status).toBe(200)
  })

  it.runIf(IS_FULL)('reports that the directory of the socket is missing', async () => {
    const path = join(temporaryDirectory(), 'missing', 'drover.sock')
    const { code, stderr } = await runDrover(['serve', '--socket', path])
    expect(code).toBe(1)
    expect(stderr).toContain('its directory does not exist; create it, or choose another --socket')
  })

  it.runIf(IS_FULL)('refuses the socket of a running server', async () => {
    const path = join(temporaryDirectory(), 'drover.sock')
    await listenerOn(path)
    const { code, stderr } = await runDrover(['serve', '--socket', path])
    expect(code).toBe(1)
    expect(stderr).toContain('another server is listening there; stop it, or choose another --socket')
    expect(existsSync(path)).toBe(true)
  })

  const OTHERS: readonly [string, (path: string) => void][] = [
    ['a file', (path) => writeFileSync(path, 'precious')],
    ['a directory', (path) => mkdirSync(path)],
    ['a link', (path) => symlinkSync(NOWHERE, path)],
  ]
  it.each(firstOf(OTHERS))('never replaces %s', async (_name, put) => {
    const path = join(temporaryDirectory(), 'drover.sock')
    put(path)
    const { code, stderr } = await runDrover(['serve', '--socket', path])
    expect(code).toBe(1)
    expect(stderr).toContain('the file exists and is not a socket; choose another --socket')
  })
})

describe('a signal', () => {
  it.each(firstOf(['SIGTERM', 'SIGINT']))('%s ends the server with 0', async (signal) => {
    const serving = serveDrover(['-p', '0', '--demo'])
    const port = await portOf(serving)
    serving.child.kill(signal)
    expect(await serving.ended).toBe(0)
    expect(serving.heard.stderr).toContain('drover: stopping;')
    await expect(ask({ port, path: '/health' })).rejects.toMatchObject({ code: 'ECONNREFUSED' })
  })

  it.runIf(IS_FULL)('lets a running prompt finish', async () => {
    const { env, pidFile } = fakeAgents({ delayMs: 1000 })
    const serving = serveDrover(['-p', '0'], env)
    const port = await portOf(serving)
    const answer = ask({ port, path: '/api/v1/prompt', method: 'POST', body: { backend: 'claude', prompt: 'hi' } })
    await until(() => readPids(pidFile).agent)
    serving.child.kill('SIGTERM')
    expect((await answer).body).toMatchObject({ exit_code: 0 })
    expect(await serving.ended).toBe(0)
  })

  it('that comes a second time ends the server and its agents at once, with exit code 1', async () => {
    const { env, pidFile } = fakeAgents({ hangAfter: 'init' })
    const serving = serveDrover(['-p', '0'], env)
    const port = await portOf(serving)
    const body = { backend: 'claude', prompt: 'hi' }
    // The response may or may not be sent.
    const answered = Promise.allSettled([ask({ port, path: '/api/v1/prompt', method: 'POST', body })])
    const agent = await until(() => readPids(pidFile).agent)
    // Read without drover, which would end the turn of a dead process.
    const database = new DatabaseSync(join(serving.home, '.drover', 'sessions.db'), { readOnly: true })
    // From then on the session can be resumed.
    await until(() => database.prepare('SELECT 1 FROM sessions WHERE backend_session_id IS NOT NULL').get())
    serving.child.kill('SIGTERM')
    await until(() => serving.heard.stderr.includes('drover: stopping;'))
    serving.child.kill('SIGTERM')
    expect(await serving.ended).toBe(1)
    await answered
    await until(() => !isRunning(agent))
    expect(database.prepare('SELECT status, owner FROM sessions').all()).toEqual([{ status: 'paused', owner: null }])
    database.close()
  })

  it.runIf(IS_FULL)(
    'SIGKILL leaves a scratch directory, which the next start removes, but none of a living process',
    async () => {
      const [scratch, home] = [temporaryDirectory(), temporaryDirectory()]
      const { env } = fakeAgents({ hangAfter: 'init' })
      const start = () => serveDrover(['-p', '0'], { ...env, HOME: home, TMPDIR: scratch })
      // Node's compile cache is in the same directory.
      const found = () => readdirSync(scratch).filter((name) => name.startsWith('.drover-tmp-'))
      const killed = start()
      const port = await portOf(killed)
      const body = { backend: 'claude', prompt: 'hi', system_prompt: 'Be brief.' }
      const answered = Promise.allSettled([ask({ port, path: '/api/v1/prompt', method: 'POST', body })])
      const left = await until(() => found()[0])
      killed.child.kill('SIGKILL')
      await killed.ended
      await answered
      const living = temporaryName()
      mkdirSync(join(scratch, living))
      expect(found().toSorted()).toEqual([left, living].toSorted())
      await portOf(start())
      expect(found()).toEqual([living])
    },
  )

  it.runIf(IS_FULL)('SIGHUP reloads the API keys', async () => {
    const directory = temporaryDirectory()
    const gopass = join(directory, 'gopass')
    const answerWith = (key: string) => writeFileSync(gopass, `#!/bin/sh\necho ${key}\n`)
    answerWith('old')
    chmodSync(gopass, 0o755)
    const env = { PATH: `${directory}:/usr/bin:/bin`, DROVER_API_KEYS_GOPASS_PATH: 'a' }
    const serving = serveDrover(['-p', '0', '--demo'], env)
    const port = await portOf(serving)
    const statusWith = async (key: string) =>
      (await ask({ port, path: '/api/v1/backends', headers: { 'x-api-key': key } })).status
    expect([await statusWith('old'), await statusWith('new')]).toEqual([200, 401])
    answerWith('new')
    serving.child.kill('SIGHUP')
    await until(async () => (await statusWith('new')) === 200)
    expect(await statusWith('old')).toBe(401)
  })
})
