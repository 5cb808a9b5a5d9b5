/** The figures of a run, for its verdict strip. Pure. */
import type { DrivenRun } from '../../drive/service/driven-run.shape.ts'
import type { DrivenAttempt } from './timeline.ts'

export type RunFigure = {
  name: string
  tab: 'evidence' | 'activity' | 'report'
  how: 'good' | 'bad' | 'unsure' | 'calm'
  text: string
}
type Claim = NonNullable<DrivenAttempt['evidence']>['claims'][number]

type Facts = Pick<DrivenRun, 'attempts' | 'delivery_check' | 'findings' | 'boundary'>

export function toFigures(run: Facts): RunFigure[] {
  return [checksFigure(run), claimsFigure(run), testsFigure(run), reviewFigure(run), boundaryFigure(run)].flat()
}

function checksFigure(run: Facts): RunFigure[] {
  const { length: count } = lastChecks(run)
  const failed = lastChecks(run).filter(({ passed }) => !passed).length
  if (count === 0) return []
  const how = failed > 0 ? 'bad' : 'good'
  return [{ name: 'Checks', tab: 'evidence', how, text: failed > 0 ? `${failed} of ${count}` : `${count}` }]
}

function claimsFigure({ attempts = [] }: Facts): RunFigure[] {
  const claims = claimsOf(attempts)
  if (claims.length === 0) return []
  const count = (verdict: Claim['verdict']) => claims.filter((each) => each.verdict === verdict).length
  const [claimed, contradicted] = [count('claimed'), count('contradicted')]
  const parts = [`${count('observed')} seen`, ...some(claimed, 'unproven'), ...some(contradicted, 'wrong')]
  const how = contradicted > 0 ? 'bad' : claimed > 0 ? 'unsure' : 'good'
  return [{ name: 'Claims', tab: 'evidence', how, text: parts.join(', ') }]
}

function testsFigure(run: Facts): RunFigure[] {
  const changes = lastChecks(run).flatMap(({ tests }) => tests?.changes ?? [])
  const added = changes.reduce((sum, { change, count }) => (change === 'added' ? sum + count : sum), 0)
  return added === 0 ? [] : [{ name: 'Tests', tab: 'evidence', how: 'calm', text: `+${added}` }]
}

function reviewFigure({ attempts = [], findings = [] }: Facts): RunFigure[] {
  if (!attempts.some(({ action_kind: kind, how }) => kind === 'review' && how === 'answered')) return []
  const text = findings.length === 1 ? '1 finding' : `${findings.length} findings`
  return [{ name: 'Review', tab: 'report', how: findings.length > 0 ? 'bad' : 'good', text }]
}

function boundaryFigure({ boundary }: Facts): RunFigure[] {
  if (boundary?.enforced_by === undefined) return []
  const { length: refused } = boundary.refused
  return [{ name: 'Boundary', tab: 'report', how: refused > 0 ? 'unsure' : 'good', text: `${refused} refused` }]
}

const some = (count: number, word: string) => (count === 0 ? [] : [`${count} ${word}`])

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
