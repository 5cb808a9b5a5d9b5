import { expect, it } from 'vitest'
import type { DrivenRun } from '../../drive/service/driven-run.shape.ts'
import { listEvidence } from './evidence-list.ts'

const claim = (subject: string, verdict: string, more: object = {}) => ({
  ...{ about: 'activity', subject, exit_code: 0, verdict, note: '', ...more },
})
const check = { command: 'npm test', passed: true, duration_ms: 1, output: '' }

const RUN = {
  requirements: [
    { text: 'a.ts:3: round it', from: 'person', verdict: 'observed', note: 'changed' },
    { text: 'and the docs', from: 'person', verdict: 'not_done', note: 'why' },
  ],
  attempts: [
    {
      checks: [check],
      evidence: {
        claims: [
          claim('npm test', 'observed'),
          claim('npx eslint', 'claimed'),
          claim('make', 'contradicted', { execution_id: 'exec_1', seq: 7 }),
          { about: 'file', subject: 'a.ts', verdict: 'observed', note: 'git shows it' },
        ],
        flags: [{ flag: 'weakened_tests', is_serious: true, detail: 'a test is gone', path: 'a.test.ts', line: 4 }],
      },
    },
  ],
} as unknown as DrivenRun

it('what is wrong comes first, and each item leads to what shows it', () => {
  const shown = listEvidence(RUN).map(({ group, items }) => [
    group,
    ...items.map(({ verdict, claim: said, proof }) => `${verdict}: ${said} (${Object.keys(proof ?? {})})`),
  ])
  expect(shown).toEqual([
    ['Asked for', 'not done: 2. and the docs ()', 'observed: 1. a.ts:3: round it (path,line)'],
    [
      'Claims of the agent',
      'contradicted: make exited with 0 (tool)',
      'claimed: npx eslint exited with 0 ()',
      'observed: npm test exited with 0 (check)',
      'observed: changed a.ts (path)',
    ],
    ['Checks', 'passed: npm test (check)'],
    ['Look at', 'serious: weakened tests (path,line)'],
  ])
})

it('a run without work has none', () => {
  expect(listEvidence({ attempts: [] } as unknown as DrivenRun)).toEqual([])
})
