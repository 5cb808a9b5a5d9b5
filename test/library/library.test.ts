/** The library, as a program uses it. */

import { spawn } from 'node:child_process'
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { userInfo } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { digest } from '../../src/kit/digest.ts'
import {
  type ActRequest,
  createDrover,
  type DroverError,
  type DroverOptions,
  type PromptEvent,
} from '../../src/library/drover.ts'
import { firstOf, IS_FULL } from '../support/full-counts.ts'
import { createOldFile } from '../support/old-store.ts'
import { ending, runAt, temporaryDirectory, temporaryDirectoryForAll } from '../support/run-drover.ts'
import { createRepository } from '../support/temporary-repository.ts'
import { isRunning, program } from '../support/test-command.ts'
import { until } from '../support/until.ts'
import { installWarmAgents } from '../support/warm-agents.ts'

const agents = installWarmAgents(join(temporaryDirectoryForAll(), 'bin'))

/** A drover with scripted claude and codex, and a demo gemini. A prompt is an order: `{"say": "text"}`. */
function open(options: DroverOptions = {}) {
  const home = temporaryDirectory()
  const cwd = temporaryDirectory()
  const env = { PATH: `${agents}:/usr/bin:/bin`, HOME: home, DEMO_AGENT_WORD_MS: '0' }
  const drover = createDrover({ home, cwd, env, demo: true, ...options })
  onTestFinished(() => drover.close())
  return { drover, home, cwd, env }
}

/** The demo agent takes the place of all three. */
const DEMO_ONLY = { PATH: '/usr/bin:/bin', DEMO_AGENT_WORD_MS: '0' }

const order = (what: object) => JSON.stringify(what)

async function failure(promise: Promise<unknown>): Promise<DroverError> {
  return await promise.then(
    () => {
      throw new Error('it did not fail')
    },
    (error) => error,
  )
}

describe('an unknown option', () => {
  it('of createDrover is refused, with the one that was meant', () => {
    expect(() => createDrover({ demos: true } as DroverOptions)).toThrow(
      expect.objectContaining({
        name: 'DroverError',
        code: 'option_unknown',
        message: 'createDrover has no option "demos"; did you mean "demo"?',
      }),
    )
    expect(() => createDrover({ prompt: 'x' } as DroverOptions)).toThrow(
      /^createDrover has no option "prompt"; it has config, /,
    )
  })

  it('of a call is refused, and nothing is started', async () => {
    const { drover, home } = open()
    const wrong = { onAproval: () => 'allow', signals: undefined } as object
    const calls = [
      drover.prompt('hi', wrong).result,
      drover.parallel({ tasks: [{ prompt: 'hi' }] }, wrong),
      drover.drive('Do it', wrong).result,
      drover.serve({ ports: 0 } as object),
    ]
    for (const call of calls) expect(await failure(call)).toMatchObject({ code: 'option_unknown' })
    expect(existsSync(join(home, 'sessions.db'))).toBe(false)
  })
})

describe('a prompt', () => {
  it('has events and a result, and is resumed in its session', async () => {
    const { drover, cwd } = open({ config: { default_backend: 'gemini' } })
    const run = drover.prompt('hello there')
    const events: PromptEvent[] = []
    for await (const event of run) events.push(event)
    expect([events[0]?.type, events.at(-1)?.type]).toEqual(['init', 'done'])
    const result = await run.result
    expect(result).toMatchObject({ backend: 'gemini', exit_code: 0, output: expect.stringContaining('hello there') })
    const again = await drover.prompt({ prompt: 'once more', session: result.session_id }).result
    expect(again.session_id).toBe(result.session_id)
    const { sessions, total } = await drover.sessions.list({ workdir: cwd, resumable: true })
    expect([total, sessions[0]?.turn_count]).toEqual([1, 2])
    const turns = await drover.sessions.turns(result.session_id.slice(0, 8))
    expect(turns.map(({ prompt }) => prompt)).toEqual(['hello there', 'once more'])
    expect(await drover.sessions.edit(result.session_id, { title: 'Greeting', shared: true })).toMatchObject({
      title: 'Greeting',
      shared: true,
    })
    expect(await drover.sessions.delete(result.session_id)).toBe(result.session_id)
  })

  it('is counted by budgets', async () => {
    const { drover } = open({ config: { default_backend: 'gemini', budgets: [{ limit: '1requests/once' }] } })
    expect(await drover.budgets()).toMatchObject({ budgets: [{ name: 'all prompts', limit: 1, used: 0 }] })
    await drover.prompt('hello there').result
    expect(await drover.budgets()).toMatchObject({ budgets: [{ used: 1, reserved: 0 }] })
    await expect(drover.prompt('once more').result).rejects.toMatchObject({ code: 'budget_spent' })
  })

  it.runIf(IS_FULL)('keeps its events for a reader that comes late', async () => {
    const { drover } = open()
    const run = drover.prompt({ prompt: 'hello', backend: 'gemini', ephemeral: true })
    const { exit_code } = await run.result
    const types: string[] = []
    for await (const { type } of run) types.push(type)
    expect([exit_code, types[0], types.at(-1)]).toEqual([0, 'init', 'done'])
  })

  it('is ended by a signal, by cancel, and by a loop that is left', async () => {
    const { drover } = open()
    const hang = { prompt: order({ say: 'x', hang: true }), backend: 'claude', ephemeral: true }
    const abort = new AbortController()
    const aborted = drover.prompt(hang, { signal: abort.signal })
    const canceled = drover.prompt(hang)
    const left = drover.prompt(hang)
    for await (const { type } of left) if (type === 'init') break
    abort.abort()
    canceled.cancel()
    const errors = await Promise.all([aborted, canceled, left].map(({ result }) => failure(result)))
    expect(errors.map(({ code }) => code)).toEqual(['agent_cancelled', 'agent_cancelled', 'agent_cancelled'])
    expect(errors[0]).toMatchObject({ name: 'DroverError', result: { backend: 'claude', exit_code: 130 } })
    const before = AbortSignal.abort()
    expect(await failure(drover.prompt(hang, { signal: before }).result)).toMatchObject({ code: 'canceled' })
  })

  it('tells a running agent something', async () => {
    const { drover } = open({ demo: false, warm: true })
    const listen = { prompt: order({ listen: 'now' }), backend: 'claude' }
    const run = drover.prompt(listen)
    await expect(run.say('  ')).rejects.toMatchObject({ code: 'prompt_empty' })
    expect(await run.say('use knots')).toMatchObject({ delivered: 'now' })
    const { output, execution_id: id = '' } = await run.result
    expect(output).toBe('use knots')
    expect(await failure(drover.say(id, 'more'))).toMatchObject({ code: 'execution_ended' })
    expect(await failure(drover.prompt({ prompt: 'x', backend: 'none' }).say('hi'))).toMatchObject({
      code: 'backend_not_found',
    })
  })

  it('lets the program decide about what the agent asks for', async () => {
    const { drover } = open({ demo: false })
    const asked: unknown[] = []
    const ask = { prompt: order({ ask: 'Bash' }), backend: 'claude', approval_mode: 'always' } as const
    const allowed = drover.prompt(ask, {
      onApproval: ({ tool_name, command }) => {
        asked.push([tool_name, command])
        return 'allow'
      },
    })
    expect(await toolOutputs(allowed)).toMatch(/behavior.*allow/)
    expect(asked).toEqual([['Bash', 'echo asked']])
    const by = { via: 'program', name: userInfo().username }
    expect((await allowed.result).approvals).toMatchObject([{ decision: 'allow', by }])
    const denied = drover.prompt(ask, {
      onApproval: () => {
        throw new Error('no idea')
      },
    })
    expect(await toolOutputs(denied)).toMatch(/behavior.*deny.*the decision failed: no idea/)
    expect((await denied.result).approvals).toMatchObject([{ decision: 'deny', by: { via: 'drover' } }])
    const told = drover.prompt(ask, { onApproval: async () => ({ decision: 'deny', message: 'not today' }) })
    expect(await toolOutputs(told)).toMatch(/behavior.*deny.*not today/)
  })

  it.each([[undefined], [false], ['no'], [{ decision: 'no' }]])(
    'is denied what the agent asks for if the program decides %j',
    async (decision) => {
      const { drover } = open({ demo: false })
      const ask = { prompt: order({ ask: 'Bash' }), backend: 'claude', approval_mode: 'always' } as const
      const denied = drover.prompt(ask, { onApproval: () => decision as never })
      expect(await toolOutputs(denied)).toMatch(/behavior.*deny.*the decision must be allow, allow_session or deny/)
    },
  )

  it.runIf(IS_FULL)('continues with another agent only in a fork, which is told the conversation', async () => {
    const { drover } = open({ env: DEMO_ONLY })
    const first = await drover.prompt({ prompt: 'the weather', backend: 'claude' }).result
    const session = first.session_id
    const moved = drover.prompt({ prompt: 'and now?', session, backend: 'gemini' }).result
    expect(await failure(moved)).toMatchObject({ code: 'resume_invalid', message: expect.stringMatching(/fork: true/) })
    const forked = await drover.prompt({ prompt: 'and now?', session, backend: 'gemini', fork: true }).result
    expect(forked.session_id).not.toBe(session)
    expect(forked.output).toContain('is the record of an')
    const same = await drover.prompt({ prompt: 'and now?', session, fork: true }).result
    expect(same.output).toContain('"and now?"')
    expect([same.backend, same.session_id === session]).toEqual(['claude', false])
    expect(await drover.sessions.get(session)).toMatchObject({ turn_count: 1 })
  })

  it('comes in pieces unless the program wants it whole', async () => {
    const { drover } = open({ env: DEMO_ONLY })
    const piecesOf = async (deltas?: boolean) => {
      const texts: boolean[] = []
      const run = drover.prompt({ prompt: 'hello there', backend: 'claude', ephemeral: true }, { deltas })
      for await (const event of run) if (event.type === 'message') texts.push(event.content.is_partial === true)
      return texts
    }
    expect(await piecesOf()).toContain(true)
    expect(await piecesOf(false)).not.toContain(true)
  })

  it.each([
    ['an unknown backend', { prompt: 'x', backend: 'nope' }, 'backend_not_found', /use claude, codex, gemini/],
    ['an unknown field', { prompt: 'x', modle: 'y' }, 'message_invalid', /\$\.modle/],
    ['an empty prompt', { prompt: '' }, 'message_invalid', /\$\.prompt/],
    ['a missing session', { prompt: 'x', session: 'abcd1234' }, 'session_not_found', /abcd1234/],
    ['a fork of nothing', { prompt: 'x', fork: true }, 'resume_invalid', /fork needs a session/],
    ['a relative directory', { prompt: 'x', workdir: 'src' }, 'workdir_not_allowed', /absolute/],
  ])('with %s is refused, in its result and in its events', async (_name, request, code, message) => {
    const { drover } = open()
    const run = drover.prompt(request as never)
    const reading = async () => {
      for await (const _ of run) throw new Error('it has an event')
    }
    expect(await failure(reading())).toMatchObject({ code })
    expect(await failure(run.result)).toMatchObject({
      name: 'DroverError',
      code,
      message: expect.stringMatching(message),
    })
  })
})

describe('several prompts', () => {
  it.runIf(IS_FULL)('run at once, as a chain, and as a comparison', async () => {
    const { drover } = open({ config: { default_backend: 'gemini' } })
    const seen: string[] = []
    const tasks = [{ prompt: 'one' }, { prompt: 'two', backend: 'nope' }]
    const parallel = await drover.parallel({ tasks }, { onEvent: ({ type, item }) => seen.push(`${item} ${type}`) })
    expect(parallel).toMatchObject({
      completed: 1,
      failed: 1,
      results: [{ exit_code: 0 }, { error_code: 'backend_not_found' }],
    })
    expect(seen).toEqual(expect.arrayContaining(['0 started', '0 event', '0 ended', '1 ended']))
    const chain = await drover.chain({ steps: [{ prompt: 'one' }, { prompt: 'after: {{previous}}' }] })
    expect(chain.results[1]?.output).toContain('after: ')
    const compared = await drover.compare({ prompt: 'both', backends: ['gemini', 'claude'] })
    expect(compared.results.map(({ backend }) => backend)).toEqual(['gemini', 'claude'])
    expect(await failure(drover.parallel({ tasks: [] }))).toMatchObject({ code: 'message_invalid' })
  })

  it.runIf(IS_FULL)('compares what agents change in worktrees, and keeps one', async () => {
    const repository = createRepository()
    repository.write('a', 'one\n')
    repository.commit()
    const { drover, home } = open({ env: DEMO_ONLY, cwd: repository.root })
    const request = { prompt: 'Show the wind', backends: ['claude', 'codex'], worktrees: true, checks: ['ls a'] }
    const { results } = await drover.compare(request)
    expect(results.map(({ worktree }) => worktree)).toMatchObject([
      { name: 'claude', files: 1, checks: [{ passed: true }] },
      { name: 'codex', files: 1, checks: [{ passed: true }] },
    ])
    const { kept, dropped } = await drover.keep({ name: 'claude' })
    expect(dropped).toMatchObject([{ name: 'codex' }])
    expect(repository.git('show', `${kept?.branch}:drover-demo.md`)).toContain('Show the wind')
    expect(readdirSync(join(home, 'worktrees'))).toEqual([])
    expect(await failure(drover.keep({}))).toMatchObject({ code: 'comparison_over' })
  })
})

describe('a program that ends while agents run', () => {
  const ENDS = [
    ['SIGTERM', null, 'SIGTERM'],
    ['exit', 7, null],
    // Its own handler decides: this one closes drover.
    ['handler', 9, null],
  ] as const
  it.each(firstOf(ENDS))('ends them and their tools: %s', async (how, code, signal) => {
    const [home, cwd] = [temporaryDirectory(), temporaryDirectory()]
    const child = spawn(process.execPath, [program('ends-with-agent.ts'), how], {
      cwd,
      env: { PATH: `${agents}:/usr/bin:/bin`, HOME: home },
    })
    const { stdout } = await ending(child)
    expect([child.exitCode, child.signalCode]).toEqual([code, signal])
    const { agents: started, added } = JSON.parse(stdout)
    expect(added).toEqual([1, 1, 1, 1])
    const tools = readFileSync(join(cwd, 'tools'), 'utf8').trim().split('\n')
    expect([started.length, tools.length]).toEqual([2, 2])
    await until(() => ![...started, ...tools].some((pid) => isRunning(Number(pid))))
  })
})

describe('an instance', () => {
  it.runIf(IS_FULL)('shares nothing with another one', async () => {
    const [one, other] = [
      open({ config: { default_backend: 'gemini' } }),
      open({ config: { default_backend: 'codex' } }),
    ]
    const results = await Promise.all([one, other].map(({ drover }) => drover.prompt(order({ say: 'x' })).result))
    expect(results.map(({ backend }) => backend)).toEqual(['gemini', 'codex'])
    await one.drover.close()
    expect((await other.drover.sessions.list()).total).toBe(1)
  })

  it('ends what runs when it is closed, refuses everything afterwards, and may be closed twice', async () => {
    const { drover } = open()
    const run = drover.prompt({ prompt: order({ say: 'x', hang: true }), backend: 'claude' })
    for await (const { type } of readFirst(run)) expect(type).toBe('init')
    await Promise.all([drover.close(), drover.close()])
    expect(await failure(run.result)).toMatchObject({ code: 'agent_cancelled' })
    const closed = { name: 'DroverError', code: 'drover_closed' }
    expect(await failure(drover.prompt('x').result)).toMatchObject(closed)
    expect(await failure(drover.sessions.list())).toMatchObject(closed)
    expect(await failure(drover.serve())).toMatchObject(closed)
    expect(await failure(drover.drive('x').result)).toMatchObject(closed)
    expect(await failure(drover.parallel({ tasks: [{ prompt: 'x' }] }))).toMatchObject(closed)
  })

  it('reads the config file, variables and its option, which counts most', async () => {
    const file = join(temporaryDirectory(), 'config.yaml')
    writeFileSync(file, 'default_backend: claude\nunified_flags:\n  dry_run: true\n')
    const { drover } = open({ configFile: file })
    expect(await drover.prompt(order({ say: 'x' })).result).toMatchObject({
      backend: 'claude',
      output: /Would execute/,
    })
    const { drover: other } = open({ configFile: file, config: { default_backend: 'codex' } })
    expect(await other.prompt(order({ say: 'x' })).result).toMatchObject({ backend: 'codex', output: /Would execute/ })
    const { drover: lost } = open({ configFile: `${file}.old` })
    const missing = { code: 'config_file_missing', details: { named_by: expect.any(String) } }
    expect(await failure(lost.prompt('x').result)).toMatchObject(missing)
    // @ts-expect-error: there is no such setting
    const { drover: wrong } = open({ config: { default_backnd: 'codex' } })
    const error = await failure(wrong.prompt('x').result)
    expect(error).toMatchObject({
      code: 'config_invalid',
      message: expect.stringMatching(/the option config: default_backnd/),
    })
  })

  it('defines a backend that speaks ACP by its option', async () => {
    const own = { protocol: 'acp' as const, command: ['/no/such/program'] }
    const config = { default_backend: 'own', backends: { own } }
    expect(await failure(open({ config }).drover.prompt('x').result)).toMatchObject({ code: 'backend_unavailable' })
  })

  it('creates nothing on disk before the first call', async () => {
    const { drover, home } = open()
    expect(existsSync(join(home, 'sessions.db'))).toBe(false)
    await drover.close()
    expect(existsSync(join(home, 'sessions.db'))).toBe(false)
  })
})

it('a server decides whom everything belongs to that was stored when keys had no ids', async () => {
  const home = temporaryDirectory()
  await createOldFile(join(home, 'sessions.db'))
  const { drover } = open({ home, config: { server: { keys: [{ name: 'ada', sha256: digest('a key of ada') }] } } })
  const log: string[] = []
  await drover.serve({ port: 0, onLog: ({ message }) => log.push(message) })
  expect(log).toContainEqual(expect.stringContaining('executions from before keys had ids belong to the keys'))
})

it('a server answers with the agents and sessions of the program, until it is closed', async () => {
  const { drover } = open()
  const log: string[] = []
  const server = await drover.serve({ port: 0, onLog: ({ message }) => log.push(message) })
  const headers = { 'content-type': 'application/json' }
  const body = JSON.stringify({ backend: 'gemini', prompt: 'hello there' })
  const answer = await fetch(`${server.url}/api/v1/prompt`, { method: 'POST', headers, body })
  expect(await answer.json()).toMatchObject({ output: expect.stringContaining('hello there') })
  expect((await drover.sessions.list({ tag: 'api' })).total).toBe(1)
  await Promise.all([server.close(), server.close()])
  expect(log).toContain('request')
  await expect(fetch(`${server.url}/health`)).rejects.toThrow()
  expect((await drover.sessions.list()).total).toBe(1)
})

it.runIf(IS_FULL)(
  'agents drive a run, whose records can be read, and do more when it is delivered',
  {
    timeout: 180_000,
  },
  async () => {
    const { root, write, commit } = createRepository()
    write('wind.txt', 'wind: 42 km/h\n')
    commit()
    const { drover } = open()
    const run = drover.drive({
      goal: 'Show the wind in knots',
      directory: root,
      backend: 'gemini',
      review_backend: 'gemini',
    })
    const types: string[] = []
    for await (const { type } of run) types.push(type)
    expect(types).toEqual(expect.arrayContaining(['drive_started', 'attempt_started', 'attempt_ended', 'delivered']))
    const { verdict, delivered } = await run.result
    expect([verdict.word, delivered?.as]).toEqual(['delivered', 'branch'])
    expect(await runAt(root, ['git', 'rev-parse', delivered?.branch ?? ''], {})).toMatchObject({ code: 0 })
    const id = (await run.result).run_id
    const more = await drover.drive({ run: id, directory: root, also: ['Say it in the docs'] }).result
    expect(more.verdict.word).toMatch(/delivered/)
    expect(more.run_id).not.toBe(id)
    const branches = async () =>
      (await runAt(root, ['git', 'branch', '--format=%(refname:short)'], {})).stdout.split('\n')
    const act = (what: ActRequest['do']) => drover.act({ run: id, directory: root, do: what })
    // Of any round.
    expect(await act('discard')).toMatchObject({ run_id: more.run_id, verdict: { word: 'discarded' } })
    expect(await branches()).not.toContain(delivered?.branch)
    expect((await act('undo_discard')).verdict.word).toMatch(/delivered/)
    expect(await act('merge')).toMatchObject({ run_id: more.run_id, verdict: { word: 'merged' } })
    expect(await branches()).toEqual(['main', ''])
    expect(await runAt(root, ['git', 'show', 'HEAD:drover-demo.md'], {})).toMatchObject({ code: 0 })
    expect(await failure(act('discard'))).toMatchObject({ code: 'run_not_delivered' })
    expect(await failure(drover.act({ run: id, directory: root, do: 'burn' as 'merge' }))).toMatchObject({
      code: 'message_invalid',
    })
    for (const also of [['x'.repeat(2001)], Array(11).fill('x')])
      expect(await failure(drover.drive({ run: id, directory: root, also }).result)).toMatchObject({
        message: expect.stringContaining('also'),
      })
    expect(await failure(drover.drive({ goal: 'x', run: 'y' }).result)).toMatchObject({ code: 'drive_target_unclear' })
  },
)

/** Reads one event and leaves the prompt running. */
async function* readFirst(events: AsyncIterable<PromptEvent>): AsyncGenerator<PromptEvent> {
  const iterator = events[Symbol.asyncIterator]()
  const { value, done } = await iterator.next()
  if (done !== true) yield value
}

async function toolOutputs(events: AsyncIterable<PromptEvent>): Promise<string> {
  let outputs = ''
  for await (const event of events)
    if (event.type === 'tool_result') outputs += event.content.output ?? event.content.error_message
  return outputs
}
