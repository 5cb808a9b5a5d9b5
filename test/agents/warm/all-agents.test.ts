/** What holds for the readers of all agents that serve several sessions at once. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { AgentOutput } from '../../../src/agents/adapter/output-reader.ts'
import { anyEnd, anyOutput, expectWellFormed } from '../../support/any-output.ts'
import type { FollowedTurn } from './followed-turn.ts'
import { GeminiAcpOutput } from './gemini/acp-output.ts'
import { frameRecordingNames, linesSince, readFrames, replayTurn } from './replay-frames.ts'

const CODEX = '01a1dca9-47e6-7673-a1dd-538a6af15ec3'
const GEMINI = '99266926-84a3-4151-a6f6-4f0bfbe90817'

const CHUNK = '{"sessionUpdate":"agent_message_chunk","content":{"text":"x"}}'

/** A turn of the recording `warm` that uses a tool, and how it is read. */
const SUBJECTS: readonly (readonly ['gemini', FollowedTurn, (turn: FollowedTurn) => AgentOutput])[] = [
  ['gemini', { sessionId: GEMINI, openings: [], prompt: 13 }, (turn) => new GeminiAcpOutput(turn)],
]

describe.each(SUBJECTS)('the reader of a long-lived %s', (backend, turn, outputOf) => {
  const own = linesSince(readFrames(backend, 'warm'), turn)
  const read = (lines: readonly string[], end?: Parameters<typeof replayTurn>[2]) =>
    replayTurn(outputOf(turn), lines, end)
  const everything = frameRecordingNames(backend).flatMap((name) =>
    readFrames(backend, name).map(({ frame }) => JSON.stringify(frame)),
  )
  const OTHER = 'ffffffff-ffff-4fff-8fff-ffffffffffff'
  /** The same talk, but in another session, and in answer to other requests. */
  const ofOthers = own.map((line) => line.replaceAll(turn.sessionId ?? '', OTHER).replace('"id":13', '"id":813'))

  it('ignores unknown frames and text between them', () => {
    const unknown = [
      'Loaded cached credentials.',
      '{"method":"brand/new","params":{}}',
      `{"method":"brand/new","params":{"threadId":"${CODEX}","sessionId":"${GEMINI}","update":${CHUNK}}}`,
      `{"method":"session/update","params":{"sessionId":"${GEMINI}","update":{"sessionUpdate":"brand_new"}}}`,
      '{"id":7,"result":{"stopReason":"end_turn","turn":{"id":"x"}}}',
      '{"id":7,"error":{"message":"no"}}',
      '{}',
      '[]',
    ]
    expect(read(own.flatMap((line) => [...unknown, line, ...unknown]))).toEqual(read(own))
  })

  it('skips frames of other sessions', () => {
    const places = fc.array(fc.nat({ max: own.length }), { minLength: ofOthers.length, maxLength: ofOthers.length })
    fc.assert(
      fc.property(places, (at) => {
        const sorted = at.toSorted((a, b) => a - b)
        const mixed = own.flatMap((line, index) => [...ofOthers.filter((_, other) => sorted[other] === index), line])
        expect(read(mixed)).toEqual(read(own))
      }),
      { numRuns: 50 },
    )
  })

  it('returns no events after the end of the turn', () => {
    const events = read(own).events
    expect(read([...own, ...own, ...everything]).events).toEqual(events)
  })

  it('never throws, whatever frames come in whatever order', () => {
    fc.assert(
      fc.property(anyOutput([...own, ...everything]), anyEnd, (lines, end) => {
        expectWellFormed(read(lines, end))
        expectWellFormed(replayTurn(outputOf({ openings: [11], prompt: 12 }), lines, end))
      }),
      { numRuns: 300 },
    )
  })

  it('leaves out a tool input that is nested too deeply', () => {
    const deep = `${'['.repeat(10_000)}1${']'.repeat(10_000)}`
    const { events } = read(toolLines(deep))
    expect(events.map(({ type }) => type).slice(-2)).toEqual(['tool_use', 'tool_result'])
    expect(() => JSON.stringify(events)).not.toThrow()
  })

  it('reports an early end when the agent ends during the turn, with the text so far', () => {
    const message = `${backend} ended before it had finished its answer (exit code 0)`
    const { result, hasEnded } = read(own.slice(0, 6), { code: 0, signal: null, stderrTail: '' })
    expect(hasEnded).toBe(false)
    expect(result.error).toMatchObject({ code: 'agent_ended_early', message })
    expect(result.sessionId).toBe(turn.sessionId)
  })

  it('never takes plain text as an answer', () => {
    const { events, result } = read(['All is well.'], { code: 0, signal: null, stderrTail: '' })
    expect(events).toEqual([])
    expect(result).toMatchObject({ text: '', error: { code: 'agent_ended_early' } })
  })

  it('takes the reason of an end before the turn from stderr', () => {
    const { result } = read([], { code: 1, signal: null, stderrTail: 'Missing environment variable: `K`.\n' })
    expect(result.error).toMatchObject({ code: 'agent_auth_failed', message: 'Missing environment variable: `K`.' })
  })
})

/** A tool call in the format of each agent; other agents ignore it. */
function toolLines(value: string): string[] {
  const item = `{"type":"mcpToolCall","id":"t","arguments":${value},"result":${value}}`
  const update = `{"sessionUpdate":"tool_call","toolCallId":"t","status":"failed","content":[{"diff":${value}}]}`
  return [
    `{"method":"turn/started","params":{"threadId":"${CODEX}","turn":{"id":"u"}}}`,
    `{"method":"item/completed","params":{"threadId":"${CODEX}","turnId":"u","item":${item}}}`,
    `{"method":"session/update","params":{"sessionId":"${GEMINI}","update":${update}}}`,
  ]
}
