import { execFileSync } from 'node:child_process'
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { beforeEach, describe, expect, it } from 'vitest'
import { findAcpAgent } from '../../../src/agents/acp/agent.ts'
import { startAcpAgent } from '../../../src/agents/acp/run-acp-agent.ts'
import type { AgentEvent, AgentRequest, ApprovalRequest, AttributedReply } from '../../../src/agents/adapter/agent.ts'
import type { AcpScript, AcpStep } from '../../fake-agent/acp-script.ts'
import { acpRequest, finishAcp, installAcpAgent, receivedFrames, startAcp } from '../../support/acp-agent.ts'
import { agentRequest } from '../../support/agent-request.ts'
import { firstOf, IS_FULL } from '../../support/full-counts.ts'
import { temporaryDirectory } from '../../support/run-drover.ts'
import { isRunning } from '../../support/test-command.ts'

let directory: string
let workdir: string

beforeEach(() => {
  directory = realpathSync(temporaryDirectory())
  workdir = join(directory, 'work')
  mkdirSync(workdir)
})

type Over = Parameters<typeof finishAcp>[1]

const run = (script: AcpScript, over: Over = {}) =>
  finishAcp(installAcpAgent(directory, script), { ...over, request: { workdir, ...over?.request } })

const typesOf = (events: readonly AgentEvent[]) => events.map(({ type }) => type)
const methods = () => receivedFrames(directory).flatMap(({ method }) => method ?? [])
const answers = () => receivedFrames(directory).filter(({ id }) => String(id).startsWith('agent-'))

const OPTIONS = [
  { optionId: 'once', kind: 'allow_once' },
  { optionId: 'once-and-switch', kind: 'allow_once' },
  { optionId: 'always', kind: 'allow_always' },
  { optionId: 'no', kind: 'reject_once' },
]

const asking = (toolCall: object): AcpStep => ({
  ask: { toolCall: { toolCallId: 't1', ...toolCall }, options: OPTIONS },
})

describe('a turn', () => {
  it('opens a session, sends the prompt and ends', async () => {
    const { events, result } = await run(
      { sessionId: 's1' },
      { request: { prompt: 'say hello', systemPrompt: 'be brief' } },
    )
    const said = '<system>\nbe brief\n</system>\n\nsay hello'
    expect(result).toMatchObject({ exitCode: 0, text: `You said: ${said}`, ended: 'itself' })
    expect(typesOf(events)).toEqual(['init', 'message', 'done'])
    expect(events[0]?.content).toMatchObject({ working_dir: workdir })
    const [initialize, opened, prompt] = receivedFrames(directory)
    expect(initialize?.params).toMatchObject({ protocolVersion: 1, clientInfo: { name: 'drover' } })
    expect(initialize?.params?.['clientCapabilities']).toEqual({
      fs: { readTextFile: false, writeTextFile: false },
      elicitation: { form: {} },
      session: { configOptions: { boolean: {} } },
    })
    expect(opened?.params).toEqual({ cwd: workdir, mcpServers: [] })
    expect(prompt?.params).toEqual({ sessionId: 's1', prompt: [{ type: 'text', text: said }] })
    expect(methods()).toEqual(['initialize', 'session/new', 'session/prompt'])
  })

  it('reports tool calls once, with their input, output and exit code', async () => {
    const call = { toolCallId: 't1', title: 'make', kind: 'execute' }
    const { events } = await run({
      steps: [
        { update: { sessionUpdate: 'tool_call', ...call, status: 'pending', rawInput: {} } },
        { update: { sessionUpdate: 'tool_call_update', toolCallId: 't1', rawInput: { command: 'make' } } },
        { update: { sessionUpdate: 'tool_call_update', toolCallId: 't1', status: 'in_progress' } },
        {
          update: {
            sessionUpdate: 'tool_call_update',
            toolCallId: 't1',
            status: 'completed',
            rawOutput: { output: 'no rule', exit_code: 2 },
          },
        },
        { say: 'It failed.' },
      ],
    })
    expect(events.slice(1, 3)).toEqual([
      { type: 'tool_use', content: { tool_id: 't1', tool_name: 'execute', input: { command: 'make' } } },
      {
        type: 'tool_result',
        content: {
          tool_id: 't1',
          tool_name: 'execute',
          output: 'no rule',
          is_error: true,
          error_message: 'exit code 2',
        },
      },
    ])
  })

  it('waits for what an agent says after its answer', async () => {
    const { result } = await run({ steps: [{ say: 'one' }], late: [' two', ' three'] })
    expect(result).toMatchObject({ exitCode: 0, text: 'one two three' })
  })

  it('skips frames that it does not know, and updates of other sessions', async () => {
    const { result } = await run({
      steps: [
        { raw: 'Loading models…' },
        { raw: '{"jsonrpc":"2.0","id":99,"result":{}}' },
        { raw: '{"jsonrpc":"2.0","method":"_vendor/notify","params":{}}' },
        { update: { sessionUpdate: 'unheard_of', content: 5 } },
        { session: 'another', say: 'not for you' },
        { request: { method: 'vendor/ask' } },
        { say: 'fine' },
      ],
    })
    expect(result).toMatchObject({ exitCode: 0, text: 'fine' })
    expect(answers()).toMatchObject([{ error: { code: -32601 } }])
  })

  it('passes a chunk of a megabyte', async () => {
    const { result } = await run({ steps: [{ sayBytes: 1_048_576 }] })
    expect(result.text).toHaveLength(1_048_576)
  })

  const FLOODS: readonly [string, AcpStep][] = [
    ['frames', { flood: true }],
    ['lines that are no frames', { flood: 'text' }],
  ]
  it.each(firstOf(FLOODS))('ends an agent that writes %s without end', async (_name, step) => {
    const { result } = await run({ steps: [step], ignoresCancel: true })
    expect(result).toMatchObject({ exitCode: 1, error: { code: 'agent_output_too_large' } })
  })
})

describe('a failure', () => {
  it.each<[string, AcpScript, object]>([
    [
      'an empty turn',
      { steps: [] },
      { code: 'agent_ended_early', message: expect.stringContaining('without an answer') },
    ],
    [
      'an error of the prompt',
      { steps: [{ fails: { code: -32603, message: 'status 429: slow down' } }] },
      { code: 'agent_rate_limited' },
    ],
    [
      'a missing login',
      { errors: { 'session/new': { code: -32000, message: 'Authentication required' } } },
      { code: 'agent_auth_failed', message: 'fake is not logged in; to log in, start it in a terminal and log in' },
    ],
    ['a refusal', { steps: [{ say: 'no' }], result: { stopReason: 'refusal' } }, { code: 'agent_request_rejected' }],
    [
      'a reason that is not known',
      { steps: [{ say: 'no' }], result: { stopReason: 'weird' } },
      { code: 'agent_failed', message: expect.stringContaining('"weird"') },
    ],
    [
      'another version of the protocol',
      { initialize: { protocolVersion: 7 } },
      { message: expect.stringContaining('speaks version 7 of the Agent Client Protocol, not 1') },
    ],
    ['a session without an id', { sessionId: '' }, { message: 'it has opened no session' }],
    [
      'an exit before the first frame',
      { exitAtStart: 3, stderr: 'error: unknown option --acp\n' },
      { code: 'agent_bad_flag', message: 'unknown option --acp' },
    ],
    ['an exit in the middle', { steps: [{ say: 'so far' }, { exit: 4 }] }, { code: 'agent_ended_early' }],
  ])('is %s', async (_name, script, error) => {
    const { events, result } = await run(script)
    expect(result.error).toMatchObject(error)
    expect(result.exitCode).not.toBe(0)
    expect(events[0]?.type).toBe('init')
    expect(typesOf(events).slice(-2)).toEqual(['error', 'done'])
  })

  it.runIf(IS_FULL)('is a deadline, whatever the agent does', async () => {
    const scripts: AcpScript[] = [
      { initialize: null },
      { steps: [{ say: 'so far' }, { hang: true }], ignoresCancel: true, ignoresSignals: true },
      { steps: [{ noAnswer: true }], ignoresEof: true },
      { answersWithId: 12_345 },
    ]
    const outcomes = scripts.map(async (script, at) => {
      const program = installAcpAgent(directory, script, `agent-${at}`)
      const { result } = await finishAcp(program, { request: { workdir, timeoutMs: 1500 } })
      return [result.exitCode, result.error?.code]
    })
    expect(await Promise.all(outcomes)).toEqual(scripts.map(() => [124, 'agent_timeout']))
  })

  it('throws before the first event only if the program cannot be started', async () => {
    await expect(startAcp(join(directory, 'missing'), { request: { workdir } }).next()).rejects.toMatchObject({
      code: 'program_not_found',
    })
  })
})

describe('a session', () => {
  it.each(['session/load', 'session/resume'] as const)(
    'is continued by %s, without what was said before',
    async (resume) => {
      const profile = { resume }
      const first = await run({ sessionId: 's1' }, { profile, request: { prompt: 'one' } })
      expect(first.events[0]?.content).toMatchObject({ backend_session_id: 's1' })
      const second = await run({ sessionId: 's2' }, { profile, request: { prompt: 'two', resumeId: 's1' } })
      expect(second.result).toMatchObject({ text: 'You said: two', sessionId: 's1' })
      expect(methods().slice(-2)).toEqual([resume, 'session/prompt'])
    },
  )

  it('fills its context as the agent says', async () => {
    const update = { sessionUpdate: 'usage_update', used: 9, size: 99 }
    const { events } = await run({ steps: [{ update }, { update: { ...update, used: 0 } }, { say: 'done' }] })
    expect(events.at(-1)?.content).toMatchObject({ context: { used_tokens: 9, window_tokens: 99 } })
  })

  it('costs what the agent says, without what it cost before', async () => {
    const profile = { resume: 'session/resume' as const }
    const costing = (amount: number): AcpStep => ({
      update: { sessionUpdate: 'usage_update', used: 9, size: 99, cost: { amount, currency: 'USD' } },
    })
    const turn = async (resumeId: string | undefined, ...steps: AcpStep[]) =>
      (await run({ sessionId: 's1', steps: [...steps, { say: 'done' }] }, { profile, request: { resumeId } })).result
    expect((await turn(undefined, costing(0.1), costing(0.3))).costUsd).toBe(0.3)
    // It is not known what the session cost before.
    expect((await turn('s1', costing(0.4))).costUsd).toBeUndefined()
  })

  it('that the agent no longer has is missing', async () => {
    const { result } = await run({}, { profile: { resume: 'session/load' }, request: { resumeId: 'gone' } })
    expect(result.error?.code).toBe('agent_session_missing')
  })

  it('has no id if the agent was not seen to continue sessions', async () => {
    const { events, result } = await run({ sessionId: 's1' })
    expect([events[0]?.content, result.sessionId]).toEqual([{ working_dir: workdir }, undefined])
  })

  it('is deleted if the prompt is ephemeral; a warning says if it cannot be', async () => {
    const request = { isEphemeral: true }
    const deleted = await run({ sessionId: 's1' }, { request })
    expect(methods().slice(-1)).toEqual(['session/delete'])
    expect(deleted.result.warnings).toEqual(['fake reports no token usage'])
    const kept = await run({ initialize: { agentCapabilities: {} } }, { request })
    expect(kept.result.warnings).toContain('the agent cannot delete its session, which stays stored')
  })
})

describe('files and terminals of the client', () => {
  const client = { files: true, terminal: true } as const
  const read = (path: string): AcpStep => ({ request: { method: 'fs/read_text_file', params: { path } } })
  const write = (path: string): AcpStep => ({
    request: { method: 'fs/write_text_file', params: { path, content: 'new' } },
  })
  const end: AcpStep = { say: 'ok' }

  it('are offered only to agents that use them', async () => {
    await run({ steps: [read(join(workdir, 'a.txt')), end] })
    expect(answers()).toMatchObject([{ error: { code: -32601 } }])
    await run({ steps: [end] }, { profile: { client } })
    expect(receivedFrames(directory).findLast(({ method }) => method === 'initialize')?.params).toMatchObject({
      clientCapabilities: { fs: { readTextFile: true, writeTextFile: true }, terminal: true },
    })
  })

  it('read and write in the working directory', async () => {
    writeFileSync(join(workdir, 'a.txt'), 'one\ntwo\nthree\n')
    const path = join(workdir, 'a.txt')
    const lines: AcpStep = { request: { method: 'fs/read_text_file', params: { path, line: 2, limit: 1 } } }
    await run({ steps: [read(path), lines, write(join(workdir, 'b.txt')), end] }, { profile: { client } })
    expect(answers().map(({ result }) => result)).toEqual([{ content: 'one\ntwo\nthree\n' }, { content: 'two' }, {}])
    expect(readFileSync(join(workdir, 'b.txt'), 'utf8')).toBe('new')
  })

  it('do not leave the working directory, not even by a link', async () => {
    writeFileSync(join(directory, 'secret'), 'hunter2')
    symlinkSync(directory, join(workdir, 'out'))
    const steps = [
      read(join(directory, 'secret')),
      read(join(workdir, 'out', 'secret')),
      write(join(workdir, '..', 'x')),
      read('a.txt'),
    ]
    await run({ steps: [...steps, end] }, { profile: { client } })
    const outside = expect.stringContaining('is not in the working directory')
    expect(answers().map(({ error }) => error?.message)).toEqual([
      outside,
      outside,
      outside,
      'the path must be absolute',
    ])
    expect(existsSync(join(directory, 'x'))).toBe(false)
  })

  it('write nothing that git reads as its settings, not even by a link', async () => {
    mkdirSync(join(workdir, '.git/hooks'), { recursive: true })
    symlinkSync('.git', join(workdir, 'link'))
    const names = ['.git/config', '.git', 'link/config', 'inner/.GIT/hooks/pre-commit', '.gitignore']
    const request = { sandboxMode: 'workspace' as const }
    await run({ steps: [...names.map((name) => write(`${workdir}/${name}`)), end] }, { profile: { client }, request })
    const ofGit = expect.stringContaining('belongs to git')
    expect(results()).toEqual([ofGit, ofGit, ofGit, ofGit, {}])
    expect([readdirSync(join(workdir, '.git')), existsSync(join(workdir, 'inner'))]).toEqual([['hooks'], false])
  })

  it.each(['read-only', 'workspace'] as const)('follow the sandbox mode %s', async (sandboxMode) => {
    const path = join(workdir, 'b.txt')
    const steps: AcpStep[] = [write(path), { terminal: { command: 'touch c.txt' } }, end]
    await run({ steps }, { profile: { client }, request: { sandboxMode } })
    expect([existsSync(path), existsSync(join(workdir, 'c.txt'))]).toEqual([sandboxMode === 'workspace', false])
  })

  /** Lets the agent run these steps in the approval mode `always`, and answers its questions. */
  async function decide(steps: AcpStep[], decisions: AttributedReply['decision'][], over: Over = {}) {
    const asked: ApprovalRequest[] = []
    const onApproval = async (request: ApprovalRequest): Promise<AttributedReply> => {
      asked.push(request)
      return { decision: decisions.shift() ?? 'deny', by: { via: 'program' } }
    }
    const request = { approvalMode: 'always' as const, hasApprover: true, ...over.request }
    const { result } = await run({ steps: [...steps, end] }, { profile: { client }, request, options: { onApproval } })
    return { asked: asked.map(({ tool_name, command, input }) => command ?? input ?? tool_name), result }
  }

  it('write and run nothing that the user has denied, and once what was allowed', async () => {
    const [a, b] = [join(workdir, 'a'), join(workdir, 'b')]
    const touch = (path: string): AcpStep => ({
      request: { method: 'terminal/create', params: { command: 'touch', args: [path] } },
    })
    const { asked, result } = await decide(
      [write(a), touch(a), write(b), touch(b), write(b)],
      ['deny', 'deny', 'allow'],
    )
    expect(asked).toEqual([{ path: a }, `touch ${a}`, { path: b }, `touch ${b}`, { path: b }])
    const [noFile, noCommand] = ['writing files is not allowed', 'running commands is not allowed']
    expect(results()).toEqual([noFile, noCommand, {}, noCommand, noFile])
    expect([existsSync(a), readFileSync(b, 'utf8')]).toEqual([false, 'new'])
    expect(result.warnings).toContainEqual(
      expect.stringMatching(/^4 tool calls were denied: edit \(.*a\), execute \(touch .*a\)/),
    )
  })

  it('ask no one if the agent may only read', async () => {
    const file = join(workdir, 'a')
    const steps = [
      asking({ kind: 'edit', rawInput: { path: file } }),
      write(file),
      { terminal: { command: `touch ${file}` } },
    ]
    const { asked } = await decide(steps, ['allow', 'allow', 'allow'], { request: { sandboxMode: 'read-only' } })
    expect(asked).toEqual([])
    expect(results()).toEqual([
      { outcome: { outcome: 'selected', optionId: 'no' } },
      'writing files is not allowed',
      'running commands is not allowed',
    ])
    expect(existsSync(file)).toBe(false)
  })

  it('run a command and report its exit code', async () => {
    const command = 'echo out; echo err >&2; pwd; exit 3'
    await run(
      { steps: [{ terminal: { command } }, { terminal: { command: '/bin/echo', args: ['a b'] } }, end] },
      { profile: { client } },
    )
    const results = answers().map(({ result }) => result)
    expect(results[1]).toEqual({ exitCode: 3, signal: null })
    expect(results[2]).toMatchObject({ truncated: false, exitStatus: { exitCode: 3 } })
    expect(String(results[2]?.['output']).split('\n').sort()).toEqual(['', workdir, 'err', 'out'].sort())
    expect(results[6]).toMatchObject({ output: 'a b\n' })
  })

  const ask = (method: string, params: object): AcpStep => ({ request: { method, params } })
  const results = () => answers().map(({ result, error }) => result ?? error?.message)

  it('read any part of a file, and nothing that is not a text file', async () => {
    const path = join(workdir, 'a.txt')
    writeFileSync(path, 'one\ntwo\nthree\n')
    writeFileSync(join(workdir, 'binary'), Buffer.from([0xff, 0xfe]))
    execFileSync('mkfifo', [join(workdir, 'pipe')])
    const parts = [
      { line: 0, limit: 1 },
      { line: 3, limit: 0 },
      { line: 9_007_199_254_740_991, limit: 9_007_199_254_740_991 },
      { line: -5, limit: 1.5 },
    ]
    const others = ['binary', 'pipe', 'missing', '.'].map((name) => read(join(workdir, name)))
    const steps = parts.map((part) => ask('fs/read_text_file', { path, ...part }))
    await run({ steps: [...steps, ...others, end] }, { profile: { client } })
    expect(results()).toEqual([
      { content: 'one' },
      { content: '' },
      { content: '' },
      { content: 'one\ntwo\nthree\n' },
      expect.stringContaining('UTF-8'),
      expect.stringContaining('not a regular file'),
      expect.stringContaining('does not exist'),
      expect.stringContaining('not a regular file'),
    ])
  })

  it('write into new directories and keep the mode of a file, but follow no link out', async () => {
    writeFileSync(join(workdir, 'run.sh'), 'old', { mode: 0o755 })
    symlinkSync(join(directory, 'nowhere'), join(workdir, 'dangling'))
    symlinkSync(join(workdir, 'run.sh'), join(workdir, 'link'))
    const names = ['new/folder/a.txt', 'link', 'dangling', 'dangling/b.txt', 'none/../../x']
    await run({ steps: [...names.map((name) => write(`${workdir}/${name}`)), end] }, { profile: { client } })
    expect(results()).toEqual([
      {},
      {},
      expect.stringContaining('is a link to nothing'),
      expect.stringContaining('is a link to nothing'),
      expect.stringContaining('is not in the working directory'),
    ])
    expect(readFileSync(join(workdir, 'new/folder/a.txt'), 'utf8')).toBe('new')
    expect([readFileSync(join(workdir, 'run.sh'), 'utf8'), statSync(join(workdir, 'run.sh')).mode & 0o777]).toEqual([
      'new',
      0o755,
    ])
    expect([existsSync(join(directory, 'nowhere')), existsSync(join(directory, 'x'))]).toEqual([false, false])
  })

  it('give a command its variables, and the end of its output in whole characters', async () => {
    mkdirSync(join(workdir, 'sub'))
    const env = [{ name: 'GREETING', value: 'héllo' }, { name: 'BROKEN' }, 5]
    const steps = [
      { terminal: { command: 'printf %s "$GREETING"; pwd', env, cwd: join(workdir, 'sub') } },
      ask('terminal/create', { command: 'pwd', cwd: 'sub' }),
      ask('terminal/create', { command: 'pwd', cwd: directory }),
      ask('terminal/create', { command: 'pwd', cwd: join(workdir, 'missing') }),
      ask('terminal/create', { command: 'no-such-program' }),
      ask('terminal/create', { command: '' }),
      ask('terminal/create', { command: 'pwd', env: [{ name: 'A=B\0', value: 'x' }] }),
      { terminal: { command: 'for i in 1 2 3 4; do printf ééééé; done', outputByteLimit: 5 } },
      { terminal: { command: 'echo x', outputByteLimit: 0 } },
      { terminal: { command: 'head -c 9000000 /dev/zero | tr "\\0" y; printf END' } },
    ]
    await run({ steps: [...steps, end] }, { profile: { client } })
    const [, , first, , relative, outside, noFolder, noProgram, empty, badName, ...rest] = results()
    expect(first).toMatchObject({ output: `héllo${join(workdir, 'sub')}\n`, truncated: false })
    expect([relative, outside, empty]).toEqual([
      'the directory must be absolute',
      `${directory} is not in the working directory`,
      'command must be text',
    ])
    for (const message of [noFolder, noProgram, badName]) expect(message).toEqual(expect.any(String))
    expect([rest[2], rest[6]]).toMatchObject([
      { output: 'éé', truncated: true },
      { output: '', truncated: true },
    ])
    const long = rest[10] as { output: string; truncated: boolean }
    expect([long.output.length, long.output.slice(-4), long.truncated]).toEqual([4 * 1024 * 1024, 'yEND', true])
  })

  it.runIf(IS_FULL)('take kill and release in any order, and at most 32 terminals', async () => {
    const terminalId = 'terminal-1'
    const steps = [
      ask('terminal/create', { command: 'true' }),
      ask('terminal/wait_for_exit', { terminalId }),
      ask('terminal/kill', { terminalId }),
      ask('terminal/output', { terminalId }),
      ask('terminal/release', { terminalId }),
      ask('terminal/release', { terminalId }),
      ask('terminal/kill', { terminalId }),
      {
        together: Array.from({ length: 100 }, () => ({ method: 'terminal/create', params: { command: 'sleep 300' } })),
      },
      {
        together: [
          { id: 'x', method: 'terminal/wait_for_exit', params: { terminalId: 'terminal-2' } },
          { id: 0, method: 'terminal/kill', params: { terminalId: 'terminal-2' } },
        ],
      },
    ]
    await run({ steps: [...steps, end] }, { profile: { client } })
    const none = 'there is no terminal "terminal-1"'
    const exitStatus = { exitCode: 0, signal: null }
    expect(results().slice(0, 7)).toEqual([
      { terminalId },
      exitStatus,
      {},
      { output: '', truncated: false, exitStatus },
      {},
      none,
      none,
    ])
    const many = results().slice(7)
    expect(many.filter((each) => each === 'too many terminals; release one')).toHaveLength(68)
    expect(receivedFrames(directory).filter(({ id }) => id === 'x' || id === 0)).toEqual([
      { jsonrpc: '2.0', id: 'x', result: { exitCode: null, signal: 'SIGTERM' } },
      { jsonrpc: '2.0', id: 0, result: {} },
    ])
  })

  it.runIf(IS_FULL)('start nothing for an agent that was cancelled', async () => {
    const controller = new AbortController()
    const file = join(workdir, 'late')
    const steps = [
      ask('terminal/create', { command: 'sleep 300' }),
      { say: 'go' },
      ask('terminal/wait_for_exit', { terminalId: 'terminal-1' }),
      { terminal: { command: `touch ${file}` } },
      { hang: true },
    ]
    const program = installAcpAgent(directory, { steps, ignoresCancel: true })
    const running = startAcp(program, {
      profile: { client },
      request: { workdir },
      options: { signal: controller.signal },
    })
    for (let next = await running.next(); next.done !== true; next = await running.next()) {
      if (next.value.type === 'message') controller.abort()
    }
    expect([answers().at(-1)?.error?.message, existsSync(file)]).toEqual(['the turn is over', false])
  })

  it('end a command that the agent has left running', async () => {
    const pidFile = join(directory, 'pid')
    await run(
      { steps: [...leaveRunning(pidFile), ask('terminal/output', { terminalId: 'nowhere' }), end] },
      { profile: { client } },
    )
    expect(answers().at(-1)?.error?.message).toBe('there is no terminal "nowhere"')
    expect(isRunning(Number(readFileSync(pidFile)))).toBe(false)
  })

  /** Starts a command, waits until it runs, and does not end it. */
  const leaveRunning = (pidFile: string): AcpStep[] => [
    ask('terminal/create', { command: `echo $$ > ${pidFile}; exec sleep 300` }),
    { terminal: { command: `until [ -s ${pidFile} ]; do sleep 0.01; done` } },
  ]

  it('write and run nothing while the turn ends', async () => {
    const pidFile = join(directory, 'pid')
    const file = join(workdir, 'late')
    const answer = { jsonrpc: '2.0', id: 3, result: { stopReason: 'end_turn' } }
    const together = [
      { method: 'fs/write_text_file', params: { path: file, content: 'new' } },
      { method: 'terminal/create', params: { command: `touch ${file}` } },
    ]
    const late: AcpStep[] = [{ raw: JSON.stringify(answer) }, { together }, { hang: true }]
    const { result } = await run(
      { steps: [...leaveRunning(pidFile), { say: 'done' }, ...late] },
      { profile: { client }, isPunctual: true },
    )
    expect(result).toMatchObject({ exitCode: 0, text: 'done' })
    expect(results().slice(-2)).toEqual(['the turn is over', 'the turn is over'])
    expect(existsSync(file)).toBe(false)
  })
})

describe('a process that is to stay up', () => {
  it('is not started where it would use settings of the project, even if they came after the prompt', async () => {
    const program = installAcpAgent(directory)
    const request = acpRequest(program, { request: { workdir, ignoresProject: true } })
    writeFileSync(join(workdir, '.mcp.json'), '{}')
    const launch = { request, scratchDirectory: directory, owner: undefined, signal: new AbortController().signal }
    await expect(startAcpAgent(launch)).rejects.toMatchObject({ code: 'project_settings_refused' })
    expect(existsSync(join(directory, 'fake-acp.log'))).toBe(false)
  })
})

describe('an agent that prints nothing', () => {
  const stopped = { exitCode: 124, ended: 'timeout', error: { code: 'agent_silent' } }

  it.each<[string, AcpScript]>([
    ['before it opens a session', { silent: ['session/new'] }],
    ['before its first word', { steps: [{ hang: true }] }],
    ['after its first word', { steps: [{ say: 'one' }, { hang: true }] }],
    ['and does not cancel', { steps: [{ say: 'one' }, { hang: true }], ignoresCancel: true }],
  ])('%s is stopped', async (_name, script) => {
    const { result } = await run(script, { request: { silenceMs: 1500, timeoutMs: null } })
    expect(result).toMatchObject(stopped)
  })

  it.runIf(IS_FULL)('is not stopped while it answers and asks slowly, but in time', async () => {
    const slow = { request: { method: 'fs/read_text_file', params: { path: join(workdir, 'no') } } }
    const wait = { pause: 2500 }
    const steps: AcpStep[] = [wait, slow, wait, slow, wait, { say: 'done' }]
    const { result } = await run(
      { steps, delays: { initialize: 1500, 'session/new': 3000 } },
      { request: { silenceMs: 4000 } },
    )
    expect(result).toMatchObject({ exitCode: 0, text: 'done' })
  })

  it.runIf(IS_FULL)('is not stopped while a person decides, and is while nothing happens afterwards', async () => {
    const done = { sessionUpdate: 'tool_call_update', toolCallId: 't1', status: 'completed' }
    const steps = [asking({ kind: 'edit', title: 'Write a' }), { update: done }, { hang: true }]
    let isDecided = false
    const onApproval = async (): Promise<AttributedReply> => {
      await new Promise((resolve) => setTimeout(resolve, 2500))
      isDecided = true
      return { decision: 'allow', by: { via: 'terminal' } }
    }
    const request = { silenceMs: 1500, timeoutMs: null, approvalMode: 'always', hasApprover: true } as const
    const { result } = await run({ steps }, { request, options: { onApproval } })
    expect(isDecided).toBe(true)
    expect(result).toMatchObject(stopped)
  })
})

describe('a missing login', () => {
  const errors = { 'session/new': { code: -32000, message: 'Authentication required' } }

  it('names the ways to log in that the agent offers', async () => {
    const authMethods = [
      { id: 'k', name: 'Key', description: 'Set FAKE_KEY' },
      { id: 'b', name: 'Browser' },
    ]
    const { result } = await run({ errors, initialize: { authMethods } })
    const message =
      'fake is not logged in; to log in, start it in a terminal and log in with Key (Set FAKE_KEY) or Browser'
    expect(result).toMatchObject({ exitCode: 1, error: { code: 'agent_auth_failed', message } })
  })

  it('names the command of an agent that drover knows', () => {
    const settings = { enabled: true, protocol: 'acp', command: ['kimi', 'acp'], env: {} } as const
    expect(findAcpAgent('mine', settings).login).toBe('run `kimi login` in a terminal')
  })
})

describe('an agent that starts MCP servers late', () => {
  const agent = findAcpAgent('mine', { enabled: true, protocol: 'acp', command: ['qwen', '--acp'], env: {} })
  const valueFor = (over: Partial<AgentRequest>) =>
    agent.toCommand(agentRequest('claude', { agent, ...over })).env['QWEN_CODE_LEGACY_MCP_BLOCKING']

  it('is told to wait for them in a turn that has some', () => {
    const parameters = { type: 'object' as const }
    expect(valueFor({ mcpServers: [{ name: 'docs', command: 'docs-server' }] })).toBe('1')
    expect(valueFor({ clientTools: [{ name: 'add', parameters }] })).toBe('1')
    expect(valueFor({})).toBeUndefined()
  })
})
