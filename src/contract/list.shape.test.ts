import { describe, expect, it } from 'vitest'
import { loadValidators } from '../../test/support/load-validators.ts'
import { problemsOf } from '../../test/support/problems.ts'
import { digest } from '../kit/digest.ts'
import { checker } from '../kit/schema.ts'
import type { Message } from '../kit/shape.ts'
import type { Next } from './next.shape.ts'
import { checkNext } from './next.ts'
import { makeVariant } from './next-variants.ts'
import { FinishedReview, type Outcome, ReviewProjection } from './outcome.shape.ts'
import type { ChangeReport } from './reports.shape.ts'
import { checkChangeReport } from './reports.ts'

type Finished = Message<typeof FinishedReview>

const finding = { location: 'a', summary: 'b', detail: 'c' }
const workspace_identity = digest('w')
const doctor = makeVariant('run-doctor', { ROOT: '/' })

describe('a list whose length selects the branch', async () => {
  const validators = await loadValidators({ finishedReview: FinishedReview, reviewProjection: ReviewProjection })
  const checkReview = checker('finishedReview', validators.finishedReview)
  const checkProjection = checker('reviewProjection', validators.reviewProjection)
  const pathsOf = (check: (value: unknown) => unknown, value: unknown) => problemsOf(check, value).map((p) => p.path)

  it('is empty in a review without findings, for the compiler and the validator', () => {
    const right: Finished = { result: 'no_findings_reported', findings: [], uncertainties: [] }
    // @ts-expect-error: none are reported
    const wrong: Finished = { result: 'no_findings_reported', findings: [finding], uncertainties: [] }
    expect([pathsOf(checkReview, right), pathsOf(checkReview, wrong)]).toEqual([[], ['$.findings']])
  })

  it('has an item in a review with findings', () => {
    const right: Finished = { result: 'findings_reported', findings: [finding], uncertainties: [] }
    // @ts-expect-error: some are reported
    const wrong: Finished = { result: 'findings_reported', findings: [], uncertainties: [] }
    expect([pathsOf(checkReview, right), pathsOf(checkReview, wrong)]).toEqual([[], ['$.findings']])
  })

  it('is empty in a review that was not run', () => {
    const right: ReviewProjection = { result: 'not_run', findings: [], uncertainties: [] }
    // @ts-expect-error: a review that was not run has no uncertainties
    const wrong: ReviewProjection = { result: 'not_run', findings: [], uncertainties: ['x'] }
    expect([pathsOf(checkProjection, right), pathsOf(checkProjection, wrong)]).toEqual([[], ['$.uncertainties']])
  })

  it('is empty if nothing is next', () => {
    const right: Next = { operation: 'none', workspace_identity, variants: [] }
    // @ts-expect-error: nothing is next
    const wrong: Next = { operation: 'none', workspace_identity, variants: [doctor] }
    expect([pathsOf(checkNext, right), pathsOf(checkNext, wrong)]).toEqual([[], ['$.variants']])
  })

  it('has a command if something is next', () => {
    const right: Next = { operation: 'command', workspace_identity, variants: [doctor] }
    // @ts-expect-error: something is next
    const wrong: Next = { operation: 'command', workspace_identity, variants: [] }
    expect([pathsOf(checkNext, right), pathsOf(checkNext, wrong)]).toEqual([[], ['$.variants']])
  })

  it('has written or removed files only in a committed change', () => {
    const rest = { contract_version: 2, hosts: [], preserved: [], recovery_artifacts: [], warnings: [] } as const
    const right: ChangeReport = { ...rest, transaction_outcome: 'committed', written: ['a'], removed: ['b'] }
    // @ts-expect-error: nothing was written in the end
    const written: ChangeReport = { ...rest, transaction_outcome: 'rolled_back', written: ['a'], removed: [] }
    // @ts-expect-error: nothing is known to be removed
    const removed: ChangeReport = { ...rest, transaction_outcome: 'ambiguous', written: [], removed: ['b'] }
    const paths = [right, written, removed].map((report) => pathsOf(checkChangeReport, report))
    expect(paths).toEqual([[], ['$.written'], ['$.removed']])
  })

  it('is empty for suggestions in the outcome of a summary', () => {
    type Suggestions = Extract<Outcome, { action_kind: 'summarize' }>['suggested_actions']
    // @ts-expect-error: nothing follows a summary
    const wrong: Suggestions = [{ kind: 'clarify', brief: 'x' }]
    expect(wrong).toHaveLength(1)
  })
})
