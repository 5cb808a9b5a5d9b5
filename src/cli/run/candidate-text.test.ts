import { describe, expect, it } from 'vitest'
import type { LocalRun } from '../../contract/run-status.shape.ts'
import { sayDifference } from './candidate-text.ts'

type Source = NonNullable<LocalRun['pinned_source']>
type Candidate = NonNullable<LocalRun['source_candidate']>

const withSections = (revisions: Readonly<Record<string, string>>) =>
  ({
    sections: Object.entries(revisions).map(([key, section_revision]) => ({ key, section_revision })),
  }) as unknown as Source

const found = (revisions: Readonly<Record<string, string>>) =>
  ({ snapshot: withSections(revisions) }) as unknown as Candidate

describe('what a candidate would change', () => {
  it.each([
    ['nothing', { a: '1' }, undefined],
    ['a section', { a: '2' }, 'changed: a'],
    ['by adding sections', { a: '1', b: '1', c: '1' }, 'new: b, c'],
    ['by taking one away and adding another', { b: '1' }, 'new: b; gone: a'],
  ])('is %s', (_name, revisions, said) => {
    expect(sayDifference(withSections({ a: '1' }), found(revisions))).toBe(said)
  })

  it('is not told of one that cannot be used', () => {
    expect(sayDifference(withSections({ a: '1' }), { valid: false } as Candidate)).toBeUndefined()
  })
})
