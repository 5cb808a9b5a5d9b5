import { describe, expect, it } from 'vitest'
import { outline } from '../../../test/support/replay-recording.ts'
import { readFrameRecording } from '../../../test/support/warm-recording.ts'
import type { AgentEvent, Usage } from '../adapter/agent.ts'
import { NO_ANSWER } from '../adapter/answers.ts'
import { type JsonRecord, objectAt, textAt } from '../adapter/json-fields.ts'
import { createOutputReader } from '../adapter/output-reader.ts'
import { CodexWarmOutput, findDrift } from './warm-agent.ts'
import { CodexTurnFrames, readTurnIds, toApprovalRequest, toDecision } from './warm-frames.ts'

/** Every turn of a recording: the frames with its id, read as a process reads them. */
function readTurns(name: string, wantsDeltas = true) {
  const received = readFrameRecording('codex', name).filter(({ isSent }) => !isSent)
  const params = (frame: JsonRecord) => objectAt(frame, 'params') ?? {}
  const started = received.filter(({ frame }) => frame['method'] === 'turn/started')
  const usages = new Map<string | undefined, Usage>()
  return started.map(({ frame: start }) => {
    const { threadId, turnId } = readTurnIds(params(start))
    const frames = new CodexTurnFrames()
    const reader = createOutputReader(new CodexWarmOutput({ priorUsage: usages.get(threadId), wantsDeltas }))
    const events: AgentEvent[] = reader.readFrame({ type: 'thread.started', thread_id: threadId }, '')
    for (const { frame, line } of received) {
      if (readTurnIds(params(frame)).turnId !== turnId) continue
      const read = frames.toLine(textAt(frame, 'method') ?? '', params(frame))
      if (read !== undefined) events.push(...reader.readFrame(read, line))
    }
    const hasEnded = reader.hasEnded()
    const end = reader.finish({ code: 1, signal: null, stderrTail: '' }, new Date())
    if (end.result.threadUsage !== undefined) usages.set(threadId, end.result.threadUsage)
    const row = outline({ events: [...events, ...end.events], result: end.result })
    return [row.events, row.text, row.usage, row.error?.[0] ?? (hasEnded ? 'ok' : 'lost')]
  })
}

const HELLO = 'Hello from the fake model.'
const PLAIN = 'init, progress, 4 message, token_usage'
const ONE = '1000 50 600 7'
const TWO = '2000 100 1200 14'
const FREE = '0 0 0 0'

describe('the usage of a turn', () => {
  /** What is known after each frame of a turn with these totals of its thread. */
  function usageAfter(
    totals: readonly number[],
    { priorUsage, status }: { priorUsage: Usage | undefined; status: string },
  ) {
    const frames = new CodexTurnFrames()
    const reader = createOutputReader(new CodexWarmOutput({ priorUsage, wantsDeltas: false }))
    const read = (method: string, params: JsonRecord) => {
      const line = frames.toLine(method, params)
      return line === undefined ? [] : reader.readFrame(line, '')
    }
    const seen = totals.map((inputTokens) => {
      expect(read('thread/tokenUsage/updated', { tokenUsage: { total: { inputTokens } } })).toEqual([])
      return reader.usageSoFar()?.input_tokens
    })
    const events = read('turn/completed', { turn: { status } })
    const { usage, threadUsage } = reader.finish({ code: 1, signal: null, stderrTail: '' }, new Date()).result
    const types = events.map(({ type }) => type)
    return { seen, types, usage: usage.input_tokens, thread: threadUsage?.input_tokens }
  }
  const prior: Usage = { input_tokens: 500, output_tokens: 0, cached_tokens: 0, reasoning_tokens: 0 }

  it('is known after each model request, and is one event at the end', () => {
    const { seen, types, usage } = usageAfter([1500, 2500], { priorUsage: prior, status: 'completed' })
    expect([seen, types, usage]).toEqual([[1000, 2000], ['token_usage'], 2000])
  })

  it('that was interrupted belongs to it, and not to the next one', () => {
    const { types, usage, thread } = usageAfter([1500], { priorUsage: prior, status: 'interrupted' })
    expect([types, usage, thread]).toEqual([[], 1000, 1500])
  })
})

describe('a recording of codex app-server', () => {
  it.each([
    [
      'warm',
      [
        [PLAIN, HELLO, ONE, 'ok'],
        [
          'init, progress, 2 message, tool_use, tool_result, 2 message, token_usage',
          'The command printed its output.',
          TWO,
          'ok',
        ],
        ['init, progress, tool_use, tool_result, message, token_usage', 'Done writing.', TWO, 'ok'],
        ['init, 2 progress', '', FREE, 'agent_auth_failed'],
        ['init, progress, thinking, 2 message, token_usage', 'Thought about it.', ONE, 'ok'],
        ['init, progress, 9 message', '', FREE, 'agent_ended_early'],
        [PLAIN, HELLO, ONE, 'ok'],
        [PLAIN, HELLO, ONE, 'ok'],
      ],
    ],
    [
      'warm-approval',
      [
        ['init, progress, tool_use, tool_result, message, token_usage', 'Escalation answered.', TWO, 'ok'],
        ['init, progress, tool_use, tool_result, message, token_usage', 'Escalation answered.', TWO, 'ok'],
      ],
    ],
    [
      'warm-errors',
      [
        ['init, progress, 2 message', '', FREE, 'agent_unreachable'],
        ['init, progress', '', FREE, 'agent_rate_limited'],
        ['init, progress', '', FREE, 'agent_service_failed'],
        ['init, progress', '', FREE, 'agent_auth_failed'],
        ['init, progress', '', FREE, 'agent_request_rejected'],
        ['init, progress, tool_use, tool_result, message, token_usage', 'It failed with 3.', TWO, 'ok'],
        ['init, progress, token_usage', '', ONE, 'agent_ended_early'],
      ],
    ],
  ])('%s is read turn by turn', (name, turns) => {
    expect(readTurns(name)).toEqual(turns)
  })

  it('has whole texts for a caller that wants no pieces', () => {
    expect(readTurns('warm', false)[0]).toEqual(['init, progress, message, token_usage', HELLO, ONE, 'ok'])
  })
})

describe('CodexTurnFrames', () => {
  const line = (method: string, params: JsonRecord) => new CodexTurnFrames().toLine(method, params)

  it.each<[string, JsonRecord, unknown]>([
    ['item/started', { item: { type: 'userMessage' } }, undefined],
    [
      'item/completed',
      { item: { type: 'reasoning', id: 'r', summary: ['a', 'b'] } },
      { type: 'item.completed', item: { type: 'reasoning', id: 'r', text: 'a\n\nb' } },
    ],
    [
      'item/started',
      {
        item: {
          type: 'commandExecution',
          id: 'c',
          command: 'ls',
          status: 'inProgress',
          aggregatedOutput: null,
          exitCode: null,
        },
      },
      {
        type: 'item.started',
        item: {
          type: 'command_execution',
          id: 'c',
          command: 'ls',
          status: 'in_progress',
          aggregated_output: '',
          exit_code: null,
        },
      },
    ],
    [
      'item/completed',
      {
        item: {
          type: 'fileChange',
          id: 'f',
          status: 'completed',
          changes: [{ path: 'a', kind: { type: 'add' }, diff: 'x' }],
        },
      },
      {
        type: 'item.completed',
        item: { type: 'file_change', id: 'f', status: 'completed', changes: [{ path: 'a', kind: 'add' }] },
      },
    ],
    ['item/reasoning/summaryPartAdded', { summaryIndex: 0 }, undefined],
    ['item/reasoning/summaryPartAdded', { summaryIndex: 1 }, { type: 'reasoning.delta', delta: '\n\n' }],
    ['warning', { message: 'old' }, { type: 'item.completed', item: { type: 'error', message: 'old' } }],
    [
      'turn/plan/updated',
      { plan: [{ step: 'a', status: 'completed' }] },
      { type: 'item.updated', item: { type: 'todo_list', items: [{ text: 'a', completed: true }] } },
    ],
    [
      'error',
      { willRetry: true, error: { message: 'Reconnecting... 1/2', additionalDetails: '401' } },
      { type: 'error', message: 'Reconnecting... 1/2 (401)' },
    ],
    ['error', { willRetry: false, error: { message: 'no' } }, { type: 'error', message: 'no' }],
    [
      'turn/completed',
      { turn: { status: 'failed', error: { message: 'no' } } },
      { type: 'turn.failed', error: { message: 'no' } },
    ],
    ['account/rateLimits/updated', {}, undefined],
  ])('%s %j', (method, params, expected) => {
    expect(line(method, params)).toEqual(expected)
  })
})

describe('findDrift', () => {
  const wanted = { cwd: '/w', approvalPolicy: 'never', sandbox: 'read-only', model: 'm' }
  const answer = { cwd: '/w', approvalPolicy: 'never', sandbox: { type: 'readOnly' }, model: 'm' }

  it.each<[string, JsonRecord, string | undefined]>([
    ['nothing', {}, undefined],
    [
      'a sandbox that allows more',
      { sandbox: { type: 'dangerFullAccess' } },
      'sandbox is "dangerFullAccess" instead of "readOnly"',
    ],
    ['no sandbox', { sandbox: null }, 'sandbox is undefined instead of "readOnly"'],
    ['another approval policy', { approvalPolicy: 'on-request' }, 'approvalPolicy is "on-request" instead of "never"'],
    ['another directory', { cwd: '/x' }, 'cwd is "/x" instead of "/w"'],
    ['another model', { model: 'n' }, 'model is "n" instead of "m"'],
  ])('finds %s', (_name, over, drift) => {
    expect(findDrift(wanted, { ...answer, ...over })).toBe(drift)
  })

  it('finds a profile that is not the one that was asked for', () => {
    const active = { ...answer, activePermissionProfile: { id: 'drover-read-only' } }
    const asked = { ...wanted, profile: 'drover-read-only' }
    expect(findDrift(asked, active)).toBeUndefined()
    expect(findDrift(asked, answer)).toBe('permissions is undefined instead of "drover-read-only"')
  })

  it('accepts any model if none was asked for', () => {
    const { model: _, ...unnamed } = wanted
    expect(findDrift(unnamed, answer)).toBeUndefined()
  })
})

describe('a question of codex', () => {
  const questions = readFrameRecording('codex', 'warm-approval').filter(({ frame }) =>
    String(frame['method']).endsWith('requestApproval'),
  )

  it('names the command, the reason and the choices', () => {
    const [{ frame } = { frame: {} }] = questions
    expect(toApprovalRequest(textAt(frame, 'method') ?? '', objectAt(frame, 'params') ?? {}, [])).toEqual({
      tool_name: 'command_execution',
      tool_id: 'call_fake000027',
      command: "/bin/bash -lc 'echo escalated'",
      reason: 'needs to leave the sandbox',
      choices: ['allow', 'allow_session', 'deny'],
    })
  })

  it('shows the diffs of the files', () => {
    const changes = [
      { path: 'a', diff: '+x' },
      { path: 'b', diff: '-y' },
    ]
    expect(toApprovalRequest('item/fileChange/requestApproval', { itemId: 'f' }, changes)).toMatchObject({
      tool_name: 'file_change',
      diff: '--- a\n+x\n--- b\n-y',
    })
  })

  it('is nothing else', () => {
    expect(toApprovalRequest('item/permissions/requestApproval', {}, [])).toBeUndefined()
  })

  const options = [{ label: 'SQLite', description: 'one file' }, { label: 'PostgreSQL' }]
  const asking = { itemId: 'c1', questions: [{ id: 'db', question: 'Which store?', options, isOther: true }] }

  it('has what codex wants to know, with its options', () => {
    expect(toApprovalRequest('item/tool/requestUserInput', asking, [])).toEqual({
      tool_name: 'request_user_input',
      tool_id: 'c1',
      input: { questions: asking.questions },
      questions: [{ text: 'Which store?', options, takes_text: true }],
      choices: ['allow', 'deny'],
    })
    const plain = { questions: [{ id: 'a', question: 'Name?', options: null, isOther: false }] }
    const { questions } = toApprovalRequest('item/tool/requestUserInput', plain, []) ?? {}
    expect(questions).toEqual([{ text: 'Name?', options: [] }])
  })

  it.each<[string, Parameters<typeof toDecision>[1], string[]]>([
    ['by its id', { decision: 'allow', answers: [['SQLite']] }, ['SQLite']],
    ['although there is no answer', { decision: 'deny' }, [NO_ANSWER]],
    ['with the reason', { decision: 'deny', message: 'ask later' }, ['ask later']],
  ])('is answered %s', (_name, reply, answers) => {
    expect(toDecision(asking, reply)).toEqual({ answers: { db: { answers } } })
  })

  it.each([
    ['allow', 'accept'],
    ['allow_session', 'acceptForSession'],
    ['deny', 'decline'],
  ] as const)('is answered: %s', (decision, answer) => {
    expect(toDecision({}, { decision })).toEqual({ decision: answer })
  })
})
