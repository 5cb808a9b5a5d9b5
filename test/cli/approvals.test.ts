/** What a warm agent asks for, decided on the terminal of a command. */

import { spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { request } from 'node:http'
import { userInfo } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { stripVTControlCharacters } from 'node:util'
import { describe, expect, it } from 'vitest'
import { IS_FULL } from '../support/full-counts.ts'
import { createLocalUser } from '../support/local-user.ts'
import { hasTerminals, screenOf, startOnTerminal } from '../support/on-terminal.ts'
import { DROVER, ending } from '../support/run-drover.ts'
import { until } from '../support/until.ts'

type User = ReturnType<typeof createLocalUser>

const ORDER = '{"ask":"Bash"}'
const ASKING = [ORDER, '--approval', 'always']
const QUESTION = 'Allow it? y = yes, n = no '

/** Who decided, as the events tell it. */
const byIn = (events: readonly { type: string; content: { by?: object } }[]) =>
  events.find(({ type }) => type === 'approval_decision')?.content.by

async function createUser(warm: Record<string, unknown> = {}, env: Record<string, string> = {}): Promise<User> {
  const user = createLocalUser(warm, env)
  await user.drover('up')
  return user
}

describe.skipIf(!hasTerminals)('a user on a terminal', () => {
  const open = ({ work, env }: User, args: readonly string[]) => startOnTerminal(args, { cwd: work, env })
  const shown = (terminal: ReturnType<typeof open>) => stripVTControlCharacters(terminal.seen())
  const shows = (terminal: ReturnType<typeof open>, part: string) => until(() => shown(terminal).includes(part))

  it('sees what the agent wants to do, and decides with one key, as the log says', async () => {
    const user = await createUser({}, { DROVER_EXECUTIONS_KEEP: 'events' })
    const denied = open(user, [...ASKING, '-b', 'claude'])
    await shows(denied, `claude wants to use Bash:\n  | echo asked\n${QUESTION}`)
    denied.type('xn')
    expect(await denied.ended).toMatchObject({ code: 0 })
    expect(shown(denied)).toMatch(/n = no → no\n[^\n]* failed: .*deny/)

    const allowed = open(user, [...ASKING, '-b', 'codex'])
    await shows(allowed, 'y = yes, a = yes, for the rest of the session, n = no ')
    allowed.type('a')
    await allowed.ended
    expect(shown(allowed)).toContain('{"decision":"acceptForSession"}')

    const { stdout } = await user.drover('ps', '--all', '--json')
    const logs = await Promise.all(
      JSON.parse(stdout).executions.map(({ id }: { id: string }) => user.drover('logs', id)),
    )
    const who = `by ${userInfo().username} (terminal): `
    expect(logs.map((log) => log.stdout)).toEqual([
      expect.stringContaining(`→ allowed for the session ${who}command_execution Bash\n`),
      expect.stringContaining(`→ denied ${who}Bash echo asked\n`),
    ])
  })

  it.runIf(IS_FULL)('answers what the agent asks, with the number of an option or a text', async () => {
    const options = [{ label: 'SQLite', description: 'one file' }, { label: 'PostgreSQL' }]
    const questions = ['Which store?', 'And which first?'].map((question) => ({ question, options }))
    const asking = [JSON.stringify({ ask: 'AskUserQuestion', input: { questions } }), '--approval', 'always']
    const user = await createUser()
    const answered = open(user, [...asking, '-b', 'claude'])
    const how = '(1 to 2, or a text; Enter = no answer): '
    await shows(answered, `claude asks:\n  | 1. Which store?\n  |    1) SQLite: one file\n`)
    await shows(answered, `Answer 1 ${how}`)
    answered.type('2\r')
    await shows(answered, `Answer 2 ${how}`)
    answered.type('DuckDx\u007fB\r')
    expect(await answered.ended).toMatchObject({ code: 0 })
    const said = shown(answered).replace(/\s+/g, ' ')
    expect(said).toContain('"answers":{"Which store?":"PostgreSQL","And which first?":"DuckDB"}')

    const left = open(user, [...asking, '-b', 'claude'])
    await shows(left, `Answer 1 ${how}`)
    left.type('\r')
    await left.ended
    expect(shown(left).replace(/\s+/g, ' ')).toMatch(/→ \(no answer\).*No answer is available/)
  })

  it('can allow a long command only after all of its lines were shown, and deny it before', async () => {
    const lines = Array.from({ length: 300 }, (_, at) => `echo ${at}`)
    const command = [...lines, 'rm -rf \u001b[8mall'].join('\n')
    const asking = [JSON.stringify({ ask: 'Bash', input: { command } }), '--approval', 'always', '-b', 'claude']
    const user = await createUser()
    const terminal = open(user, asking)
    const screen = () => screenOf(terminal.seen(), 80)
    await shows(terminal, '-- 22 of 302 lines')
    expect(screen()).toContain('  | echo 20')
    expect(screen()).not.toContain('  | echo 21')
    // Those that are typed ahead, and those that are no way to the end, are no answers.
    terminal.type('ya\r')
    await shows(terminal, '-- 23 of 302 lines')
    for (let page = 23 + 22; page < 302; page += 22) {
      terminal.type(' y')
      await shows(terminal, `-- ${page} of 302 lines`)
    }
    expect(shown(terminal)).not.toContain(QUESTION)
    terminal.type(' yy')
    await shows(terminal, QUESTION)
    const rows = screen().filter((row) => row.startsWith('  | '))
    expect(rows).toEqual([...lines, 'rm -rf \\u001b[8mall'].map((line) => `  | ${line}`))
    terminal.type('n')
    await terminal.ended
    expect(shown(terminal)).toMatch(/n = no → no\n[^\n]* failed: .*deny/)

    const denied = open(user, asking)
    await shows(denied, '-- 22 of 302 lines')
    denied.type('n')
    await denied.ended
    expect(shown(denied)).toMatch(/n = no -- → no\n[^\n]* failed: .*deny/)
  })

  it.runIf(IS_FULL)('is told how to be asked if there is no server, but not if drover would not use it', async () => {
    const user = createLocalUser()
    const warned = async (args: readonly string[], env = {}) => {
      const terminal = open({ ...user, env: { ...user.env, ...env } }, [...ASKING, ...args])
      await terminal.ended
      return shown(terminal).replace(/\s+/g, ' ')
    }
    const remedy = '; run drover up first, and drover asks you'
    expect(await warned(['-b', 'claude'])).toContain(`everything that needs approval is denied${remedy}`)
    expect(await warned(['-b', 'codex'])).toContain(`it may write nowhere${remedy}`)
    const direct = await warned(['-b', 'claude', '--direct'])
    const cold = await warned(['-b', 'claude'], { DROVER_WARM_ENABLED: 'false' })
    for (const text of [direct, cold])
      expect([text.includes('without a user to ask'), text.includes(remedy)]).toEqual([true, false])
  })

  it.runIf(IS_FULL)('is asked on stderr, so that stdout has only events', async () => {
    const { work: cwd, env, home } = await createUser()
    const stdout = join(home, 'events')
    const terminal = startOnTerminal([...ASKING, '-b', 'claude', '-o', 'stream-json'], { cwd, env, stdout })
    await shows(terminal, QUESTION)
    terminal.type('y')
    expect(await terminal.ended).toMatchObject({ code: 0 })
    const events = readFileSync(stdout, 'utf8')
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line))
    const types = ['init', 'approval_request', 'approval_decision', 'tool_result', 'done']
    expect(events.map(({ type }) => type)).toEqual(expect.arrayContaining(types))
    expect(byIn(events)).toEqual({ via: 'terminal', name: userInfo().username })
  })

  it.runIf(IS_FULL)(
    'is asked in a conversation, which then continues, and where Ctrl-C ends only the turn',
    async () => {
      const terminal = open(await createUser(), ['chat', '-b', 'claude', '--approval', 'always'])
      await shows(terminal, 'claude> ')
      terminal.type(`${ORDER}\r`)
      await shows(terminal, QUESTION)
      terminal.type('y')
      await shows(terminal, 'n = no → yes\n')
      await until(() => shown(terminal).endsWith('claude> '))
      terminal.type(`${ORDER}\r`)
      await until(() => shown(terminal).endsWith(QUESTION))
      terminal.type('\u0003')
      await shows(terminal, 'drover: claude was canceled\n')
      await until(() => shown(terminal).endsWith('claude> '))
      terminal.type('/exit\r')
      expect(await terminal.ended).toMatchObject({ code: 0 })
    },
  )

  it.runIf(IS_FULL)('is asked in a resumed session, and ends the prompt with Ctrl-C', async () => {
    const user = await createUser()
    await user.ask({ say: 'one' })
    const terminal = open(user, ['resume', '--last', '--approval', 'always'])
    await shows(terminal, 'Prompt: ')
    terminal.type(`${ORDER}\r`)
    await shows(terminal, QUESTION)
    terminal.type('\u0003')
    expect(await terminal.ended).toMatchObject({ code: 130 })
    expect(shown(terminal)).toContain('drover: claude was canceled\n')
  })

  it.runIf(IS_FULL)('is no longer asked when the time is over', async () => {
    const terminal = open(await createUser({ approval_timeout_secs: 1 }), [...ASKING, '-b', 'claude'])
    await shows(terminal, `${QUESTION}→ (no answer)\n`)
    expect(await terminal.ended).toMatchObject({ code: 0 })
    expect(shown(terminal)).toMatch(/ failed: .*no one decided within 1 s/)
  })
})

describe('without a terminal', () => {
  const start = ({ work, env }: User) => {
    const child = spawn(process.execPath, [DROVER, ...ASKING, '-b', 'claude', '-o', 'stream-json'], {
      cwd: work,
      env,
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    let stderr = ''
    child.stderr.on('data', (chunk) => {
      stderr += chunk
    })
    return { ended: ending(child), stderr: () => stderr }
  }

  it.runIf(IS_FULL)('stderr says once what is waited for, and a request over the socket decides', async () => {
    const user = await createUser()
    const { ended, stderr } = start(user)
    const path = await until(() => / http:\/\/localhost(\S+)\n/.exec(stderr())?.[1])
    expect(await post(user.socket, path, { decision: 'allow' })).toMatchObject({ decision: 'allow' })
    const { code, stdout } = await ended
    expect([code, stderr().match(/wants to use Bash:\n {2}\| echo asked\n/g)?.length]).toEqual([0, 1])
    expect(stdout).toMatch(/behavior.*allow/)
    const events = stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line))
    for (const event of events) expect(event).toHaveProperty('type')
    expect(byIn(events)).toEqual({ via: 'socket', name: userInfo().username })
  })

  it.runIf(IS_FULL)('it is denied after its time', async () => {
    const { code, stdout, stderr } = await start(await createUser({ approval_timeout_secs: 1 })).ended
    expect([code, stdout]).toEqual([0, expect.stringMatching(/behavior.*deny.*no one decided within 1 s/)])
    expect(stderr).toContain('without one it is denied after 1 s')
  })
})

function post(socketPath: string, path: string, body: object): Promise<unknown> {
  const { promise, resolve, reject } = Promise.withResolvers<unknown>()
  const headers = { host: 'localhost', 'content-type': 'application/json' }
  const sent = request({ socketPath, path, method: 'POST', headers })
  sent.on('error', reject).on('response', async (response) => resolve(JSON.parse(await text(response))))
  sent.end(JSON.stringify(body))
  return promise
}
