import { CONTRACT_VERSION } from '../../contract/limits.ts'
import type { ChangeReport } from '../../contract/reports.shape.ts'
import type { Digest } from '../../kit/digest.ts'
import type { HostId } from '../host.ts'

/** All steps are done in order, or none. Paths are relative to the root of the repository, with `/`. */
export type PlanStep =
  /** Nothing may exist at the path. Missing directories above it are created. */
  | { readonly do: 'create'; readonly path: string; readonly text: string; readonly mode: number }
  | {
      readonly do: 'replace'
      readonly path: string
      readonly expects: Digest
      readonly text: string
      readonly mode: number
    }
  | { readonly do: 'remove'; readonly path: string; readonly expects: Digest }
  /** Changes nothing. The plan depends on this file being unchanged. */
  | { readonly do: 'verify'; readonly path: string; readonly expects: Digest }
  /** Only if it is empty. If it is not empty or no longer exists, that is not a failure. */
  | { readonly do: 'remove_directory'; readonly path: string }

/** A file that is not changed. `because` ends the sentence "it was left alone because …". */
export type Preserved = { readonly path: string; readonly because: string }

export type Plan = {
  readonly hosts: readonly HostId[]
  readonly steps: readonly PlanStep[]
  readonly preserved: readonly Preserved[]
  readonly warnings: readonly string[]
}

export const NOTHING: Plan = { hosts: [], steps: [], preserved: [], warnings: [] }

/** Does not change the host. */
export function onlyWarn({ id }: { readonly id: HostId }, warning: string | undefined): Plan {
  return { ...NOTHING, hosts: [id], warnings: warning === undefined ? [] : [`${id}: ${warning}`] }
}

/** Joins plans in order. Directories are removed last, when all files in them are gone. */
export function joinPlans(plans: readonly Plan[]): Plan {
  const steps = plans.flatMap((plan) => plan.steps)
  return {
    hosts: plans.flatMap((plan) => plan.hosts),
    steps: [
      ...steps.filter((step) => step.do !== 'remove_directory'),
      ...steps.filter((step) => step.do === 'remove_directory'),
    ],
    preserved: plans.flatMap((plan) => plan.preserved),
    warnings: plans.flatMap((plan) => plan.warnings),
  }
}

export type PlanEnding = {
  readonly outcome: ChangeReport['transaction_outcome']
  readonly recoveryArtifacts?: readonly string[]
  readonly warnings?: readonly string[]
}

/** Only a committed plan reports written or removed files. */
export function toChangeReport(plan: Plan, ending: PlanEnding): ChangeReport {
  const { outcome, recoveryArtifacts = [], warnings = [] } = ending
  const head = { contract_version: CONTRACT_VERSION, hosts: inOrder(plan.hosts) } as const
  const rest = {
    preserved: inOrder(plan.preserved.map(({ path }) => path)),
    recovery_artifacts: inOrder(recoveryArtifacts),
    warnings: inOrder([...plan.warnings, ...warnings]),
  }
  if (outcome !== 'committed') return { ...head, transaction_outcome: outcome, written: [], removed: [], ...rest }
  const paths = (...kinds: readonly PlanStep['do'][]) =>
    inOrder(plan.steps.filter((step) => kinds.includes(step.do)).map(({ path }) => path))
  return {
    ...head,
    transaction_outcome: outcome,
    written: paths('create', 'replace'),
    removed: paths('remove'),
    ...rest,
  }
}

function inOrder(texts: readonly string[]): string[] {
  return [...new Set(texts)].sort()
}

/**
 * The directories that the steps may leave empty, the deepest first. They include the directories that a host is detected
 * by: an empty one, which git does not store either, does not show that the host is used.
 */
export function emptiedDirectories(steps: readonly PlanStep[]): PlanStep[] {
  const above = steps.flatMap((step) => (step.do === 'remove' ? ancestors(step.path) : []))
  return [...new Set(above)]
    .sort((a, b) => b.split('/').length - a.split('/').length || (a < b ? -1 : 1))
    .map((path) => ({ do: 'remove_directory', path }))
}

function ancestors(path: string): string[] {
  const names = path.split('/')
  return names.slice(1).map((_, index) => names.slice(0, index + 1).join('/'))
}
