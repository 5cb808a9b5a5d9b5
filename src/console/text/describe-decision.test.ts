import { expect, it } from 'vitest'
import { describeDecision } from './describe-decision.ts'

it.each<[Parameters<typeof describeDecision>[0], string]>([
  [{ decision: 'allow', by: { via: 'login', name: 'ci' } }, 'allowed by ci (login)'],
  [{ decision: 'allow_session', by: { via: 'none' } }, 'allowed for the session by a client without a key'],
  [
    { decision: 'deny', by: { via: 'drover' }, message: 'no one decided within 5 s' },
    'denied by drover: no one decided within 5 s',
  ],
])('describes a decision: %j', (decided, text) => {
  expect(describeDecision(decided)).toBe(text)
})
