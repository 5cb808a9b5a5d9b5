import { describe, expect, it } from 'vitest'
import { describeHealth, describeProcesses, whyNoAgent } from './agent-health.ts'

const READY = { available: true, enabled: true, demo: false, warm: { idle: 0, busy: 0 } }
const MISSING = { ...READY, available: false }

it.each([
  [READY, 'ready'],
  [MISSING, 'not installed'],
  [{ ...READY, demo: true }, 'demo'],
  [{ ...READY, enabled: false, demo: true }, 'disabled'],
  [{ ...MISSING, machines: [] }, 'no worker'],
  [{ ...READY, machines: ['build-1'] }, 'ready'],
])('%j is %s', (agent, health) => expect(describeHealth(agent)).toBe(health))

it.each([
  [READY, []],
  [{ ...READY, warm: { idle: 1, busy: 0 } }, ['1 process waits for a prompt']],
  [{ ...READY, warm: { idle: 2, busy: 1 } }, ['2 processes wait for a prompt', '1 busy']],
  [{ ...READY, machines: ['build-1', 'build-2'] }, ['on build-1, build-2']],
])('the details of %j are %j', (agent, details) => expect(describeProcesses(agent)).toEqual(details))

describe('without an agent', () => {
  it('the page says what to install or start', () => {
    expect(whyNoAgent([MISSING])).toContain('--demo')
    expect(whyNoAgent([])).toContain('--demo')
    expect(whyNoAgent([{ ...MISSING, machines: [] }])).toContain('drover work')
    expect(whyNoAgent([MISSING, READY])).toBeUndefined()
  })
})
