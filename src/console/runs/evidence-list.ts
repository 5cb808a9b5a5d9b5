/** Everything that was said about the work of a run, with what drover saw of it: the worst first. Pure. */
import type { DrivenRun } from '../../drive/service/driven-run.shape.ts'
import { claimsOf, lastChecks } from './run-figures.ts'
import type { DrivenAttempt, ShownCheck } from './timeline.ts'

/** What can be opened beside a claim. */
export type Proof =
  | { tool: { executionId: string; seq: number } }
  | { check: ShownCheck }
  | { path: string; line?: number | undefined }

export type EvidenceItem = {
  key: string
  group: 'Asked for' | 'Claims of the agent' | 'Checks' | 'Look at'
  verdict: 'contradicted' | 'not done' | 'failed' | 'claimed' | 'open' | 'observed' | 'passed' | 'serious' | 'note'
  claim: string
  seen: string
  proof: Proof | undefined
}

const ORDER: readonly EvidenceItem['verdict'][] = [
  ...(['contradicted', 'not done', 'failed', 'serious', 'claimed', 'open', 'note', 'observed', 'passed'] as const),
]

const GROUPS: readonly EvidenceItem['group'][] = ['Asked for', 'Claims of the agent', 'Checks', 'Look at']

export function listEvidence(run: DrivenRun): { group: EvidenceItem['group']; items: EvidenceItem[] }[] {
  const { attempts = [] } = run
  const checks = lastChecks(run)
  const items = [
    ...(run.requirements ?? []).map(toRequirementItem),
    ...claimsOf(attempts).map((claim, at) => toClaimItem(claim, at, checks)),
    ...checks.map(toCheckItem),
    ...attempts.flatMap(({ evidence }) => evidence?.flags ?? []).map(toFlagItem),
  ]
  const rank = ({ verdict }: EvidenceItem) => ORDER.indexOf(verdict)
  return GROUPS.map((group) => ({
    group,
    items: items.filter((item) => item.group === group).sort((a, b) => rank(a) - rank(b)),
  })).filter((each) => each.items.length > 0)
}

type Requirement = NonNullable<DrivenRun['requirements']>[number]

function toRequirementItem({ text, verdict, note = '', path, line }: Requirement, at: number): EvidenceItem {
  const place = path ?? /^(?<path>[^\s:]+):(?<line>\d+)/.exec(text)?.groups?.['path']
  return {
    ...{ key: `asked ${at}`, group: 'Asked for', seen: note, claim: `${at + 1}. ${text}` },
    verdict: verdict === undefined ? 'open' : verdict === 'not_done' ? 'not done' : verdict,
    proof: place === undefined ? undefined : { path: place, line },
  }
}

type Claim = NonNullable<DrivenAttempt['evidence']>['claims'][number]

function toClaimItem(claim: Claim, at: number, checks: readonly ShownCheck[]): EvidenceItem {
  const { about, subject, exit_code: code, verdict, note } = claim
  return {
    ...{ key: `claim ${at}`, group: 'Claims of the agent', verdict, seen: note },
    claim: about === 'file' ? describeFile(subject) : `${subject} exited with ${code}`,
    proof: proofOf(claim, checks),
  }
}

/** The worktree as a whole: the agent reports the result, and no file. */
function describeFile(subject: string): string {
  return subject === '.' ? 'the result is "applied"' : `changed ${subject}`
}

function proofOf({ about, subject, execution_id: id, seq }: Claim, checks: readonly ShownCheck[]): Proof | undefined {
  if (id !== undefined && seq !== undefined) return { tool: { executionId: id, seq } }
  if (about === 'file') return subject === '.' ? undefined : { path: subject }
  const check = checks.find(({ command }) => command === subject)
  return check === undefined ? undefined : { check }
}

function toCheckItem(check: ShownCheck, at: number): EvidenceItem {
  const { command, passed, tests } = check
  const counts =
    tests === undefined ? '' : `${tests.passed} ${tests.passed === 1 ? 'test' : 'tests'} passed, ${tests.failed} failed`
  return {
    ...{ key: `check ${at}`, group: 'Checks', claim: command, seen: counts, proof: { check } },
    verdict: passed ? 'passed' : 'failed',
  }
}

type Flag = NonNullable<DrivenAttempt['evidence']>['flags'][number]

function toFlagItem({ flag, is_serious: isSerious, detail, path, line }: Flag, at: number): EvidenceItem {
  return {
    ...{ key: `flag ${at}`, group: 'Look at', claim: flag.replaceAll('_', ' '), seen: detail },
    verdict: isSerious ? 'serious' : 'note',
    proof: path === undefined ? undefined : { path, line },
  }
}
