/** Compares what an outcome claims with what was observed. What no trace speaks about is never called contradicted. Pure. */
import { isAbsolute, normalize, relative, sep } from 'node:path'
import type { Outcome } from '../../contract/outcome.shape.ts'
import { howItEnded } from '../prompt/follow-ups.ts'
import type { Claim, TraceEntry } from '../record/event.shape.ts'
import type { EventOf } from '../record/event.ts'
import { exitCodeShown } from './commands.ts'

/** An entry of a trace, and the execution that it belongs to. */
export type Traced = TraceEntry & { readonly execution_id: string }

type CheckRun = Pick<EventOf<'check_ran'>['data'], 'command' | 'exit_code' | 'problem'>

export type ObservedWork = {
  /** The root of the worktree. */
  readonly root: string
  /** The paths that differ between the begin of the action and now. */
  readonly changed: readonly string[]
  /** The paths that differ between the begin of the run and now. */
  readonly changedInRun: readonly string[]
  /** Whether git could observe everything both times. */
  readonly isComplete: boolean
  /** Those of the reported files that git ignores. */
  readonly ignored: readonly string[]
  /** All attempts at the action, oldest first. */
  readonly trace: readonly Traced[]
  /** What drover itself ran after the last attempt. */
  readonly checks: readonly CheckRun[]
}

type Implementation = NonNullable<Outcome['implementation']>
type Activity = Implementation['activities'][number]
type Verdict = Pick<Claim, 'verdict' | 'note' | 'seq' | 'execution_id'>

export function compareClaims(implementation: Implementation, work: ObservedWork): Claim[] {
  const { result, files_changed: files, activities } = implementation
  return [
    ...(result === 'applied' && files.length === 0 ? judgeEmptyWork(work) : []),
    ...files.map((path): Claim => ({ about: 'file', subject: path, ...judgeFile(path, work) })),
    ...activities.map((activity, index): Claim => {
      const { command, exit_code } = activity
      const isLast = !activities.slice(index + 1).some((later) => later.command === command)
      return { about: 'activity', subject: command, exit_code, ...judgeActivity(activity, { isLast, work }) }
    }),
  ]
}

/** Work that was applied must show somewhere. */
function judgeEmptyWork({ changed, isComplete }: ObservedWork): Claim[] {
  if (changed.length > 0 || !isComplete) return []
  const note = 'the result is applied, but no file is reported and git shows no change'
  return [{ about: 'file', subject: '.', verdict: 'contradicted', note }]
}

function judgeFile(path: string, work: ObservedWork): Verdict {
  const place = toRelative(path, work.root)
  if (place === undefined) return { verdict: 'claimed', note: 'it is outside the worktree' }
  if (covers(place, work.changed)) return { verdict: 'observed', note: 'git shows the change' }
  if (work.ignored.includes(path)) return { verdict: 'claimed', note: 'git ignores it' }
  if (!work.isComplete) return { verdict: 'claimed', note: 'git could not observe every file' }
  if (covers(place, work.changedInRun)) {
    return { verdict: 'claimed', note: 'it was changed earlier in the run, not in this action' }
  }
  return { verdict: 'contradicted', note: 'git shows no change of it' }
}

/** Undefined outside of the worktree. */
export function toRelative(path: string, root: string): string | undefined {
  const inside = normalize(isAbsolute(path) ? relative(root, path) : path)
    .split(sep)
    .join('/')
    .replace(/\/$/, '')
  return inside === '..' || inside.startsWith('../') || isAbsolute(inside) ? undefined : inside
}

/** A directory stands for the files in it. */
function covers(place: string, changed: readonly string[]): boolean {
  return changed.some((path) => path === place || path.startsWith(`${place}/`) || place === '.')
}

function judgeActivity(activity: Activity, { isLast, work }: { isLast: boolean; work: ObservedWork }): Verdict {
  return judgeByCheck(activity, { isLast, work }) ?? judgeByTrace(activity, { isLast, work })
}

type Judging = { readonly isLast: boolean; readonly work: ObservedWork }

/** drover runs its checks after everything else, so they speak about the last run of a command. */
function judgeByCheck({ command, exit_code }: Activity, { isLast, work }: Judging): Verdict | undefined {
  const check = work.checks.find((each) => exitCodeShown(command, { command: each.command }) !== undefined)
  if (check === undefined || !isLast) return undefined
  const note = `drover ran it, and it ${howItEnded(check)}`
  if (check.exit_code === undefined) return undefined
  return { verdict: check.exit_code === exit_code ? 'observed' : 'contradicted', note }
}

function judgeByTrace({ command, exit_code }: Activity, { isLast, work }: Judging): Verdict {
  const runs = work.trace.flatMap((entry) => {
    if (entry.did !== 'command') return []
    const shown = exitCodeShown(command, entry)
    return shown === undefined ? [] : [{ ...entry, exitCode: shown.exitCode }]
  })
  const last = runs.at(-1)
  if (last === undefined) return { verdict: 'claimed', note: 'no tool call shows it' }
  const known = runs.filter(({ exitCode }) => exitCode !== 'unknown')
  const deciding = isLast ? last : (known.findLast((run) => run.exitCode === exit_code) ?? known.at(-1) ?? last)
  const place = { seq: deciding.seq, execution_id: deciding.execution_id }
  if (deciding.exitCode === 'unknown') {
    return { verdict: 'claimed', note: 'it was seen, but not its exit code', ...place }
  }
  if (deciding.exitCode === exit_code) return { verdict: 'observed', note: 'a tool call shows it', ...place }
  return { verdict: 'contradicted', note: `a tool call shows exit code ${deciding.exitCode}`, ...place }
}
