import { describe, expect, it } from 'vitest'
import { LIMITS } from '../contract/limits.ts'
import { Fault } from '../kit/fault.ts'
import { toActionId, toRunId, toSectionKey } from './named-parts.ts'
import { toAnswer, toResumption, toStart } from './request-words.ts'

function codeOf(work: () => unknown): string {
  try {
    work()
    return 'taken'
  } catch (error) {
    if (error instanceof Fault) return error.code
    throw error
  }
}

describe('the id of a run', () => {
  it.each([
    ['nothing', undefined, 'run_id_required'],
    ['an empty text', '', 'run_id_required'],
    ['a space', ' ', 'invalid_run_id'],
    ['a path', '../x', 'invalid_run_id'],
    ['letters of other alphabets', 'é', 'invalid_run_id'],
    ['one character', '-', 'taken'],
    ['128 characters', 'aZ0-_'.padEnd(128, 'x'), 'taken'],
    ['129 characters', 'x'.repeat(129), 'invalid_run_id'],
    ['a line end behind it', 'x\n', 'invalid_run_id'],
  ])('%s', (_name, word, code) => {
    expect(codeOf(() => toRunId(word))).toBe(code)
  })
})

describe('other names', () => {
  it.each([undefined, ''])('must be given: %j', (word) => {
    expect([codeOf(() => toActionId(word)), codeOf(() => toSectionKey(word))]).toEqual([
      'action_id_required',
      'material_section_required',
    ])
  })
})

describe('the words of a start', () => {
  const words = { goal: 'x', budget: undefined, sourceFile: undefined }

  it('have a budget of 8 unless they name one', () => {
    const budgets = [undefined, 1, 1000].map((budget) => toStart({ ...words, budget }).budget)
    expect(budgets).toEqual([8, 1, 1000])
  })

  it.each([
    ['a blank goal', { goal: '\n' }, 'goal_required'],
    ['a goal with a bell', { goal: 'a\u0007' }, 'invalid_goal'],
    ['a goal as large as allowed', { goal: 'x'.repeat(LIMITS.goalBytes - 2) }, 'taken'],
    ['a goal one byte larger', { goal: 'x'.repeat(LIMITS.goalBytes - 1) }, 'action_too_large'],
    ['no goal, which the issue has', { goal: undefined }, 'taken'],
    ['a budget of 0', { budget: 0 }, 'invalid_budget'],
    ['a budget of 1001', { budget: 1001 }, 'invalid_budget'],
    ['a source without a name', { sourceFile: '' }, 'source_file_required'],
  ])('with %s', (_name, change, code) => {
    expect(codeOf(() => toStart({ ...words, ...change }))).toBe(code)
  })
})

describe('the words of an answer', () => {
  const words = { actionId: 'a', text: undefined, confirmDestructive: false, scopeSha256: undefined }

  it('are a text, or a confirmation with its scope', () => {
    expect(toAnswer({ ...words, text: ' x\n' })).toEqual({ actionId: 'a', text: ' x\n', confirmDestructive: false })
    expect(toAnswer({ ...words, confirmDestructive: true, scopeSha256: 's' })).toEqual({
      ...{ actionId: 'a', text: '', confirmDestructive: true, scopeSha256: 's' },
    })
  })

  it.each([
    ['a bell', { text: '\u0007', scopeSha256: 'x' }, 'invalid_answer'],
    ['as many bytes as allowed', { text: 'x'.repeat(LIMITS.answerBytes - 2) }, 'taken'],
    ['one byte more', { text: 'x'.repeat(LIMITS.answerBytes - 1), scopeSha256: 'x' }, 'answer_too_large'],
    ['a scope alone', { scopeSha256: 'x' }, 'destructive_confirmation_pair_required'],
    ['a blank scope', { confirmDestructive: true, scopeSha256: ' ' }, 'destructive_confirmation_pair_required'],
    ['a confirmation alone', { confirmDestructive: true }, 'destructive_confirmation_pair_required'],
  ])('with %s', (_name, change, code) => {
    expect(codeOf(() => toAnswer({ ...words, ...change }))).toBe(code)
  })
})

describe('the words of a resume', () => {
  const words = {
    budget: undefined,
    sourceFile: undefined,
    usePinnedSource: false,
    sourceChoice: undefined,
    candidate: undefined,
  }

  it('name a budget, the pinned source or a choice', () => {
    expect(toResumption({ ...words, budget: 3, usePinnedSource: true })).toMatchObject({
      budget: 3,
      usePinnedSource: true,
    })
    expect(toResumption({ ...words, sourceChoice: 'adopt', candidate: 'c' })).toMatchObject({
      choice: 'adopt',
      candidateId: 'c',
    })
  })

  it.each([
    ['nothing', {}, 'taken'],
    ['a budget of 1001', { budget: 1001, sourceFile: '' }, 'invalid_budget'],
    ['a source without a name', { sourceFile: '', candidate: 'c' }, 'source_file_required'],
    ['a candidate alone', { candidate: 'c', usePinnedSource: true }, 'source_choice_requires_candidate'],
    ['a choice alone', { sourceChoice: 'both' }, 'source_choice_requires_candidate'],
    ['an empty candidate', { sourceChoice: 'adopt', candidate: '' }, 'source_choice_requires_candidate'],
    ['an empty choice', { sourceChoice: '', candidate: 'c' }, 'source_choice_requires_candidate'],
    ['a choice that is none', { sourceChoice: 'both', candidate: 'c', usePinnedSource: true }, 'invalid_source_choice'],
    ['two sources', { usePinnedSource: true, sourceFile: 'f' }, 'source_mode_conflict'],
    ['a source and a choice', { sourceFile: 'f', sourceChoice: 'pinned', candidate: 'c' }, 'source_mode_conflict'],
  ])('with %s', (_name, change, code) => {
    expect(codeOf(() => toResumption({ ...words, ...change }))).toBe(code)
  })
})
