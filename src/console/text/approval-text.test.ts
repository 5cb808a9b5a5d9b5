import { expect, it } from 'vitest'
import type { ApprovalRequest } from '../../agents/adapter/agent.shape.ts'
import { describeDecision, restOfInput } from './approval-text.ts'

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

it.each<[string, Partial<ApprovalRequest>, unknown]>([
  ['everything without a command and a diff', { input: { url: 'x' } }, { url: 'x' }],
  ['nothing without an input', {}, undefined],
  ['nothing of a command alone', { command: 'ls', input: { command: 'ls' } }, undefined],
  [
    'what a command comes with',
    { command: 'status', input: { command: 'status', target: 'prod', force: true } },
    { target: 'prod', force: true },
  ],
  ['nothing of an edit', { diff: '--- /a\n-o\n+b', input: { path: '/a', old: 'o', new: 'b' } }, undefined],
  ['what a diff does not have', { diff: '--- /a\n+b', input: { path: '/a', content: 'b', to: 'c' } }, { to: 'c' }],
])('%s is shown beside them', (_name, fields, rest) => {
  expect(restOfInput({ approval_id: 'a1', tool_name: 'x', choices: ['deny'], ...fields })).toEqual(rest)
})
