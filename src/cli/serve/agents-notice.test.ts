import { expect, it } from 'vitest'
import { agentsNotice } from './work.ts'

const agent = (backend: string, over: object = {}) => ({
  backend,
  isEnabled: true,
  isDemo: false,
  program: ['/bin/agent'] as const,
  ...over,
})
const missing = agent('claude', { program: undefined })
const disabled = agent('codex', { isEnabled: false })

it.each([
  [[agent('claude'), agent('gemini', { isDemo: true }), disabled], false, /: claude, gemini \(demo\)\n$/],
  [[agent('claude'), missing], true, /^$/],
  [[missing, disabled], false, /warning: this machine has no agent/],
  [[missing], true, /warning: this machine has no agent/],
])('a worker says which agents it has: %#', (agents, isQuiet, notice) => {
  expect(agentsNotice(agents, { isQuiet })).toMatch(notice)
})
