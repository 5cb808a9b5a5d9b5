import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, describe, expect, it } from 'vitest'
import { openStores } from '../../src/executions/store/open-stores.ts'
import { systemClock } from '../../src/kit/clock.ts'
import { randomIds } from '../../src/kit/ids.ts'
import type { NewSession } from '../../src/sessions/session-store.ts'
import { type AgentHome, createAgentHome, hangingAgent } from '../support/agent-home.ts'
import { firstOf, IS_FULL } from '../support/full-counts.ts'
import { hasTerminals, startOnTerminal } from '../support/on-terminal.ts'
import { DROVER } from '../support/run-drover.ts'

let home: AgentHome

beforeEach(() => {
  home = createAgentHome()
})

const DAY_MS = 24 * 60 * 60 * 1000
const POLICY = { approval_mode: 'default', sandbox_mode: 'default', extra: [] } as const

/** Puts a finished session into the store as if it had been used so many days ago. */
async function keep(
  wish: Partial<NewSession> & { daysAgo?: number; outcome?: 'completed' | 'error'; wantedId?: string } = {},
): Promise<string> {
  const { daysAgo = 0, outcome = 'completed', wantedId, ...fields } = wish
  const clock = { now: () => new Date(systemClock.now().getTime() - daysAgo * DAY_MS) }
  const ids = wantedId === undefined ? randomIds : { ...randomIds, hex: () => wantedId }
  const { sessions: store } = await openStores({ path: join(home.path, '.drover', 'sessions.db'), clock, ids })
  const { id } = await store.create({
    backend: 'claude',
    working_dir: home.path,
    initial_prompt: 'a prompt',
    tags: [],
    metadata: {},
    policy: POLICY,
    ...fields,
  })
  const usage = { input_tokens: 30, output_tokens: 4, cached_tokens: 2, reasoning_tokens: 1 }
  await store.finishTurn(id, {
    outcome,
    usage,
    backendSessionId: 'agent-1',
    ...(outcome === 'error' && { errorMessage: 'it broke' }),
  })
  await store.close()
  return id
}

const sessions = (...args: string[]) => home.drover(['sessions', ...args])

async function listed(...args: string[]): Promise<string[]> {
  const { stdout } = await sessions('list', '--json', ...args)
  return JSON.parse(stdout).sessions.map(({ id }: { id: string }) => id)
}

describe('drover sessions list', () => {
  it('shows the owners if there is more than one', async () => {
    await keep({ title: 'by hand' })
    expect((await sessions('list')).stdout).toMatch(/^ID +BACKEND +STATUS +LAST USED +TOKENS +TITLE\n/)
    await keep({ title: 'hers', keyId: 'key_1', api_key: 'ada' })
    const { stdout } = await sessions('list')
    expect(stdout).toMatch(/^ID +BACKEND +STATUS +LAST USED +OWNER +TOKENS +TITLE\n/)
    expect(stdout).toMatch(/ ada +\d+ +hers\n.* - +\d+ +by hand\n/)
  })

  it('shows all sessions with -n 0', async () => {
    for (let at = 0; at < 21; at++) await keep()
    expect((await listed('-n', '0')).length).toBe(21)
    expect((await listed()).length).toBe(20)
  })

  it('runs when "list" is left out, with its flags', async () => {
    await keep({ backend: 'codex' })
    await keep()
    for (const flags of [[], ['-b', 'codex'], ['-n1', '--json'], ['--search', 'nothing like it']]) {
      expect(await home.drover(['sessions', ...flags])).toEqual(await home.drover(['sessions', 'list', ...flags]))
    }
    expect((await home.drover(['sessions', '--help'])).stdout).toMatch(/drover sessions \[flags\] .*sessions delete/s)
    expect(await home.drover(['sessions', '--nope'])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('no flag --nope'),
    })
  })

  it('reports an empty list without an error', async () => {
    expect(await sessions('list')).toEqual({ code: 0, stdout: 'No sessions found.\n', stderr: '' })
    expect(JSON.parse((await sessions('list', '--json')).stdout)).toEqual({
      sessions: [],
      total: 0,
      limit: 20,
      offset: 0,
    })
  })

  it('is a table, last used first', async () => {
    const old = await keep({ daysAgo: 3, backend: 'codex', outcome: 'error', title: 'the parser' })
    const young = await keep({ initial_prompt: 'several\nlines' })
    expect((await sessions('list')).stdout).toBe(
      [
        'ID        BACKEND  STATUS     LAST USED  TOKENS  TITLE',
        `${young.slice(0, 8)}  claude   completed  just now   36      several lines`,
        `${old.slice(0, 8)}  codex    error      3d ago     34      the parser`,
        '2 of 2\n',
      ].join('\n'),
    )
  })

  it('prints all fields as JSON', async () => {
    const id = await keep({ tags: ['x'], metadata: { ticket: 12345678901234567890n } })
    const { stdout } = await sessions('list', '--json')
    expect(stdout).toContain('"ticket": 12345678901234567890')
    expect(JSON.parse(stdout)).toMatchObject({
      sessions: [{ id, status: 'completed', tags: ['x'], token_usage: { input_tokens: 30 }, policy: POLICY }],
      total: 1,
    })
  })

  it('prints one page and the total', async () => {
    for (const daysAgo of [1, 2, 3]) await keep({ daysAgo, initial_prompt: `number ${daysAgo}` })
    const { stdout } = await sessions('list', '-n', '1', '--offset', '1')
    expect(stdout).toMatch(/number 2\n2-2 of 3; --limit and --offset show others\n$/)
    expect((await sessions('list', '--offset', '7')).stdout).toBe('No sessions from number 8 on; there are 3.\n')
  })

  it('has twenty sessions by default', async () => {
    for (let count = 0; count < 21; count++) await keep()
    expect(await listed()).toHaveLength(20)
    expect(await listed('--limit', '1000')).toHaveLength(21)
  })

  it.each<[string, string[], Partial<NewSession> & { daysAgo?: number; outcome?: 'error' }]>(
    firstOf(
      [
        ['--backend', ['-b', 'gemini'], { backend: 'gemini' }],
        ['--status', ['--status', 'error'], { outcome: 'error' }],
        ['--tag', ['--tag', 'review'], { tags: ['review'] }],
        ['--model', ['-m', 'm-1'], { model: 'm-1' }],
        ['--workdir', ['-w', '/elsewhere'], { working_dir: '/elsewhere' }],
        ['--search in titles', ['--search', 'PARSER'], { title: 'the parser' }],
        ['--search in prompts', ['--search', 'parser'], { initial_prompt: 'write a Parser' }],
        ['--until an age', ['--until', '2d'], { daysAgo: 3 }],
        ['--until a moment', ['--until', new Date(Date.now() - 2 * DAY_MS).toISOString()], { daysAgo: 3 }],
      ],
      5,
    ),
  )('can be filtered by %s', async (_name, flags, fields) => {
    await keep({ daysAgo: 1 })
    const wanted = await keep(fields)
    expect(await listed(...flags)).toEqual([wanted])
  })

  it('can be filtered by --since and --here', async () => {
    await keep({ daysAgo: 3, working_dir: '/elsewhere' })
    const wanted = await keep()
    expect(await listed('--since', '2d')).toEqual([wanted])
    expect(await listed('--here')).toEqual([wanted])
    expect(await listed('--resumable', '--workdir', '.')).toEqual([wanted])
  })

  it.each(
    firstOf(
      [
        [['--since', 'lately'], '--since must be a date such as 2026-01-31'],
        [['--until', '2026-02-30'], '--until must be a date'],
        [['--status', 'lost'], '--status must be one of active, completed, error, paused'],
        [['--limit', '-1'], 'must be a whole number from 0 to 1000'],
        [['--limit', '1001'], 'must be a whole number from 0 to 1000'],
        [['--tag', 'Iew'], 'the tag "Iew" must have 1 to 32 of the characters'],
        [['--tag', ''], 'the value of --tag is empty; give a value or leave the flag out'],
        [['--search='], 'the value of --search is empty'],
        [['--here', '-w', '.'], '--here and --workdir cannot be used together'],
      ],
      5,
    ),
  )('refuses %j', async (flags, sentence) => {
    expect(await sessions('list', ...flags)).toMatchObject({
      code: 2,
      stdout: '',
      stderr: expect.stringContaining(sentence),
    })
  })

  it.skipIf(!hasTerminals)('fits the terminal with wide characters too', async () => {
    await keep({ title: '漢字'.repeat(60) })
    const terminal = startOnTerminal(['sessions', 'list'], { cwd: home.path, env: home.env, columns: 60 })
    const { seen } = await terminal.ended
    expect(seen).toMatch(/36 {6}漢字漢字漢…\n1 of 1\n$/)
  })
})

describe.skipIf(!hasTerminals)('on a narrow terminal', () => {
  const narrow = (...args: string[]) =>
    startOnTerminal(['sessions', ...args], { cwd: home.path, env: home.env, columns: 40 }).ended

  it('a list drops columns instead of wrapping lines', async () => {
    for (const daysAgo of [0, 1]) await keep({ daysAgo, title: 'a title of several words' })
    const { seen } = await narrow('list', '-n', '1')
    expect(seen).toMatch(/^ID +BACKEND +STATUS +TITLE\n[0-9a-f]{8} {2}claude {3}completed {2}a title o…\n1 of 2; /)
    for (const line of seen.split('\n')) expect(line.length).toBeLessThanOrEqual(40)
  })

  it('long values wrap between words', async () => {
    const id = await keep({ title: 'a title of several words that say more' })
    const { seen } = await narrow('show', id)
    expect(seen).toContain('title        a title of several words\n             that say more\n')
  })
})

describe('drover sessions show', () => {
  it('prints one field per line', async () => {
    const id = await keep({ title: 'the parser', tags: ['a', 'b'], metadata: { k: 'v' }, model: 'm-1' })
    const { code, stdout } = await sessions('show', id.slice(0, 6))
    expect(code).toBe(0)
    expect(stdout.replace(/\d{4}-\S+Z/g, 'T')).toBe(
      [
        `id           ${id}`,
        'title        the parser',
        'backend      claude',
        'status       completed',
        'model        m-1',
        `directory    ${home.path}`,
        'created      T',
        'last used    T (just now)',
        'turns        1',
        'tokens       32 in (2 cached), 4 out (1 reasoning)',
        'tags         a, b',
        'allowed      approval default, sandbox default',
        "agent's id   agent-1",
        'metadata     {"k":"v"}',
        'prompt       a prompt',
        `resume with  drover resume ${id.slice(0, 8)} "..."`,
        '',
        'No turn of this session is kept, only its first prompt. To keep prompts and answers: drover config set executions.keep results\n',
      ].join('\n'),
    )
  })

  it('prints the turns that are kept: prompt, tools, answer, time and usage', async () => {
    const env = { DROVER_EXECUTIONS_KEEP: 'events' }
    const script = { text: ['Fine.'], tool: 'true' }
    const first = await home.drover(['prompt', 'first\nlines', '-o', 'json'], { env, script })
    const id: string = JSON.parse(first.stdout).session_id
    await home.drover(['resume', id, 'unkept'], { script })
    await home.drover(['resume', id, 'third'], { env, script: { fail: 429 } })
    const { stdout } = await sessions('show', id)
    const [, ...turns] = stdout.split('\n\n')
    expect(turns).toHaveLength(3)
    expect(turns[0]).toMatch(
      /^Turn 1 · completed · \S+Z · [\d.]+ m?s · .*out.*\n> first\n> lines\n→ \S+ .*true.*\nFine\.$/,
    )
    expect(turns[1]).toMatch(/^Turn 2 · failed .*\n> third\n(.*\n)*failed: /)
    expect(turns[2]).toBe(
      '2 of 3 turns are kept. To keep prompts and answers: drover config set executions.keep results\n',
    )
    const json = JSON.parse((await sessions('show', id, '--json')).stdout)
    expect(json.turns).toMatchObject([
      { prompt: 'first\nlines', answer: 'Fine.', state: 'completed', tools: [{ name: expect.any(String) }] },
      { prompt: 'third', state: 'failed', error: expect.any(String) },
    ])
    const lines = (await sessions('export', id, '--format', 'jsonl')).stdout
    expect(JSON.parse(lines)).toEqual(json)
  })

  it('shows nothing more of a session that was deleted', async () => {
    const env = { DROVER_EXECUTIONS_KEEP: 'events' }
    const { stdout } = await home.drover(['prompt', 'private', '-o', 'json'], { env })
    const { session_id: id, execution_id: execution } = JSON.parse(stdout)
    await sessions('delete', id)
    expect(await home.drover(['logs', execution])).toMatchObject({ code: 1, stdout: '' })
  })

  it('prints why the last turn failed', async () => {
    const id = await keep({ outcome: 'error' })
    expect((await sessions('show', id)).stdout).toContain('last error   it broke')
    expect(JSON.parse((await sessions('show', id, '--json')).stdout)).toMatchObject({ id, error_message: 'it broke' })
  })

  it.each([
    ['unknown', 'abcd1234', 1, 'no session abcd1234; drover sessions list shows the ids'],
    ['too short', 'abc', 2, 'at least its first 4 characters'],
    ['not an id', 'hello', 2, 'only the digits 0-9 and a-f'],
  ])('reports an id that is %s', async (_name, id, code, sentence) => {
    expect(await sessions('show', id)).toMatchObject({ code, stderr: expect.stringContaining(sentence) })
  })
})

describe('an ambiguous id', () => {
  it.each<[string, string[]]>([
    ['sessions', ['sessions', 'show', 'abcd']],
    ['resume', ['resume', 'abcd', 'say more']],
  ])('is refused by %s with a list of candidates', async (_name, words) => {
    const ids = Array.from({ length: 6 }, (_, at) => `abcd${at}`.padEnd(32, '0'))
    for (const id of ids) await keep({ title: `number ${id[4]}`, wantedId: id })
    const { code, stderr } = await home.drover(words)
    expect(code).toBe(1)
    expect(stderr).toMatch(/^drover: 6 session ids begin with abcd; give more characters:\n/)
    expect(stderr.match(/^ {2}abcd\d000 {2}claude {2}just now {2}number \d$/gm)).toHaveLength(5)
    expect(stderr).toContain('\n  and 1 more\n')
  })
})

describe('drover sessions delete', () => {
  it('deletes one or several, each once', async () => {
    const [one, two, three] = [await keep(), await keep(), await keep()]
    const { code, stdout } = await sessions('delete', one.slice(0, 8), two, one)
    expect({ code, stdout }).toEqual({ code: 0, stdout: `Deleted session ${one}.\nDeleted session ${two}.\n` })
    expect(JSON.parse((await sessions('delete', three, '--json')).stdout)).toEqual({ deleted: [three], failed: [] })
    expect(await listed()).toEqual([])
  })

  it('deletes nothing when one of the ids is wrong', async () => {
    const id = await keep()
    expect(await sessions('delete', id, 'abcd1234')).toMatchObject({ code: 1 })
    expect(await listed()).toEqual([id])
  })

  it('keeps an active session and says so', async () => {
    const idle = await keep()
    const pidFile = join(home.path, 'pids')
    const { child, ended } = home.start(['hello there'], { script: { hangAfter: 'init', pidFile } })
    await hangingAgent(pidFile)
    const [busy = ''] = await listed('--status', 'active')
    const { code, stdout } = await sessions('delete', busy, idle, '--json')
    expect(code).toBe(1)
    expect(JSON.parse(stdout)).toEqual({
      deleted: [idle],
      failed: [{ id: busy, error: 'session_active', message: expect.stringContaining('a turn is running in session') }],
    })
    child.kill('SIGINT')
    await ended
  })
})

describe('drover sessions clean', () => {
  it('deletes sessions older than the given age', async () => {
    const old = await keep({ daysAgo: 10 })
    const young = await keep({ daysAgo: 1 })
    const dry = await sessions('clean', '--older-than', '7d', '--dry-run')
    expect(dry.stdout).toMatch(new RegExp(`^Would delete 1 session last used before [^\n]*\\.\n {2}${old}\n$`))
    expect((await sessions('clean', '--older-than', '7')).stdout).toMatch(
      /^Deleted 1 session last used before \S+Z\.\n$/,
    )
    expect(await listed()).toEqual([young])
  })

  it('uses session.retention_days by default', async () => {
    const old = await keep({ daysAgo: 31 })
    const young = await keep({ daysAgo: 29 })
    const { stdout } = await sessions('clean', '--json')
    expect(JSON.parse(stdout)).toEqual({ deleted: [old], before: expect.stringMatching(/Z$/), dry_run: false })
    expect(await listed()).toEqual([young])
  })

  it('accepts hours and weeks', async () => {
    await keep({ daysAgo: 1 })
    expect((await sessions('clean', '--older-than', '2w')).stdout).toContain('Deleted 0 sessions')
    expect((await sessions('clean', '--older-than', '23h')).stdout).toContain('Deleted 1 session ')
  })

  it.each<[string, string[], Record<string, string>, string]>(
    firstOf(
      [
        ['an age of nothing', ['--older-than', '0'], {}, '--older-than 0 would delete every session'],
        ['an age of no days', ['--older-than', '0d'], {}, '--older-than 0 would delete every session'],
        [
          'no age when sessions are kept for ever',
          [],
          { DROVER_SESSION_RETENTION_DAYS: '0' },
          'never deleted by age; give an age',
        ],
        ['all without a yes', ['--all'], {}, '--all deletes every session; confirm with --yes'],
        ['all and an age', ['--all', '--yes', '--older-than', '3d'], {}, 'cannot be used together'],
        ['no age at all', ['--older-than', 'old'], {}, '--older-than must be a number of days'],
        ['an age that nothing has', ['--older-than', '1000000d'], {}, 'of at most 36500 days, not "1000000d"'],
      ],
      4,
    ),
  )('never deletes everything by accident: %s', async (_name, flags, env, sentence) => {
    await keep({ daysAgo: 400 })
    expect(await home.drover(['sessions', 'clean', ...flags], { env })).toMatchObject({
      code: 2,
      stdout: '',
      stderr: expect.stringContaining(sentence),
    })
    expect(await listed()).toHaveLength(1)
  })

  it('deletes all sessions with --all --yes', async () => {
    await keep()
    await keep()
    expect((await sessions('clean', '--all', '--dry-run')).stdout).toContain('Would delete 2 sessions.')
    expect((await sessions('clean', '--all', '--yes')).stdout).toBe('Deleted 2 sessions.\n')
    expect(await listed()).toEqual([])
  })

  it('lists at most ten ids in a dry run', async () => {
    for (let count = 0; count < 12; count++) await keep({ daysAgo: 100 })
    const { stdout } = await sessions('clean', '--dry-run')
    expect(stdout.split('\n')).toHaveLength(13)
    expect(stdout).toContain('  and 2 more')
  })
})

describe('drover sessions tag and rename', () => {
  it('adds each tag once and removes tags', async () => {
    const id = await keep({ tags: ['a'] })
    const short = id.slice(0, 8)
    expect((await sessions('tag', 'add', id, 'b', 'a')).stdout).toBe(`Session ${short} is tagged a, b.\n`)
    expect((await sessions('tag', 'rm', short, 'a', 'none')).stdout).toBe(`Session ${short} is tagged b.\n`)
    expect(JSON.parse((await sessions('tag', 'rm', id, 'b', '--json')).stdout)).toMatchObject({ id, tags: [] })
  })

  it('refuses an invalid tag', async () => {
    const id = await keep()
    expect(await sessions('tag', 'add', id, 'No Good')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('the tag "No Good" must have 1 to 32'),
    })
    expect(await sessions('tag', 'add', id)).toMatchObject({ code: 2, stderr: expect.stringContaining('needs <tag>') })
  })

  it('sets and removes a title', async () => {
    const id = await keep()
    const short = id.slice(0, 8)
    expect((await sessions('rename', id, 'the parser')).stdout).toBe(`Session ${short} is called "the parser".\n`)
    expect(await listed('--search', 'parser')).toEqual([id])
    expect((await sessions('rename', id, '')).stdout).toBe(`Session ${short} has no title.\n`)
    expect(await sessions('rename', id, '  ')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('title must not be only white space'),
    })
  })

  it('prints a title without marks that reverse the text', async () => {
    const id = await keep()
    expect((await sessions('rename', id, 'a\u202eb')).stdout).toContain('is called "ab".')
  })
})

describe('drover sessions share and unshare', () => {
  it('changes who sees a session of a key, and tells it', async () => {
    const id = await keep({ keyId: 'key_1', api_key: 'ada' })
    const short = id.slice(0, 8)
    expect((await sessions('share', short)).stdout).toBe(`Session ${short} is visible to every API key of a server.\n`)
    const shown = (await sessions('show', id)).stdout
    expect(shown).toMatch(/^API key +ada$/m)
    expect(shown).toMatch(/^shared +with all API keys$/m)
    expect((await sessions('unshare', short)).stdout).toBe(
      `Session ${short} is visible to the API key ada, operators and you.\n`,
    )
    expect((await sessions('show', id)).stdout).not.toContain('shared')
    const { code, stderr } = await sessions('share', '0000')
    expect([code, stderr]).toEqual([1, expect.stringContaining('no session 0000')])
  })
})

describe('drover sessions export', () => {
  it.runIf(IS_FULL)('is whole if a session is deleted while it is written', async () => {
    // More than a pipe holds.
    const id = await keep({ initial_prompt: 'x'.repeat(1_000_000) })
    const [command, ...args] = [process.execPath, DROVER, 'sessions', 'export']
    const child = spawn(command, args, { cwd: home.path, env: home.env, stdio: ['ignore', 'pipe', 'inherit'] })
    const ended = once(child, 'close')
    let [text, isDeleted] = ['', false]
    for await (const piece of child.stdout.setEncoding('utf8')) {
      text += piece
      // The session has been read by then.
      if (!isDeleted && text.includes(id)) {
        isDeleted = true
        expect(await sessions('delete', id)).toMatchObject({ code: 0 })
      }
    }
    expect(await ended).toEqual([0, null])
    expect(isDeleted).toBe(true)
    expect(JSON.parse(text).sessions).toMatchObject([{ id }])
  })

  it('writes JSON, JSON lines or Markdown', async () => {
    const id = await keep({ initial_prompt: 'some *stars*\n```\ncode\n```' })
    expect(JSON.parse((await sessions('export')).stdout)).toEqual({
      exported_at: expect.stringMatching(/Z$/),
      sessions: [expect.objectContaining({ id })],
    })
    const { stdout: lines } = await sessions('export', '--format', 'jsonl')
    expect(
      lines
        .split('\n')
        .filter(Boolean)
        .map((line) => JSON.parse(line).id),
    ).toEqual([id])
    const { stdout: text } = await sessions('export', '--format', 'markdown')
    expect(text).toContain('## some \\*stars\\*')
    expect(text).toContain('````text\nsome *stars*\n```\ncode\n```\n````\n')
  })

  it('accepts ids or filters, but not both', async () => {
    const [one, two] = [await keep({ tags: ['x'] }), await keep()]
    const ids = async (...args: string[]) =>
      JSON.parse((await sessions('export', ...args)).stdout).sessions.map(({ id }: { id: string }) => id)
    expect(await ids(two.slice(0, 8), one)).toEqual([two, one])
    expect(await ids(one, two, one.slice(0, 8), '-o', '-')).toEqual([one, two])
    expect(existsSync(join(home.path, '-'))).toBe(false)
    expect(await ids('--tag', 'x')).toEqual([one])
    expect(await sessions('export', one, '--tag', 'x')).toMatchObject({ code: 2 })
  })

  it.runIf(IS_FULL)('writes sessions whose prompts together do not fit into memory', async () => {
    const prompt = 'x'.repeat(5_000_000)
    const count = 8
    for (let at = 0; at < count; at++) await keep({ initial_prompt: prompt })
    const env = { NODE_OPTIONS: '--max-old-space-size=48' }
    const path = join(home.path, 'out.json')
    const { code, stderr } = await home.drover(['sessions', 'export', '-o', path], { env })
    expect({ code, stderr }).toEqual({ code: 0, stderr: `Wrote ${count} sessions to ${path}.\n` })
    expect(statSync(path).size).toBeGreaterThan(count * prompt.length)
    const list = await home.drover(['sessions', 'list', '--json'], { env })
    expect(JSON.parse(list.stdout)).toMatchObject({ total: count, sessions: { length: count } })
    expect(list.stdout.length).toBeLessThan(20_000)
  })

  it('writes a private file and replaces an existing one only with --force', async () => {
    const id = await keep()
    const path = join(home.path, 'out.json')
    expect(await sessions('export', '-o', 'out.json')).toEqual({
      code: 0,
      stdout: '',
      stderr: `Wrote 1 session to ${path}.\n`,
    })
    expect(statSync(path).mode & 0o777).toBe(0o600)
    expect(JSON.parse(readFileSync(path, 'utf8')).sessions).toMatchObject([{ id }])
    writeFileSync(path, 'mine')
    expect(await sessions('export', '-o', 'out.json')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('already exists; choose another name, or replace it with --force'),
    })
    expect(readFileSync(path, 'utf8')).toBe('mine')
    expect(await sessions('export', '-o', 'out.json', '--force')).toMatchObject({ code: 0 })
  })
})

describe('command names of other programs', () => {
  it.each([
    ['ls', 'list'],
    ['rm', 'delete'],
    ['remove', 'delete'],
  ])('%s suggests %s', async (word, meant) => {
    expect(await sessions(word)).toMatchObject({
      code: 2,
      stderr: expect.stringContaining(`unknown command "sessions ${word}"; did you mean drover sessions ${meant}?`),
    })
  })
})

describe('completion', () => {
  const offered = async (...typed: string[]) => {
    const { stdout } = await home.drover(['complete-words', '--', ...typed])
    return stdout.split('\n').filter(Boolean)
  }

  it('offers the ids of sessions', async () => {
    const id = await keep()
    expect(await offered('sessions', 'show', '')).toEqual([id.slice(0, 8)])
    expect(await offered('resume', id.slice(0, 3))).toEqual([id.slice(0, 8)])
    expect(await offered('sessions', 'tag', 'add', '')).toEqual([id.slice(0, 8)])
  })

  it('offers nothing and creates no file when there are no sessions', async () => {
    rmSync(join(home.path, '.drover'), { recursive: true })
    expect(await offered('sessions', 'show', '')).toEqual([])
    expect(existsSync(join(home.path, '.drover'))).toBe(false)
  })

  it('offers nothing when the sessions cannot be read', async () => {
    const path = join(home.folder('.drover'), 'sessions.db')
    writeFileSync(path, 'not a database')
    expect(await home.drover(['complete-words', '--', 'sessions', 'show', ''])).toEqual({
      code: 0,
      stdout: '',
      stderr: '',
    })
    expect(await sessions('list')).toMatchObject({ code: 1, stderr: expect.stringContaining(path) })
  })
})
