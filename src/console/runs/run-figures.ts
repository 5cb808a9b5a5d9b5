/** The figures of a run, for its verdict strip. Pure. */
import type { DrivenRun } from '../../drive/service/driven-run.shape.ts'
import type { DrivenAttempt } from './timeline.ts'

type How = 'good' | 'bad' | 'unsure' | 'calm'

/** `says`: the same in words. */
export type RunFigure = {
  name: string
  tab: 'evidence' | 'activity' | 'report'
  how: How
  parts: readonly { how: How; text: string }[]
  says: string
}
type Claim = NonNullable<DrivenAttempt['evidence']>['claims'][number]

type Facts = Pick<DrivenRun, 'attempts' | 'checks' | 'delivery_check' | 'findings' | 'boundary'>

export function toFigures(run: Facts): RunFigure[] {
  return [checksFigure(run), claimsFigure(run), testsFigure(run), reviewFigure(run), boundaryFigure(run)].flat()
}

const toPart = (how: How, count: number) => ({ how, text: String(count) })

function checksFigure(run: Facts): RunFigure[] {
  const { length: count } = lastChecks(run)
  const failed = lastChecks(run).filter(({ passed }) => !passed).length
  if (count === 0) return isUntested(run) ? [UNTESTED] : []
  const parts = [toPart('good', count - failed), ...(failed > 0 ? [toPart('bad', failed)] : [])]
  const says = `${count - failed} passed, ${failed} failed`
  return [{ name: 'Checks', tab: 'evidence', how: failed > 0 ? 'bad' : 'good', parts, says }]
}

const UNTESTED: RunFigure = {
  ...{ name: 'Checks', tab: 'report', how: 'unsure', parts: [{ how: 'unsure', text: 'none' }] },
  says: 'none was given, so nothing was tested',
}

/** An agent has worked, and no check was given. */
function isUntested({ attempts = [], checks }: Facts): boolean {
  return (
    checks?.length === 0 && attempts.some(({ action_kind: kind, how }) => kind === 'implement' && how === 'answered')
  )
}

function claimsFigure({ attempts = [] }: Facts): RunFigure[] {
  const claims = claimsOf(attempts)
  if (claims.length === 0) return []
  const count = (verdict: Claim['verdict']) => claims.filter((each) => each.verdict === verdict).length
  const [observed, claimed, contradicted] = [count('observed'), count('claimed'), count('contradicted')]
  return [
    {
      ...{ name: 'Claims', tab: 'evidence', how: contradicted > 0 ? 'bad' : claimed > 0 ? 'unsure' : 'good' },
      parts: [toPart('good', observed), toPart('unsure', claimed), toPart('bad', contradicted)],
      says: `${observed} observed, ${claimed} claimed without proof, ${contradicted} contradicted`,
    },
  ]
}

function testsFigure(run: Facts): RunFigure[] {
  const changes = lastChecks(run).flatMap(({ tests }) => tests?.changes ?? [])
  const added = changes.reduce((sum, { change, count }) => (change === 'added' ? sum + count : sum), 0)
  return added === 0 ? [] : [{ name: 'Tests', tab: 'evidence', ...onePart('calm', `+${added}`, `${added} added`) }]
}

const onePart = (how: How, text: string, says: string) => ({ how, parts: [{ how, text }], says })

function reviewFigure({ attempts = [], findings = [] }: Facts): RunFigure[] {
  if (!attempts.some(({ action_kind: kind, how }) => kind === 'review' && how === 'answered')) return []
  const { length: count } = findings
  const says = count === 1 ? '1 finding' : `${count} findings`
  return [{ name: 'Review', tab: 'report', ...onePart(count > 0 ? 'bad' : 'good', String(count), says) }]
}

function boundaryFigure({ boundary }: Facts): RunFigure[] {
  if (boundary?.enforced_by === undefined) return []
  const says = `${boundary.refused.length} refused`
  return [{ name: 'Boundary', tab: 'report', ...onePart(boundary.refused.length > 0 ? 'unsure' : 'good', says, says) }]
}

/** Of the commit, if it was checked alone; else those after the last attempt that was checked. */
export function lastChecks({ attempts = [], delivery_check: clean }: Pick<DrivenRun, 'attempts' | 'delivery_check'>) {
  const done = clean === undefined || clean.result === 'skipped' ? [] : clean.checks
  return done.length > 0 ? done : (attempts.findLast(({ checks }) => checks.length > 0)?.checks ?? [])
}

/** The last word about each claim. A claim of an earlier attempt may have been corrected since. */
export function claimsOf(attempts: readonly DrivenAttempt[]): Claim[] {
  const claims = attempts.flatMap(({ evidence }) => evidence?.claims ?? [])
  return [...new Map(claims.map((claim) => [`${claim.about} ${claim.subject}`, claim])).values()]
}
