/** What a turn of an agent that speaks ACP may do: modes, requests for permission, and its end. */
import { existsSync, mkdirSync, readFileSync, realpathSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, describe, expect, it } from 'vitest'
import type { ApprovalRequest, AttributedReply } from '../../../src/agents/adapter/agent.ts'
import type { AcpScript, AcpStep } from '../../fake-agent/acp-script.ts'
import { finishAcp, installAcpAgent, receivedFrames, startAcp } from '../../support/acp-agent.ts'
import { temporaryDirectory } from '../../support/run-drover.ts'
import { isRunning } from '../../support/test-command.ts'
import { until } from '../../support/until.ts'

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

describe('cancelling', () => {
  const CANCELLED = { exitCode: 130, ended: 'cancelled', error: { code: 'agent_cancelled' } }
  const COMMAND = asking({ kind: 'execute', title: 'rm -rf /' })

  /** Cancels when the agent asks the user, who never answers. */
  function cancelAtQuestion(script: AcpScript, over: Over = {}) {
    const controller = new AbortController()
    const onApproval = () => {
      controller.abort()
      return new Promise<AttributedReply>(() => undefined)
    }
    const request = { approvalMode: 'auto' as const, hasApprover: true }
    return run(script, { ...over, request, options: { signal: controller.signal, onApproval } })
  }

  it('asks the agent first, answers what is pending, and leaves no process', async () => {
    const pidFile = join(directory, 'tool')
    const { result } = await cancelAtQuestion({ steps: [{ spawn: { command: 'sleep 300', pidFile } }, COMMAND] })
    expect(result).toMatchObject(CANCELLED)
    expect(isRunning(Number(readFileSync(pidFile)))).toBe(false)
    expect(methods()).toContain('session/cancel')
    expect(answers()).toMatchObject([{ result: { outcome: { outcome: 'cancelled' } } }])
  })

  it('leaves nothing that an agent may do, even if it does not stop', async () => {
    const path = join(workdir, 'a.txt')
    const write: AcpStep = { request: { method: 'fs/write_text_file', params: { path, content: 'new' } } }
    const steps = [COMMAND, asking({ kind: 'read' }), write, { hang: true }]
    const { result } = await cancelAtQuestion({ ignoresCancel: true, steps }, { profile: { client: { files: true } } })
    expect(result).toMatchObject(CANCELLED)
    expect(answers()).toMatchObject([
      { result: { outcome: { outcome: 'cancelled' } } },
      { result: { outcome: { outcome: 'cancelled' } } },
      { error: { message: 'the turn is over' } },
    ])
    expect(existsSync(path)).toBe(false)
  })

  it('ends the process of an agent that has no prompt yet', async () => {
    const controller = new AbortController()
    const program = installAcpAgent(directory, { silent: ['session/new'] })
    const running = finishAcp(program, { request: { workdir }, options: { signal: controller.signal } })
    await until(() => existsSync(join(directory, 'fake-acp.log')) && methods().includes('session/new'))
    controller.abort()
    expect((await running).result).toMatchObject(CANCELLED)
    expect(methods()).not.toContain('session/cancel')
    expect(isRunning(Number(readFileSync(`${program}.pid`)))).toBe(false)
  })

  it('ends a caller who stops reading', async () => {
    const pidFile = join(directory, 'tool')
    const program = installAcpAgent(directory, {
      steps: [{ spawn: { command: 'sleep 300', pidFile } }, { say: 'a' }, { hang: true }],
    })
    const running = startAcp(program, { request: { workdir } })
    await running.next()
    await until(() => existsSync(pidFile) && readFileSync(pidFile, 'utf8') !== '')
    await running.return(undefined as never)
    expect(isRunning(Number(readFileSync(pidFile)))).toBe(false)
  })

  it('ends what a turn has left running', async () => {
    const pidFile = join(directory, 'tool')
    const { result } = await run({ steps: [{ spawn: { command: 'sleep 300', pidFile } }, { say: 'done' }] })
    expect(result).toMatchObject({ exitCode: 0, text: 'done' })
    expect(isRunning(Number(readFileSync(pidFile)))).toBe(false)
  })
})

describe('a request for permission', () => {
  const EDIT = { kind: 'edit', title: 'write a.txt', rawInput: { path: 'a.txt' } }
  const COMMAND = { kind: 'execute', title: 'make', rawInput: { command: 'make' } }

  it.each<[string, object, object, string]>([
    ['a read', {}, { kind: 'read' }, 'once'],
    ['a search, read-only', { sandboxMode: 'read-only' }, { kind: 'search' }, 'once'],
    ['an edit', {}, EDIT, 'no'],
    ['an edit, read-only', { approvalMode: 'none', sandboxMode: 'read-only' }, EDIT, 'no'],
    ['an edit, approval auto', { approvalMode: 'auto' }, EDIT, 'once'],
    ...['/etc/passwd', '../x', '~/.bashrc', 'file:///etc/passwd', 'ssh://host/x', '.git/config', 'a/.Git'].map(
      (target_file): [string, object, object, string] => [
        `an edit of ${target_file}`,
        { approvalMode: 'auto' },
        { kind: 'edit', rawInput: { path: 'a.txt', target_file } },
        'no',
      ],
    ),
    ['a move out', { approvalMode: 'auto' }, { kind: 'move', rawInput: { source: 'a', destination: '/b' } }, 'no'],
    ['edits of many files', { approvalMode: 'auto' }, { kind: 'edit', rawInput: { paths: ['a', '/b'] } }, 'no'],
    ['a command, approval auto', { approvalMode: 'auto' }, COMMAND, 'no'],
    ['a command, approval none', { approvalMode: 'none' }, COMMAND, 'once'],
    ['an unknown tool', { approvalMode: 'auto' }, { kind: 'other', title: 'surprise' }, 'no'],
    ['a tool without a kind', { approvalMode: 'none' }, {}, 'once'],
  ])('for %s, with %j', async (_name, request, toolCall, optionId) => {
    const { result } = await run({ steps: [asking(toolCall), { say: 'done' }] }, { request })
    expect(answers()).toMatchObject([{ result: { outcome: { outcome: 'selected', optionId } } }])
    expect(result.warnings.some((warning) => warning.includes('denied'))).toBe(optionId === 'no')
  })

  it.each<[string, object, string]>([
    ['refused to a caller with limits', { approvalMode: 'auto', isLimited: true }, 'no'],
    ['allowed to others', { approvalMode: 'auto' }, 'once'],
    ['allowed to those who may do everything', { approvalMode: 'none', isLimited: true }, 'once'],
  ])('through a link that leads out is %s', async (_name, request, optionId) => {
    symlinkSync(directory, join(workdir, 'link'))
    const toolCall = { kind: 'edit', rawInput: { path: 'link/a.txt' } }
    await run({ steps: [asking(toolCall), { say: 'done' }] }, { request })
    expect(answers()).toMatchObject([{ result: { outcome: { outcome: 'selected', optionId } } }])
  })

  it('that the user allows lets the agent write the file once', async () => {
    const path = join(workdir, 'a.txt')
    const write: AcpStep = { request: { method: 'fs/write_text_file', params: { path, content: 'new' } } }
    const asked: ApprovalRequest[] = []
    const onApproval = async (request: ApprovalRequest): Promise<AttributedReply> => {
      asked.push(request)
      return { decision: asked.length === 1 ? 'allow' : 'deny', by: { via: 'program' } }
    }
    await run(
      { steps: [asking({ kind: 'edit', rawInput: { path } }), write, write, { say: 'done' }] },
      {
        profile: { client: { files: true } },
        request: { approvalMode: 'always', hasApprover: true },
        options: { onApproval },
      },
    )
    expect(answers()).toMatchObject([
      { result: { outcome: { outcome: 'selected', optionId: 'once' } } },
      { result: {} },
      { error: { message: 'writing files is not allowed' } },
    ])
    expect(asked).toHaveLength(2)
  })

  it.each(['edit', 'delete', 'move'])('to %s is denied with the mode that would allow it', async (kind) => {
    const toolCall = { kind, rawInput: { path: 'a.txt' } }
    const { result } = await run(
      { steps: [asking(toolCall), { say: 'done' }] },
      { request: { approvalMode: 'always' } },
    )
    expect(result.warnings).toContainEqual(
      expect.stringMatching(/^1 tool call was denied.*; allow with the approval mode auto \(--approval auto\)$/),
    )
  })

  it('to write a file is denied when the agent takes it back', async () => {
    const [path, takesBackAt] = [join(workdir, 'a.txt'), join(directory, 'take-back')]
    const request = { method: 'fs/write_text_file', params: { path, content: 'new' } }
    const onApproval = () => {
      writeFileSync(takesBackAt, '')
      return new Promise<AttributedReply>(() => undefined)
    }
    const { events, result } = await run(
      { steps: [{ request, takesBackAt }, { say: 'done' }] },
      {
        profile: { client: { files: true } },
        request: { approvalMode: 'always', hasApprover: true },
        options: { onApproval },
      },
    )
    const decided = events.find(({ type }) => type === 'approval_decision')?.content
    expect(decided).toMatchObject({ decision: 'deny', by: { via: 'drover' } })
    expect([result.text, existsSync(path)]).toEqual(['done', false])
  })

  it('that was denied is a warning, and an error if the agent gives up', async () => {
    const modes = { approvalMode: 'always' as const }
    const denied = await run({ steps: [asking(COMMAND), { say: 'Done!' }] }, { request: modes })
    expect(denied.result).toMatchObject({ exitCode: 0, text: 'Done!' })
    expect(denied.result.warnings).toContainEqual(
      '1 tool call was denied: execute (make); allow with the approval mode none (--approval none)',
    )
    const gaveUp = await run({ steps: [asking(COMMAND)] }, { request: modes })
    expect(gaveUp.result.error).toMatchObject({ message: 'fake ended the turn because a tool call was denied' })
  })

  it('without an option to refuse is cancelled', async () => {
    const ask = { toolCall: { toolCallId: 't1', ...COMMAND }, options: OPTIONS.slice(0, 1) }
    await run({ steps: [{ ask }, { say: 'ok' }] })
    expect(answers()).toMatchObject([{ result: { outcome: { outcome: 'cancelled' } } }])
  })

  it('finds what is known of a call that it names only by id', async () => {
    const steps: AcpStep[] = [
      { update: { sessionUpdate: 'tool_call', toolCallId: 't1', kind: 'read', title: 'a.txt', status: 'pending' } },
      asking({}),
      { say: 'ok' },
    ]
    await run({ steps })
    expect(answers()).toMatchObject([{ result: { outcome: { optionId: 'once' } } }])
  })

  it('is restricted by the agent alone, which a warning says', async () => {
    const { result } = await run({}, { request: { sandboxMode: 'read-only' } })
    expect(result.warnings[0]).toBe(
      'sandbox_mode read-only is enforced by fake itself, not by an operating system sandbox',
    )
  })
})

describe('modes and models', () => {
  const MODES = { currentModeId: 'build', availableModes: [{ id: 'plan' }, { id: 'build' }, { id: 'yolo' }] }
  const modes = { 'read-only': 'plan', everything: 'yolo', edit: 'gone' } as const

  it.each<[string, object, object, unknown[]]>([
    ['by a method', { modes: MODES }, { sandboxMode: 'read-only' }, [['session/set_mode', { modeId: 'plan' }]]],
    [
      'by an option',
      { configOptions: [{ id: 'mode', currentValue: 'build', options: [{ value: 'plan' }] }] },
      { sandboxMode: 'read-only' },
      [['session/set_config_option', { configId: 'mode', value: 'plan' }]],
    ],
    ['not, if the agent does not offer the mode', { modes: MODES }, { approvalMode: 'auto' }, []],
    ['not, if no mode is asked for', { modes: MODES }, {}, []],
    [
      'by a method, for a model',
      { models: { currentModelId: 'a' } },
      { model: 'b' },
      [['session/set_model', { modelId: 'b' }]],
    ],
    [
      'by an option, for a model',
      { configOptions: [{ id: 'm', category: 'model', currentValue: 'a' }] },
      { model: 'b' },
      [['session/set_config_option', { configId: 'm', value: 'b' }]],
    ],
    ['not, for the model that it has', { models: { currentModelId: 'b' } }, { model: 'b' }, []],
  ])('are set %s', async (_name, session, request, expected) => {
    const { events } = await run({ session, sessionId: 's1' }, { request, profile: { modes } })
    const set = receivedFrames(directory).filter(({ method }) => method?.startsWith('session/set'))
    expect(set.map(({ method, params: { sessionId: _, ...rest } = {} }) => [method, rest])).toEqual(expected)
    if ('model' in request) expect(events[0]?.content).toMatchObject({ model: 'b' })
  })

  it('are a failure if the agent refuses the model, and a warning if it has no choice', async () => {
    const errors = { 'session/set_model': { code: -32602, message: 'no model "b"' } }
    const refused = await run({ session: { models: { currentModelId: 'a' } }, errors }, { request: { model: 'b' } })
    expect(refused.result.error?.message).toBe('no model "b"')
    const switches = { configOptions: [{ id: 'model', type: 'boolean', currentValue: true }] }
    for (const session of [{}, switches]) {
      const ignored = await run({ session }, { request: { model: 'b' } })
      expect(ignored.result.warnings).toContain('model is ignored: fake offers no choice of models')
    }
  })
})
