import { describe, expect, it } from 'vitest'
import type { ToolReply } from '../agents/adapter/client-tool.ts'
import { toolResultMissing } from './faults.ts'
import { chooseCrowded, describeConversation, digestTexts, ToolTurns, type TurnRequest } from './tool-turns.ts'

describe('chooseCrowded', () => {
  it.each([
    ['the oldest one, if each client has as many', 'abab', 0],
    ['the oldest one of the client that has most', 'abbcb', 1],
    ['none of none', '', undefined],
  ])('is %s', (_, clients, expected) => {
    const turns = [...clients].map((client, at) => ({ client, at }))
    expect(chooseCrowded(turns)?.at).toBe(expected)
  })
})

describe('results', () => {
  const said = ['what is 1 + 2?', '\ud800']
  const offer = { names: ['add', 'sub'], system: 'be brief' }
  const calls = ['one', 'two'].map((id) => ({ call_id: id, tool_name: 'add', arguments: '{}' }))
  const resultOf = (text: string): ToolReply => ({ content: [{ type: 'text', text }] })
  const choice = { must: false }
  const given = { choice, replies: new Map(['one', 'two'].map((id) => [id, resultOf(id)])) }
  const whole = { callId: 'two', said: digestTexts(said), offer }

  function wait() {
    const turns = new ToolTurns({ timeoutMs: 60_000, limit: 9 })
    const turn = { executionId: 'exec_1', client: 'ada', conversation: describeConversation(said), offer }
    const results = turns.ask(turn, { calls })
    results.catch(() => {})
    return { turns, results }
  }

  it('continue the turn that waits for them, once', async () => {
    const { turns, results } = wait()
    const continued = turns.continue(whole, given, 7)
    expect(continued).toMatchObject({ after: 7, part: 1 })
    expect(await results).toEqual({ choice, replies: [resultOf('one'), resultOf('two')] })
    // A client that has lost the connection sends the same again.
    expect(turns.continue(whole, given, 9)).toEqual(continued)
    const other = { choice, replies: new Map(given.replies).set('one', resultOf('else')) }
    expect(turns.continue(whole, other, 9)).toBeUndefined()
    turns.close()
  })

  it.each<[string, Partial<TurnRequest>, boolean]>([
    ['of a client that sends only what is new', { said: undefined }, true],
    ['after which the user has said more', { said: digestTexts([...said, 'and 3?']) }, true],
    ['with no functions and the same system prompt', { offer: { ...offer, names: [] } }, true],
    ['with another system prompt and all functions', { offer: { ...offer, system: 'be kind' } }, true],
    ['with another system prompt and fewer functions', { offer: { names: ['add'], system: 'be kind' } }, false],
    ['with another function', { offer: { ...offer, names: ['mul'] } }, false],
    ['after another conversation', { said: digestTexts(['what is 1 + 3?']) }, false],
    ['after a part of the conversation', { said: digestTexts(said.slice(0, 1)) }, false],
    ['of another call', { callId: 'three' }, false],
  ])('%s', (_, change, continues) => {
    const { turns } = wait()
    expect(turns.continue({ ...whole, ...change }, given, 7) !== undefined).toBe(continues)
    turns.close()
  })

  it('must be complete', () => {
    const { turns } = wait()
    const part = { choice, replies: new Map([['two', resultOf('two')]]) }
    expect(() => turns.continue(whole, part, 7)).toThrow(toolResultMissing({ id: 'one' }).message)
    turns.close()
  })
})
