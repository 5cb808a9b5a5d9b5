/** Decides what clients see of the runs of many machines, and which machine gets a new one. Pure. */

import { DRIVEN_STATES, type SharedRun } from '../../executions/store/published-runs.ts'
import type { KnownWorker } from '../../executions/store/work-queue.ts'
import { requiredLabel } from '../../kit/label.ts'
import { type PatchPart, patchOfFile } from '../../workspace/worktrees/diff-worktree.ts'
import { withLostDriver } from '../decide/verdict.ts'
import { driveLabelMissing, driveRepositoryNotNamed, driveRepositoryRequired } from '../faults.ts'
import type { NightReports } from '../night/night-report.shape.ts'
import { toNightReport } from '../night/night-report.ts'
import { withSection } from '../night/night-sections.ts'
import type { DrivenDiff, DrivenRun, RunChoice } from './driven-run.shape.ts'

/** A run as a server shows it that does not have it: a driver that is gone was interrupted. */
export function toShownRun({ document, machine, isDriven, isMachineGone }: SharedRun, now: Date): DrivenRun {
  const { driven_by: _, attempts, limit, ...run } = JSON.parse(document) as DrivenRun
  const isRunning = DRIVEN_STATES.includes(run.state)
  const isInterrupted = isRunning && !isDriven
  const able: RunChoice[] = isInterrupted ? ['resume', ...run.choices] : [...run.choices]
  const choices = isMachineGone ? [] : able
  return {
    ...run,
    machine,
    ...(isMachineGone && { is_machine_gone: true as const }),
    ...(isRunning && !isInterrupted && { driven_by: 'another_process' as const }),
    ...(limit !== undefined && !isInterrupted && { limit }),
    ...(isInterrupted && { state: 'interrupted' as const, verdict: withLostDriver(run, now) }),
    ...(run.waits_for !== undefined && { waits_for: { ...run.waits_for, choices } }),
    choices,
    ...(attempts !== undefined && {
      attempts: attempts.map((each) => (isInterrupted && each.how === 'running' ? { ...each, how: 'unknown' } : each)),
    }),
  }
}

/** A part of a diff that is stored, with the context that it has. */
export function partOfDiff(diff: DrivenDiff, { path, filesOnly }: PatchPart = {}): DrivenDiff {
  if (filesOnly === true) return { ...diff, patch: '', is_cut: false }
  if (path === undefined) return diff
  const { files, patch, isCut } = patchOfFile({ ...diff, isCut: diff.is_cut }, path)
  return { ...diff, files: [...files], patch, is_cut: isCut }
}

/** Reports about runs of other machines, by machine and repository. */
export function toNights(runs: readonly DrivenRun[], since: string): NightReports['repositories'] {
  const shown = runs.filter(({ state }) => state !== 'continued')
  const places = Map.groupBy(shown, ({ machine = '', repository }) => `${machine} ${repository}`)
  return [...places.values()].flatMap((own) => {
    const [{ machine = '', repository } = { repository: '' }] = own
    const report = toNightReport(since, own.map(toNightRun).toReversed(), undefined)
    return [{ repository, machine, report }]
  })
}

function toNightRun({ id, title, verdict, spent }: DrivenRun) {
  const { tokens, cost_usd, priced_usd: priced, unknown_cost_attempts: unknown, time_secs } = spent
  const used = {
    tokens,
    cost_microusd: Math.round(cost_usd * 1_000_000),
    ...(priced !== undefined && { priced_microusd: Math.round(priced * 1_000_000) }),
    ...(unknown !== undefined && { unknown_cost_attempts: unknown }),
    time_ms: Math.round(time_secs * 1000),
  }
  return withSection({ run_id: id, title, verdict, spent: used, paths: [] })
}

type WantedDriver = {
  repository: string | undefined
  backend: string | undefined
  /** The labels that directories require, as settings have them. */
  labelRules: readonly string[]
  /** How many runs each machine drives. */
  load: ReadonlyMap<string, number>
  /** The name of this machine. */
  here: string
}

/** The machines that can drive a new run, best first, and the repository. Throws a Fault if there is none. */
export function orderDrivers(
  workers: readonly KnownWorker[],
  { repository, backend, labelRules, load, here }: WantedDriver,
): { repository: string; machines: string[] } {
  const chosen = repository ?? onlyRepository(workers)
  const named = withoutSlash(chosen)
  const able = workers.filter(({ drive }) => drive?.repositories.some((each) => withoutSlash(each) === named))
  if (able.length === 0) throw driveRepositoryNotNamed({ repository: chosen, machines: 'all' })
  const label = requiredLabel({ workdir: chosen }, labelRules)
  const labeled = able.filter(({ labels = [] }) => label === undefined || labels.includes(label))
  if (label !== undefined && labeled.length === 0) throw driveLabelMissing({ repository: chosen, label })
  const equipped = labeled.filter(({ backends }) => backend === undefined || backends.includes(backend))
  // Without the backend, the machine reports that.
  const machines = [...new Set((equipped.length === 0 ? labeled : equipped).map(({ machine }) => machine))]
  const runs = (machine: string) => load.get(machine) ?? 0
  const isElsewhere = (machine: string) => (machine === here ? 0 : 1)
  machines.sort((a, b) => runs(a) - runs(b) || isElsewhere(a) - isElsewhere(b) || (a < b ? -1 : 1))
  return { repository: chosen, machines }
}

function onlyRepository(workers: readonly KnownWorker[]): string {
  const [only, ...others] = drivable(workers).repositories
  if (only === undefined) throw driveRepositoryNotNamed({ repository: undefined, machines: 'all' })
  if (others.length > 0) throw driveRepositoryRequired({})
  return only
}

/** Where runs can be started, on any machine, and the checks that clients can choose from. */
export function drivable(workers: readonly KnownWorker[]): { repositories: string[]; checks: string[] } {
  const all = (name: 'repositories' | 'checks') => [...new Set(workers.flatMap(({ drive }) => drive?.[name] ?? []))]
  return { repositories: all('repositories'), checks: all('checks') }
}

function withoutSlash(path: string): string {
  return path.length > 1 && path.endsWith('/') ? path.slice(0, -1) : path
}
