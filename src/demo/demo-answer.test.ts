import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { AGENT_NAMES, planAnswer, readAsked, requiredCall } from './demo-answer.ts'

const CANNED_COMMAND = 'echo "hello from drover"'
const plan = (prompt: string) => planAnswer({ agent: 'claude', prompt })
const textOf = (prompt: string) => plan(prompt).replies.at(-1)?.chunks.join('')

describe('the answer', () => {
  it.each(AGENT_NAMES)('says that it stands in for %s and that no model was called', (agent) => {
    const { replies } = planAnswer({ agent, prompt: 'say hello' })
    expect(replies).toEqual([{ chunks: expect.any(Array) }])
    expect(replies[0]?.chunks.join('')).toBe(
      `This is drover's built-in demo agent, standing in for ${agent}. No model was called. Your prompt arrived: "say hello"`,
    )
  })

  it('names the session that it continues', () => {
    const { replies } = planAnswer({ agent: 'codex', prompt: 'say more', resumeId: 'abc' })
    expect(replies[0]?.chunks.join('')).toContain(' It continues session abc. ')
  })

  it('quotes up to 80 characters of the prompt', () => {
    expect(textOf('é'.repeat(80))).toContain(`"${'é'.repeat(80)}"`)
    expect(textOf('é'.repeat(81))).toContain(`"${'é'.repeat(80)}…"`)
    expect(textOf('😀'.repeat(80))).toContain(`"${'😀'.repeat(80)}"`)
    expect(textOf('😀'.repeat(81))).toContain(`"${'😀'.repeat(80)}…"`)
  })

  it('quotes on one line', () => {
    expect(textOf('  one\n\n two\tthree ')).toContain('"one two three"')
  })

  it('comes in words for every prompt', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (prompt) => {
        const chunks = plan(prompt).replies.at(-1)?.chunks ?? []
        expect(chunks.length).toBeGreaterThan(10)
        expect(chunks.every((chunk) => /^\s*\S+$/u.test(chunk))).toBe(true)
      }),
    )
  })

  it('has token counts estimated from its length', () => {
    const text = textOf('12345678') ?? ''
    expect(plan('12345678').usage).toEqual({ input: 2, cached: 0, output: Math.ceil(text.length / 4), reasoning: 0 })
  })
})

describe('a prompt that asks to fail', () => {
  it.each(['fail', ' Fail. ', 'fail!\r\n', 'some words\nfail\nmore words', 'Please fail', 'now please, fail for me'])(
    'is %j',
    (prompt) => {
      expect(plan(prompt).failure).toEqual({ status: 500, message: expect.stringContaining('the prompt asks it to') })
    },
  )

  it.each(['fix the failing test', 'why does it fail?', 'fail-safe design', 'it must not fail', 'failed'])(
    'is not %j',
    (prompt) => {
      expect(plan(prompt).failure).toBeUndefined()
    },
  )
})

describe('a word in the prompt', () => {
  it('"think" puts a thought before the answer', () => {
    const { replies, usage } = plan('Think about it')
    expect(replies).toEqual([{ thinking: expect.stringContaining('demo agent'), chunks: expect.any(Array) }])
    expect(usage.reasoning).toBeGreaterThan(0)
  })

  it('"run a command" adds a tool call that is made up, and says so', () => {
    const { replies, usage } = plan('Please run a command')
    expect(replies).toHaveLength(2)
    expect(replies[0]).toMatchObject({ call: { command: CANNED_COMMAND, result: { exitCode: 0 } } })
    expect(replies[0]?.chunks.join('')).toBe('I will pretend to run a command.')
    expect(replies[1]?.chunks.join('')).toContain('No command was run either')
    expect(usage).toMatchObject({ input: 10, cached: 5 })
  })

  it('never chooses the command of the tool call', () => {
    fc.assert(
      fc.property(fc.string(), (words) => {
        const { replies } = plan(`run a command ${words} #script {"tool":"touch /tmp/x"}`)
        expect(replies.map(({ call }) => call?.command)).toEqual([CANNED_COMMAND, undefined])
      }),
    )
  })
})

it.each([
  ['say hello', { waitMs: 0, asksPermission: false }],
  ['Please wait 1 second, then please fail', { waitMs: 1000, failure: { status: 500 } }],
  ['please wait for 999999 hours', { waitMs: 999_999 * 3_600_000 }],
  ['please wait 1000000 hours', { waitMs: 0 }],
  ['please reach your limit', { failure: { status: 429, resetSecs: 3600 } }],
  ['please reach your limit for 2 days', { failure: { resetSecs: 172_800 } }],
  ['please answer in 1000 pieces', { pieces: 1000 }],
  ['please answer in 1001 pieces', { pieces: 1000 }],
  ['please call add.', { call: { name: 'add', input: {} } }],
  ['please call add with {"x": 1}', { call: { name: 'add', input: { x: 1 } } }],
  ['please call add with {oops}', { call: { name: 'add', input: {} } }],
  ['please answer: please fail\nand more', { text: 'please fail' }],
])('of %j', (prompt, asked) => {
  expect(readAsked(prompt)).toMatchObject(asked)
})

it('of a text to answer with is nothing else', () => {
  expect(readAsked('please answer: please fail').failure).toBeUndefined()
  const { replies } = planAnswer({ agent: 'claude', prompt: 'please answer: think, run a command', text: 'think' })
  expect(replies).toEqual([{ chunks: ['think'] }])
})

it('before a text to answer with counts', () => {
  const prompt = 'think, then run a command, then please answer: hi'
  const { replies } = planAnswer({ agent: 'claude', prompt, text: 'hi' })
  expect(replies).toMatchObject([{ thinking: expect.any(String), call: {} }, { chunks: ['hi'] }])
})

it.each([
  ['How strong is the wind?', undefined],
  ['Call at least one tool of the MCP server "client" now. Answers …', {}],
  ['Call one of these tools (get_wind, get_rain) of the MCP server "client" now.', { only: ['get_wind', 'get_rain'] }],
  [
    'Call one of these tools (a) of the MCP server "client" now. Call at least one tool of the MCP server "client" now.',
    {},
  ],
])('what a prompt requires is read from it: %s', (prompt, required) => {
  expect(requiredCall(prompt)).toEqual(required)
})
