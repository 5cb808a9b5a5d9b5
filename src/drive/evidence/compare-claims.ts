/** Compares what an outcome claims with what was observed. What no trace speaks about is never called contradicted. Pure. */
import { isAbsolute, normalize, posix, relative, sep } from 'node:path'
import type { Outcome } from '../../contract/outcome.shape.ts'
import { howItEnded, NO_WORK } from '../prompt/follow-ups.ts'
import type { Claim, EventOf, TraceEntry } from '../record/drive-event.shape.ts'
import { type CommandLine, type CommandRun, findRun, isSameLine, readCommandLine } from './find-command-run.ts'

/** An entry of a trace, and the execution that it belongs to. */
export type Traced = TraceEntry & { readonly execution_id: string }

type CheckRun = Pick<EventOf<'check_ran'>['data'], 'command' | 'exit_code' | 'problem'>

/** Of a line in a note. */
const SHOWN_CHARACTERS = 200

export type ObservedWork = {
  /** The root of the worktree. */
  readonly root: string
  /** The paths that differ between the begin of the action and now. */
  readonly changed: readonly string[]
  /** The paths that differ between the begin of the run, in its first round, and now. */
  readonly changedInRun: readonly string[]
  /** Whether all paths are known that differ. */
  readonly isComplete: boolean
  /** Paths whose content could not be read. */
  readonly unread: readonly string[]
  /** Those of the reported files that git ignores. */
  readonly ignored: readonly string[]
  /** All attempts at the action, oldest first. */
  readonly trace: readonly Traced[]
  /** What drover itself ran after the last attempt. */
  readonly checks: readonly CheckRun[]
}

type Implementation = NonNullable<Outcome['implementation']>
type Verdict = Pick<Claim, 'verdict' | 'note' | 'seq' | 'execution_id'>

export function compareClaims(implementation: Implementation, work: ObservedWork): Claim[] {
  const { result, files_changed: files } = implementation
  const seen = work.trace.flatMap((entry) => toSeenLine(entry, work.root))
  const checks = work.checks.map((check) => ({ ...check, line: readCommandLine(check.command, work.root) }))
  const activities = implementation.activities.map((each) => ({
    ...each,
    line: readCommandLine(each.command, work.root),
  }))
  return [
    ...(result === 'applied' && files.length === 0 ? judgeEmptyWork(work) : []),
    ...files.map((path): Claim => ({ about: 'file', subject: path, ...judgeFile(path, work) })),
    ...activities.map(({ command, exit_code, line }, index): Claim => {
      const isLast = !activities.some((later, at) => at > index && isSameLine(later.line, line))
      const reported = { line, exitCode: exit_code, isLast }
      const verdict = judgeByCheck(reported, checks) ?? withLaterPass(judgeByTrace(reported, seen), reported, checks)
      return { about: 'activity', subject: command, exit_code, ...verdict }
    }),
  ]
}

/** Work that was applied must show somewhere. */
function judgeEmptyWork({ changed, isComplete, unread }: ObservedWork): Claim[] {
  if (changed.length > 0 || !isComplete || unread.length > 0) return []
  return [{ about: 'file', subject: '.', verdict: 'contradicted', note: NO_WORK }]
}

function judgeFile(path: string, work: ObservedWork): Verdict {
  const place = toRelative(path, work.root)
  if (place === undefined) return { verdict: 'claimed', note: 'it is outside the worktree' }
  if (covers(place, work.changed)) return { verdict: 'observed', note: 'git shows the change' }
  if (work.ignored.includes(path)) return { verdict: 'claimed', note: 'git ignores it' }
  if (!work.isComplete || covers(place, work.unread)) {
    return { verdict: 'claimed', note: 'git could not observe every file' }
  }
  if (covers(place, work.changedInRun)) {
    return { verdict: 'observed', note: 'git shows the change, which was made earlier in the run' }
  }
  return { verdict: 'contradicted', note: 'git shows no change of it' }
}

/** An agent in a folder is told to name files from the root, and many name them from where they work. What git shows decides. */
export function fromFolder(folder: string | undefined, changed: readonly string[]): (path: string) => string {
  if (folder === undefined) return (path) => path
  const isChanged = (place: string) => changed.some((path) => path === place || path.startsWith(`${place}/`))
  return (path) => (isAbsolute(path) || isChanged(normalize(path)) ? path : posix.join(folder, path))
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

type Reported = {
  readonly line: CommandLine
  readonly exitCode: number
  /** No later activity reports the same command. */
  readonly isLast: boolean
}

/** drover runs its checks after everything else, so they speak about the last run of a command. */
function judgeByCheck(
  { line, exitCode, isLast }: Reported,
  checks: readonly (CheckRun & { readonly line: CommandLine })[],
): Verdict | undefined {
  if (!isLast) return undefined
  for (const check of checks) {
    const run = check.exit_code === undefined ? undefined : findRun(line, check.line, check.exit_code)
    const note = `drover ran it, and it ${howItEnded(check)}`
    if (run?.exitCode === exitCode) return { verdict: 'observed', note }
    // A failure that the agent reports itself is no claim in its favour.
    if (run?.isSame === true && run.exitCode !== 'unknown' && run.exitCode !== 0)
      return { verdict: 'contradicted', note }
  }
  return undefined
}

/** The agent reports a failure, and the check of drover passes: both are said. */
function withLaterPass(
  verdict: Verdict,
  { line, exitCode, isLast }: Reported,
  checks: readonly (CheckRun & { readonly line: CommandLine })[],
): Verdict {
  const passes = ({ exit_code, line: checked }: (typeof checks)[number]) =>
    exit_code === 0 && findRun(line, checked, 0)?.exitCode === 0
  if (exitCode === 0 || !isLast || !checks.some(passes)) return verdict
  return { ...verdict, note: `${verdict.note}; drover ran it after that, and it passed` }
}

/** A command that was seen to run, and the line that it was in. */
type SeenLine = { readonly entry: Traced & { readonly did: 'command' }; readonly line: CommandLine }
type SeenRun = SeenLine & CommandRun

function toSeenLine(entry: Traced, root: string): SeenLine[] {
  return entry.did === 'command' ? [{ entry, line: readCommandLine(entry.command, root) }] : []
}

/**
 * The last run of the same command whose exit code shows decides. A run in another way, or without an exit code, can
 * support a claim but never contradict it.
 */
function judgeByTrace(reported: Reported, seen: readonly SeenLine[]): Verdict {
  const runs = seen.flatMap(({ entry, line }): SeenRun[] => {
    const run = findRun(reported.line, line, line.isRedirected ? 'unknown' : (entry.exit_code ?? 'unknown'))
    return run === undefined ? [] : [{ entry, line, ...run }]
  })
  const isClear = ({ isSame, exitCode }: SeenRun) => isSame && exitCode !== 'unknown'
  const lastClear = runs.findLastIndex(isClear)
  // An activity that is reported again may be any of the runs.
  const considered = reported.isLast ? runs.slice(Math.max(0, lastClear)) : runs
  const shown = considered.findLast(({ exitCode }) => exitCode === reported.exitCode)
  if (shown !== undefined) return { verdict: 'observed', note: describeRun(shown), ...toPlace(shown) }
  const last = considered.at(-1)
  if (last === undefined) return { verdict: 'claimed', note: 'no tool call shows it' }
  const isContradicted = considered.every(isClear)
  return { verdict: isContradicted ? 'contradicted' : 'claimed', note: describeRun(last), ...toPlace(last) }
}

function toPlace({ entry: { seq, execution_id } }: SeenRun): Pick<Verdict, 'seq' | 'execution_id'> {
  return { seq, execution_id }
}

/** What a run shows. */
function describeRun({ entry, line, exitCode, isSame }: SeenRun): string {
  const inLine = `in \`${line.text.slice(0, SHOWN_CHARACTERS)}\``
  if (entry.exit_code === undefined) return 'it was seen, but the agent does not show its exit code'
  if (exitCode === 'unknown') {
    return `it was seen ${inLine}, which ended with exit code ${entry.exit_code}; that is not certainly its own`
  }
  return isSame ? `a tool call shows exit code ${exitCode}` : `a tool call shows exit code ${exitCode} ${inLine}`
}
