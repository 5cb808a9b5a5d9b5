import fc from 'fast-check'
import { expect } from 'vitest'
import type { AgentEvent, OutputResult } from '../../src/agents/adapter/agent.ts'
import { FAILURES } from '../../src/agents/adapter/failure.ts'

/** Anything an agent could print, close to real output and far from it. */
export function anyOutput(known: readonly string[]) {
  const line = fc.constantFrom(...known)
  const bent = fc.tuple(line, fc.nat(), fc.string()).map(([text, at, more]) => {
    const position = at % (text.length + 1)
    return text.slice(0, position) + more + text.slice(position + more.length)
  })
  const changed = fc.tuple(line, fc.jsonValue({ maxDepth: 3 })).map(([text, value]) => replaceSomething(text, value))
  return fc.array(fc.oneof(line, bent, changed, fc.json(), fc.string({ unit: 'binary' })), { maxLength: 30 })
}

/** Puts a value of any type where the agent has one of a certain type. */
function replaceSomething(text: string, value: unknown): string {
  const positions = [...text.matchAll(/:("(?:[^"\\]|\\.)*"|-?\d+|true|false|null)/g)]
  const position = positions[JSON.stringify(value).length % Math.max(1, positions.length)]
  if (position === undefined) return text
  return `${text.slice(0, position.index)}:${JSON.stringify(value)}${text.slice(position.index + position[0].length)}`
}

export const anyEnd = fc.record({
  code: fc.option(fc.nat({ max: 255 })),
  signal: fc.option(fc.constantFrom('SIGTERM', 'SIGKILL')),
  stderrTail: fc.oneof(fc.string(), fc.constant('[ERROR] {\n "error": 1\n}')),
})

/** Checks what is true for every run, whatever the agent printed. */
export function expectWellFormed({ events, result }: { events: AgentEvent[]; result: OutputResult }): void {
  const { text, usage, error, sessionId, model, turnCount } = result
  expect(typeof text).toBe('string')
  expect(Object.values(usage).every((count) => Number.isInteger(count) && count >= 0)).toBe(true)
  if (error !== undefined) {
    expect(error.code in FAILURES).toBe(true)
    expect(error.message.trim()).not.toBe('')
  }
  for (const text of [sessionId, model]) expect(['string', 'undefined']).toContain(typeof text)
  expect(['number', 'undefined']).toContain(typeof turnCount)
  expect(() => JSON.stringify(events)).not.toThrow()
}
