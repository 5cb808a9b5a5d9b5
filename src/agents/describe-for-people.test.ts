import { expect, it } from 'vitest'
import { describeDecision } from './describe-for-people.ts'

it.each<[Parameters<typeof describeDecision>[0], string]>([
  [
    { decision: 'allow', by: { via: 'key', name: 'ci' }, tool_name: 'Bash', command: 'ls' },
    'allowed by ci (key): Bash ls',
  ],
  [
    { decision: 'allow_session', by: { via: 'terminal', name: 'ann' }, tool_name: 'Edit' },
    'allowed for the session by ann (terminal): Edit',
  ],
  [{ decision: 'allow', by: { via: 'none' }, tool_name: 'Edit' }, 'allowed by a client without a key: Edit'],
  [
    { decision: 'deny', by: { via: 'drover' }, tool_name: 'Edit', message: 'no one decided within 5 s' },
    'denied by drover: Edit (no one decided within 5 s)',
  ],
])('describes a decision: %j', (decided, text) => {
  expect(describeDecision(decided)).toBe(text)
})
