import { describe, expect, it } from 'vitest'
import type { Requirement } from '../record/follow-event.shape.ts'
import { judgeRequirements } from './judge-requirements.ts'

const COMMIT = 'abcdef0123456789'
const comment: Requirement = { id: 'thread-1', from: 'thread', text: 'Do it' }
const base: Requirement = { id: 'base-1', from: 'base', text: 'moved', conflicts: ['a.ts'] }
const ROUND = {
  requirements: [comment],
  observations: [] as string[],
  commit: COMMIT,
  changed: ['src/a.ts', 'b.ts'],
  unresolved: [] as string[],
  failure: undefined,
}

describe('what became of a requirement', () => {
  it.each([
    [
      'observed if the commit has the file that is named',
      { observations: ['1: changed src/a.ts: done'] },
      'observed',
      'changed in abcdef012345 (src/a.ts): changed src/a.ts: done',
    ],
    [
      'claimed if no file of the commit is named',
      { observations: ['1. changed src/b.ts'] },
      'claimed',
      'changed src/b.ts',
    ],
    ['claimed if only a part of a path is named', { observations: ['1: see ab.ts'] }, 'claimed', 'see ab.ts'],
    [
      'contradicted if nothing has changed',
      { observations: ['1: changed b.ts'], changed: [] },
      'contradicted',
      'the agent says this, but no file has changed: changed b.ts',
    ],
    [
      'not done if the agent says why',
      { observations: ['1: not changed: knots are wanted'] },
      'not_done',
      'knots are wanted',
    ],
    ['not done without a reason', { observations: ['#1: Not done.'] }, 'not_done', 'it does not say why'],
    [
      'claimed if the agent says nothing',
      { observations: ['2: changed b.ts', 'nothing'] },
      'claimed',
      'the agent says nothing about it',
    ],
    [
      'as the agent said last',
      { observations: ['1: not changed: later', '1: changed b.ts'] },
      'observed',
      'changed in abcdef012345 (b.ts): changed b.ts',
    ],
    [
      'not done if nothing was delivered',
      { observations: ['1: changed b.ts'], failure: 'a check fails' },
      'not_done',
      'the round delivered nothing: a check fails',
    ],
    [
      'observed if a merge has no conflicts left',
      { requirements: [base] },
      'observed',
      'merged in abcdef012345, without conflicts in a.ts',
    ],
    [
      'contradicted if it has',
      { requirements: [base], unresolved: ['a.ts'] },
      'contradicted',
      'conflicts are left in a.ts',
    ],
  ])('is %s', (_name, round, verdict, text) => {
    expect(judgeRequirements({ ...ROUND, ...round })).toMatchObject([{ verdict, text }])
  })
})
