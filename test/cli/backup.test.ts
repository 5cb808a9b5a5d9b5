/** `drover backup` and `drover restore`. */
import { spawn } from 'node:child_process'
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, expect, it, onTestFinished } from 'vitest'
import { callMain } from '../support/call-main.ts'
import { firstOf, IS_FULL, placesUpTo } from '../support/full-counts.ts'
import { hasTerminals, startOnTerminal } from '../support/on-terminal.ts'
import { DROVER, ending, runAt, temporaryDirectory } from '../support/run-drover.ts'
import { portOf, serveDrover } from '../support/serve-drover.ts'
import { isRunning } from '../support/test-command.ts'
import { until } from '../support/until.ts'

const KILLER = join(import.meta.dirname, '..', 'programs', 'kill-at-call.mjs')

/** A user whose directory is `home`, and a place for backups. */
function createUser() {
  const root = temporaryDirectory()
  const home = join(root, '.drover')
  const env = { HOME: root, DROVER_EXECUTIONS_KEEP: 'events', DEMO_AGENT_WORD_MS: '0', PATH: '/usr/bin:/bin' }
  const drover = (...args: string[]) => callMain(args, { cwd: root, env })
  const json = async (...args: string[]) => {
    const ran = await drover(...args, '--json')
    expect(ran).toMatchObject({ code: 0, stderr: '' })
    return JSON.parse(ran.stdout)
  }
  const prompt = async (text: string) => expect(await drover('prompt', '--demo', text)).toMatchObject({ code: 0 })
  const prompts = async (): Promise<string[]> => {
    const { sessions } = await json('sessions', 'list')
    return sessions.map((session: { initial_prompt: string }) => session.initial_prompt).toSorted()
  }
  return { root, home, env, drover, json, prompt, prompts, store: join(home, 'sessions.db'), file: join(root, 'copy') }
}

type User = ReturnType<typeof createUser>

/** What is in a directory, without what every drover leaves. */
const namesIn = (directory: string) =>
  readdirSync(directory)
    .filter((name) => !['owners', 'worktrees', '.drover', 'work'].includes(name))
    .toSorted()

function fillStore(path: string, megabytes: number): void {
  const database = new DatabaseSync(path)
  database.exec('CREATE TABLE filler (content BLOB)')
  for (let at = 0; at < megabytes; at++) database.exec('INSERT INTO filler VALUES (randomblob(1000000))')
  database.close()
}

describe('drover backup', () => {
  it('writes a file that only its user can read, from which everything can be restored', async () => {
    const { drover, json, prompt, prompts, home, file, store } = createUser()
    await prompt('one')
    await prompt('a long prompt '.repeat(8_000))
    await drover('config', 'set', 'server.port', '4711')
    const before = [await prompts(), await json('ps', '--all'), await json('usage')]
    const report = await json('backup', file)
    expect(report).toEqual({
      ...{ file, bytes: statSync(file).size, created_at: expect.stringMatching(/^\d{4}-/), sessions: 2, executions: 2 },
      ...{ execution_events: expect.any(Number), usage: 1, settings: true },
    })
    expect(report.execution_events).toBeGreaterThan(2)
    expect(statSync(file).mode & 0o777).toBe(0o600)
    rmSync(home, { recursive: true })
    expect(await json('restore', file)).toEqual({
      ...{ file, created_at: report.created_at, sessions: 2, executions: 2, usage: 1, settings: true, kept: null },
      execution_events: report.execution_events,
    })
    expect(namesIn(home)).toEqual(['config.yaml', 'sessions.db'])
    expect([await prompts(), await json('ps', '--all'), await json('usage')]).toEqual(before)
    expect((await drover('config', 'get', 'server.port')).stdout).toBe('4711\n')
    expect(statSync(store).mode & 0o777).toBe(0o600)
  })

  it.runIf(IS_FULL)('says in one line what it wrote, and leaves nothing else beside the file', async () => {
    const { drover, prompt, root, home, file } = createUser()
    await prompt('one')
    const { code, stdout, stderr } = await drover('backup', 'copy')
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    expect(stdout).toMatch(
      new RegExp(
        `^wrote ${file}: 1 session and 1 execution with \\d+ events, without settings \\(no config.yaml\\); checked\\n$`,
      ),
    )
    expect([namesIn(root), namesIn(home)]).toEqual([['copy'], ['sessions.db']])
  })

  it.runIf(IS_FULL)('works while a server runs prompts', async () => {
    const user = createUser()
    const server = serveDrover(['--demo', '--port', '0'], user.env)
    const base = `http://127.0.0.1:${await portOf(server)}`
    let isDone = false
    const ask = async (text: string) => {
      const body = JSON.stringify({ backend: 'claude', prompt: text })
      await (
        await fetch(`${base}/api/v1/prompt`, { method: 'POST', headers: { 'content-type': 'application/json' }, body })
      ).text()
    }
    await ask('first')
    const work = (async () => {
      for (let at = 0; !isDone; at++) await ask(`prompt ${at}`)
    })()
    const { sessions } = await user.json('backup', user.file)
    isDone = true
    await work
    expect(sessions).toBeGreaterThan(0)
    const copy = new DatabaseSync(user.file, { readOnly: true })
    expect(copy.prepare('SELECT count(*) AS count FROM sessions').get()).toEqual({ count: sessions })
    expect(copy.prepare('PRAGMA integrity_check').get()).toEqual({ integrity_check: 'ok' })
    copy.close()
  })

  it('replaces a file only with --force', async () => {
    const { drover, json, prompt, file } = createUser()
    await prompt('one')
    writeFileSync(file, 'mine')
    expect(await drover('backup', file)).toEqual({
      ...{ code: 1, stdout: '' },
      stderr: `drover: ${file} exists; give another name, or --force to replace it\n`,
    })
    expect(readFileSync(file, 'utf8')).toBe('mine')
    expect(await json('backup', file, '--force')).toMatchObject({ sessions: 1 })
  })

  it.each(
    firstOf(
      [
        ['the store itself', (user: User) => user.store, 2, 'is the file that drover is using'],
        ['a link to the store', linkTo, 2, 'is the file that drover is using'],
        [
          'a directory that does not exist',
          (user: User) => join(user.root, 'none', 'copy'),
          1,
          'no such file or directory',
        ],
        ['a directory', (user: User) => user.home, 1, 'is a directory'],
      ],
      2,
    ),
  )('refuses %s, and changes nothing', async (_, targetOf, exitCode, message) => {
    const user = createUser()
    await user.prompt('one')
    const ran = await user.drover('backup', targetOf(user), '--force')
    expect(ran).toMatchObject({ code: exitCode, stdout: '', stderr: expect.stringContaining(message) })
    expect(await user.prompts()).toEqual(['one'])
  })

  it('says that there is nothing to back up yet', async () => {
    const { drover, file, store } = createUser()
    expect(await drover('backup', file)).toMatchObject({
      code: 1,
      stderr: `drover: ${store} does not exist, so there is nothing to back up; the first prompt creates it\n`,
    })
    expect(existsSync(file)).toBe(false)
  })

  it('writes no copy of a damaged file', async () => {
    const { drover, prompt, root, store, file } = createUser()
    await prompt('a long prompt '.repeat(8_000))
    damage(store)
    expect(await drover('backup', file)).toMatchObject({ code: 1, stderr: expect.stringContaining('it is damaged') })
    expect(namesIn(root)).toEqual([])
  })

  it('does not migrate the store', async () => {
    const { drover, prompt, store, file } = createUser()
    await prompt('one')
    const version = () => {
      const database = new DatabaseSync(store)
      const { user_version: found } = database.prepare('PRAGMA user_version').get() ?? {}
      database.close()
      return Number(found)
    }
    const known = version()
    const database = new DatabaseSync(store)
    database.exec(`PRAGMA user_version = ${known - 1}`)
    database.close()
    expect(await drover('backup', file)).toMatchObject({ code: 0 })
    expect(version()).toBe(known - 1)
  })

  it.skipIf(!IS_FULL || !hasTerminals)(
    'shows its progress on a terminal, and removes what it began when it is interrupted',
    async () => {
      const { prompt, root, env, store, file } = createUser()
      await prompt('one')
      fillStore(store, 300)
      const shown = startOnTerminal(['backup', file], { cwd: root, env })
      await until(() => /copying: \d+ %|checking the copy/.test(shown.seen()))
      await ending(shown.child)
      expect(existsSync(file)).toBe(true)
      rmSync(file)
      const stopped = spawn(process.execPath, [DROVER, 'backup', file], { cwd: root, env, stdio: 'pipe' })
      await until(() => namesIn(root).some((name) => name.startsWith('.drover-tmp-')))
      stopped.kill('SIGINT')
      expect(await ending(stopped)).toMatchObject({ stdout: '' })
      expect(stopped.exitCode).toBe(130)
      expect(namesIn(root)).toEqual([])
    },
  )

  it.each([
    [
      'backup',
      'pg_dump --format=custom --schema=drover --extension=pg_trgm --file=FILE postgres://OWNER@127.0.0.1:1/drover',
    ],
    [
      'restore',
      'pg_restore --clean --if-exists --single-transaction --dbname=postgres://OWNER@127.0.0.1:1/drover FILE',
    ],
  ])('names the program of PostgreSQL, with the owner in place of the role and password: %s', async (command, line) => {
    const { root, env, file } = createUser()
    const url = 'postgres://ada:secret@127.0.0.1:1/drover?password=secret'
    const ran = await runAt(root, [process.execPath, DROVER, command, file], { ...env, DROVER_STORE_URL: url })
    expect(ran).toMatchObject({ code: 1, stdout: '' })
    expect(ran.stderr).toBe(
      `drover: sessions and executions are in PostgreSQL; use its own program, as the role that owns the tables: ${line.replace('FILE', file)}\n`,
    )
  })
})

function linkTo({ root, store }: User): string {
  symlinkSync(store, join(root, 'link'))
  return join(root, 'link')
}

/** Overwrites what is not the header. */
function damage(path: string): void {
  const bytes = readFileSync(path)
  bytes.fill(0xff, 8192, Math.min(bytes.length, 200_000))
  writeFileSync(path, bytes)
}

describe('drover restore', () => {
  it('replaces sessions and settings, and keeps the old ones', async () => {
    const { drover, json, prompt, prompts, home, file } = createUser()
    await prompt('old')
    await drover('config', 'set', 'server.port', '1')
    await json('backup', file)
    await prompt('new')
    await drover('config', 'set', 'server.port', '2')
    const { kept } = await json('restore', file)
    expect(await prompts()).toEqual(['old'])
    expect((await drover('config', 'get', 'server.port')).stdout).toBe('1\n')
    expect(namesIn(kept)).toEqual(['config.yaml', 'sessions.db'])
    expect(kept).toMatch(new RegExp(`^${home}/before-restore-[0-9TZ]+$`))
    expect(statSync(kept).mode & 0o777).toBe(0o700)
    const back = await drover('restore', join(kept, 'sessions.db'))
    expect(back.stdout).toMatch(
      /^restored 2 sessions and 2 executions with \d+ events, without settings\nThe old files are in /,
    )
    expect(await prompts()).toEqual(['new', 'old'])
  })

  it('ends the turns that ran when the backup was written', async () => {
    const { json, prompt, file, store } = createUser()
    await prompt('one')
    const database = new DatabaseSync(store)
    database.exec(`UPDATE sessions SET status = 'active', owner = '${'a'.repeat(32)}'`)
    database.close()
    await json('backup', file)
    await json('restore', file)
    const { sessions } = await json('sessions', 'list')
    expect(sessions[0].status).not.toBe('active')
  })

  it.each([
    ['a server', ['--demo', '--port', '0']],
    ['a server without a local socket', ['--demo', '--port', '0', '--config', 'plain.yaml']],
  ])('refuses while %s runs that does nothing, and changes nothing', async (_, flags) => {
    const user = createUser()
    await user.prompt('old')
    await user.json('backup', user.file)
    await user.prompt('new')
    writeFileSync(join(user.root, 'plain.yaml'), 'server: { local_socket: false }')
    const words = flags.map((word) => (word === 'plain.yaml' ? join(user.root, word) : word))
    const server = serveDrover(words, user.env)
    await portOf(server)
    const ran = await user.drover('restore', user.file)
    expect(ran).toMatchObject({ code: 1, stdout: '', stderr: expect.stringMatching(/ is using .*sessions\.db; stop /) })
    expect(await user.prompts()).toEqual(['new', 'old'])
    expect(namesIn(user.home).filter((name) => /before|tmp/.test(name))).toEqual([])
    server.child.kill()
    await server.ended
    expect(await user.drover('restore', user.file)).toMatchObject({ code: 0 })
  })

  it.runIf(IS_FULL)('refuses while another command runs a prompt', async () => {
    const user = createUser()
    await user.prompt('old')
    await user.json('backup', user.file)
    const env = { ...user.env, DEMO_AGENT_WORD_MS: '500' }
    const words = ['prompt', '--demo', 'takes long', '--direct']
    const other = spawn(process.execPath, [DROVER, ...words], { cwd: user.root, env, stdio: 'pipe' })
    onTestFinished(() => void other.kill('SIGKILL'))
    await until(() => readdirSync(join(user.home, 'owners')).length > 0)
    expect(await user.drover('restore', user.file)).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('another drover process is using'),
    })
    expect(isRunning(other.pid ?? 0)).toBe(true)
  })

  it.each(
    firstOf(
      [
        ['that does not exist', () => {}, 'does not exist'],
        ['that is a directory', (file: string) => mkdirSync(file), 'is a directory'],
        ['that is empty', (file: string) => writeFileSync(file, ''), 'it is empty'],
        ['that is no database', (file: string) => writeFileSync(file, 'hello '.repeat(1000)), 'it is not a database'],
        ['of another program', writeOther, 'it is a database of another program'],
        [
          'that is cut off',
          async (file: string, user: User) => truncateSync(await backUp(file, user), 60_000),
          'it is damaged',
        ],
        ['that is damaged', async (file: string, user: User) => damage(await backUp(file, user)), 'it is damaged'],
        ['that lacks a row', lackRow, 'it has 1 rows of sessions, not 2'],
        ['of a newer drover', makeNewer, 'was written by a newer version of drover (schema 99'],
        [
          'that is the store',
          (file: string, user: User) => symlinkSync(user.store, file),
          'is the file that drover is using',
        ],
        ['that a process writes to', (file: string) => writeFileSync(`${file}-wal`, 'x'), 'a process writes to it'],
      ],
      6,
    ),
  )('refuses a file %s, and changes nothing', async (_, write, message) => {
    const user = createUser()
    await user.prompt('one')
    await user.prompt('a long prompt '.repeat(8_000))
    if (message.startsWith('a process')) await backUp(user.file, user)
    await write(user.file, user)
    const before = await user.prompts()
    const ran = await user.drover('restore', user.file)
    expect(ran).toMatchObject({ stdout: '', stderr: expect.stringContaining(message) })
    expect(ran.code).not.toBe(0)
    expect(await user.prompts()).toEqual(before)
    expect(namesIn(user.home)).toEqual(['sessions.db'])
  })

  it('replaces a damaged store, and keeps it', async () => {
    const { json, prompt, prompts, store, file } = createUser()
    await prompt('one')
    await json('backup', file)
    writeFileSync(store, 'damaged '.repeat(2000))
    const { kept } = await json('restore', file)
    expect(namesIn(kept)).toEqual(['sessions.db'])
    expect(readFileSync(join(kept, 'sessions.db'), 'utf8')).toBe('damaged '.repeat(2000))
    expect(await prompts()).toEqual(['one'])
  })

  it.runIf(IS_FULL)('leaves the config alone that --config names', async () => {
    const user = createUser()
    await user.prompt('one')
    await user.drover('config', 'set', 'server.port', '1')
    await user.json('backup', user.file)
    const other = join(user.root, 'other.yaml')
    writeFileSync(other, 'server: { port: 3 }')
    await user.drover('config', 'set', 'server.port', '2')
    expect(await user.json('restore', user.file, '--config', other)).toMatchObject({ settings: false })
    expect((await user.drover('config', 'get', 'server.port')).stdout).toBe('2\n')
    expect(await user.json('backup', user.file, '--force', '--config', other)).toMatchObject({ settings: false })
  })

  it('leaves complete sessions and settings, old or new, wherever it is killed', async () => {
    const user = createUser()
    await user.prompt('old')
    await user.drover('config', 'set', 'server.port', '1')
    await user.json('backup', user.file)
    await user.prompt('new')
    await user.drover('config', 'set', 'server.port', '2')
    const template = join(user.root, 'template')
    const copyState = (from: string, to: string) => {
      rmSync(to, { recursive: true, force: true })
      mkdirSync(to)
      for (const name of ['sessions.db', 'sessions.db-wal', 'config.yaml'])
        copyFileSync(join(from, name), join(to, name))
    }
    // As after a kill: the newest change is only in the log beside the file.
    const open = new DatabaseSync(user.store)
    open.exec("UPDATE sessions SET initial_prompt_start = 'newest' WHERE initial_prompt_start = 'new'")
    copyState(user.home, template)
    open.close()
    expect(statSync(join(template, 'sessions.db-wal')).size).toBeGreaterThan(0)
    const countFile = join(user.root, 'count')
    const seen = new Set<string>()
    const restoreKilledAt = (at: number) => {
      const env = { ...user.env, KILL_AT: String(at), KILL_COUNT: countFile }
      return runAt(user.root, [process.execPath, '--import', KILLER, DROVER, 'restore', user.file], env)
    }
    expect(await restoreKilledAt(0)).toMatchObject({ code: 0 })
    const calls = Number(readFileSync(countFile, 'utf8'))
    expect(calls).toBeGreaterThan(15)
    for (const at of placesUpTo(calls)) {
      copyState(template, user.home)
      expect((await restoreKilledAt(at)).code, `killed at ${at} of ${calls}`).toBe(null)
      const state = readState(user)
      seen.add(state)
      expect(['newest,old 2', 'old 2', 'old 1'], `killed at ${at} of ${calls}`).toContain(state)
      for (const kept of namesIn(user.home).filter((name) => name.startsWith('before-restore'))) {
        if (state !== 'newest,old 2') expect(existsSync(join(user.home, kept, 'sessions.db'))).toBe(true)
      }
    }
    expect([...seen].toSorted()).toEqual(['newest,old 2', 'old 1', 'old 2'])
    // What the last kill left does not disturb the next attempt.
    copyState(template, user.home)
    await restoreKilledAt(Math.floor(calls / 2))
    await user.json('restore', user.file)
    expect([await user.prompts(), (await user.drover('config', 'get', 'server.port')).stdout]).toEqual([['old'], '1\n'])
    expect(namesIn(user.home).filter((name) => name.startsWith('.drover-tmp-'))).toEqual([])
  }, 180_000)
})

/** The prompts of all sessions, and the port, as a new process finds them. */
function readState({ home, store }: User): string {
  const database = new DatabaseSync(store)
  const rows = database.prepare('SELECT initial_prompt_start AS prompt FROM sessions ORDER BY 1').all()
  expect(database.prepare('PRAGMA integrity_check').get()).toEqual({ integrity_check: 'ok' })
  database.close()
  const port = /port: (\d)/.exec(readFileSync(join(home, 'config.yaml'), 'utf8'))?.[1]
  return `${rows.map(({ prompt }) => prompt).join(',')} ${port}`
}

async function backUp(file: string, user: User): Promise<string> {
  await user.json('backup', file)
  return file
}

function writeOther(file: string): void {
  const database = new DatabaseSync(file)
  database.exec('CREATE TABLE other (x)')
  database.close()
}

async function lackRow(file: string, user: User): Promise<void> {
  const database = new DatabaseSync(await backUp(file, user))
  database.exec('DELETE FROM sessions WHERE number = 1')
  database.close()
}

async function makeNewer(file: string, user: User): Promise<void> {
  const database = new DatabaseSync(await backUp(file, user))
  database.exec('PRAGMA user_version = 99')
  database.close()
}
