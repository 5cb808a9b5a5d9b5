import { describe, expect, it } from 'vitest'
import { makeVariant, type VariantValues } from '../../contract/next-variants.ts'
import { toFollowUp } from './what-follows.ts'

const DIGEST = `sha256:${'0123456789abcdef'.repeat(4)}`
const ids = { RUN: '6f1c2c6e-1', ACTION: 'a', ROOT: '/it is here' }
const run = { RUN: ids.RUN, ROOT: ids.ROOT }

const words = (id: string, values: VariantValues, options = { hasRoot: false, name: '6f1c' as string | undefined }) =>
  toFollowUp(makeVariant(id, values), options)?.line

describe('toFollowUp', () => {
  it.each<[string, VariantValues, string | undefined]>([
    ['skip-action', ids, 'drover skip 6f1c'],
    ['answer-decision', ids, 'drover answer 6f1c "TEXT"'],
    ['confirm-destructive', { ...ids, DIGEST }, 'drover answer 6f1c --confirm 0123456789abcdef'],
    ['decline-or-feedback', ids, 'drover answer 6f1c "TEXT"'],
    ['resume-ad-hoc', run, 'drover continue 6f1c'],
    ['refresh-source', run, 'drover continue 6f1c'],
    ['use-pinned-source', run, 'drover continue 6f1c --use-pinned'],
    ['keep-pinned', { ...run, CANDIDATE: 'c' }, 'drover continue 6f1c --use-pinned'],
    ['adopt', { ...run, CANDIDATE: 'c' }, 'drover continue 6f1c --adopt'],
    ['submit-outcome-stdin', ids, undefined],
    ['list-runs', { ROOT: ids.ROOT }, undefined],
  ])('says for %s what people type', (id, values, line) => {
    expect(words(id, values)).toBe(line)
  })

  it('names the whole run and its worktree where the reader may be elsewhere', () => {
    const options = { hasRoot: true, name: undefined }
    expect(words('skip-action', ids, options)).toBe("drover skip 6f1c2c6e-1 --root '/it is here'")
    expect(words('resume-ad-hoc', run, options)).toBe("drover continue 6f1c2c6e-1 --root '/it is here'")
  })
})
