import { expect, it } from 'vitest'
import type { ApprovalRequest } from '../../agents/adapter/agent.shape.ts'
import { restOfInput } from './rest-of-input.ts'

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
