import { describe, expect, it } from 'vitest'
import { thrownFault } from '../../test/support/thrown-fault.ts'
import { LIMITS } from '../contract/limits.ts'
import { parseAnswer, parseResume, parseStart } from './parse-request.ts'
import { parseActionId, parseRunId, parseSectionKey } from './resolve-run-id.ts'

const codeOf = (work: () => unknown) => thrownFault(work)?.code ?? 'accepted'

describe('parseRunId', () => {
  it.each([
    ['no argument', undefined, 'run_id_required'],
    ['an empty text', '', 'run_id_required'],
    ['a space', ' ', 'invalid_run_id'],
    ['a path', '../x', 'invalid_run_id'],
    ['letters of other alphabets', 'é', 'invalid_run_id'],
    ['one character', '-', 'accepted'],
    ['128 characters', 'aZ0-_'.padEnd(128, 'x'), 'accepted'],
    ['129 characters', 'x'.repeat(129), 'invalid_run_id'],
    ['a trailing line feed', 'x\n', 'invalid_run_id'],
  ])('%s', (_name, argument, code) => {
    expect(codeOf(() => parseRunId(argument))).toBe(code)
  })
})

describe('parseActionId and parseSectionKey', () => {
  it.each([undefined, ''])('refuse a missing id: %j', (argument) => {
    expect([codeOf(() => parseActionId(argument)), codeOf(() => parseSectionKey(argument))]).toEqual([
      'action_id_required',
      'material_section_required',
    ])
  })
})

describe('parseStart', () => {
  const missing = { goal: 'x', budget: undefined, sourceFile: undefined }

  it('defaults to a budget of 8', () => {
    const budgets = [undefined, 1, 1000].map((budget) => parseStart({ ...missing, budget }).budget)
    expect(budgets).toEqual([8, 1, 1000])
  })

  it.each([
    ['a blank goal', { goal: '\n' }, 'goal_required'],
    ['a goal with a bell', { goal: 'a\u0007' }, 'invalid_goal'],
    ['a goal as large as allowed', { goal: 'x'.repeat(LIMITS.goalBytes - 2) }, 'accepted'],
    ['a goal one byte larger', { goal: 'x'.repeat(LIMITS.goalBytes - 1) }, 'action_too_large'],
    ['no goal, because the issue has one', { goal: undefined }, 'accepted'],
    ['a budget of 0', { budget: 0 }, 'invalid_budget'],
    ['a budget of 1001', { budget: 1001 }, 'invalid_budget'],
    ['an empty source file name', { sourceFile: '' }, 'source_file_required'],
  ])('with %s', (_name, change, code) => {
    expect(codeOf(() => parseStart({ ...missing, ...change }))).toBe(code)
  })
})

describe('parseAnswer', () => {
  const missing = { actionId: 'a', text: undefined, confirmDestructive: false, scopeSha256: undefined }

  it('accepts a text, or a confirmation with its scope', () => {
    expect(parseAnswer({ ...missing, text: ' x\n' })).toEqual({
      actionId: 'a',
      text: ' x\n',
      confirmDestructive: false,
    })
    expect(parseAnswer({ ...missing, confirmDestructive: true, scopeSha256: 's' })).toEqual({
      ...{ actionId: 'a', text: '', confirmDestructive: true, scopeSha256: 's' },
    })
  })

  it.each([
    ['a bell', { text: '\u0007', scopeSha256: 'x' }, 'invalid_answer'],
    ['as many bytes as allowed', { text: 'x'.repeat(LIMITS.answerBytes - 2) }, 'accepted'],
    ['one byte more', { text: 'x'.repeat(LIMITS.answerBytes - 1), scopeSha256: 'x' }, 'answer_too_large'],
    ['a scope alone', { scopeSha256: 'x' }, 'destructive_confirmation_pair_required'],
    ['a blank scope', { confirmDestructive: true, scopeSha256: ' ' }, 'destructive_confirmation_pair_required'],
    ['a confirmation alone', { confirmDestructive: true }, 'destructive_confirmation_pair_required'],
  ])('with %s', (_name, change, code) => {
    expect(codeOf(() => parseAnswer({ ...missing, ...change }))).toBe(code)
  })
})

describe('parseResume', () => {
  const missing = {
    budget: undefined,
    sourceFile: undefined,
    usePinnedSource: false,
    sourceChoice: undefined,
    candidate: undefined,
  }

  it('accepts a budget, the pinned source or a choice', () => {
    expect(parseResume({ ...missing, budget: 3, usePinnedSource: true })).toMatchObject({
      budget: 3,
      usePinnedSource: true,
    })
    expect(parseResume({ ...missing, sourceChoice: 'adopt', candidate: 'c' })).toMatchObject({
      choice: 'adopt',
      candidateId: 'c',
    })
  })

  it.each([
    ['nothing', {}, 'accepted'],
    ['a budget of 1001', { budget: 1001, sourceFile: '' }, 'invalid_budget'],
    ['an empty source file name', { sourceFile: '', candidate: 'c' }, 'source_file_required'],
    ['a candidate alone', { candidate: 'c', usePinnedSource: true }, 'source_choice_requires_candidate'],
    ['a choice alone', { sourceChoice: 'both' }, 'source_choice_requires_candidate'],
    ['an empty candidate', { sourceChoice: 'adopt', candidate: '' }, 'source_choice_requires_candidate'],
    ['an empty choice', { sourceChoice: '', candidate: 'c' }, 'source_choice_requires_candidate'],
    ['an unknown choice', { sourceChoice: 'both', candidate: 'c', usePinnedSource: true }, 'invalid_source_choice'],
    ['two sources', { usePinnedSource: true, sourceFile: 'f' }, 'source_mode_conflict'],
    ['a source and a choice', { sourceFile: 'f', sourceChoice: 'pinned', candidate: 'c' }, 'source_mode_conflict'],
  ])('with %s', (_name, change, code) => {
    expect(codeOf(() => parseResume({ ...missing, ...change }))).toBe(code)
  })
})
