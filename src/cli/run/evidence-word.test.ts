import { expect, it } from 'vitest'
import { actionOf, attemptAt, driveState } from '../../../test/support/drive-fixture.ts'
import type { Claim } from '../../drive/record/drive-event.shape.ts'
import { evidenceWord } from './run-view.ts'

const action = actionOf('implement')
const check = { command: 'test -s wind.txt', passed: true, exit_code: 0, output: '', duration_ms: 1 }
const claim = (subject: string, verdict: Claim['verdict'], exit_code = 0): Claim => {
  return { about: 'activity', subject, exit_code, verdict, note: '' }
}
const claims = [
  claim('make test', 'claimed'),
  claim('make', 'contradicted'),
  claim('make', 'observed', 2),
  { about: 'file', subject: 'wind.txt', verdict: 'observed', note: '' } as const,
]
const drive = driveState([attemptAt(action, { checks: [check], evidence: { attempt: 1, claims, flags: [] } } as never)])

it.each([
  ['test -s wind.txt', 0, 'observed'],
  ['test -s wind.txt', 1, 'reported'],
  ['make test', 0, 'claimed'],
  ['make', 0, 'contradicted'],
  ['make', 2, 'observed'],
  ['wind.txt', 0, 'reported'],
])('%s with exit code %i is %s', (command, exit_code, word) => {
  expect(evidenceWord({ command, exit_code }, action, drive)).toBe(word)
})

it('is reported if no driver has compared it, or in another action', () => {
  const ran = { command: 'make test', exit_code: 0 }
  expect(evidenceWord(ran, action, undefined)).toBe('reported')
  expect(evidenceWord(ran, { action_id: 'other' }, drive)).toBe('reported')
})
