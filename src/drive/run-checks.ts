/** Runs the checks of a run and records how they ended: before the work, and after each attempt. */
import { delimiter, isAbsolute, join, posix } from 'node:path'
import { tryTo } from '../kit/fault.ts'
import { readFileBytes } from '../kit/files/read-file.ts'
import { findProgram, type SearchPlaces } from '../kit/process/find-program.ts'
import { type CheckResult, parseCheck } from '../kit/process/run-check.ts'
import { namesIn } from '../workspace/read-content.ts'
import { puttingBack, removeUntracked } from '../workspace/worktrees/put-back.ts'
import { leftByChecks } from './decide/check-results.ts'
import {
  describeMissingCommand,
  findMissingCommand,
  findScript,
  type MissingCommand,
} from './decide/missing-command.ts'
import type { DriveStep } from './decide/next-step.ts'
import { commandRunner } from './drive-boundary.ts'
import { type DriveContext, readDriveState, record, workDirectory } from './drive-context.ts'
import { toRelative } from './evidence/compare-claims.ts'
import { readTestResults } from './evidence/test-results/read-test-results.ts'
import { hashTree } from './observe-tree.ts'
import { RunWatch } from './run-watch.ts'

/** Kept of the output: enough to find the cause, and small enough for a prompt. */
const OUTPUT_CHARACTERS = 16_000
/** Paths that are named. */
const PUT_BACK_LIMIT = 100
/** Read for the names of tests. Of 5,000 tests a runner prints less. */
export const OUTPUT_LIMIT_BYTES = 4 * 1024 * 1024

export async function check(
  context: DriveContext,
  { attempt, command, reported }: Extract<DriveStep, { do: 'check' }>,
): Promise<void> {
  const left = await removeLeftovers(context, reported)
  const before = await hashTree(context)
  using watch = new RunWatch(context, attempt.action_id)
  const run = () => runCheck(context, { command, by: { by: 'check', attempt: attempt.attempt }, signal: watch.signal })
  // What the check makes of files that were there before may be wanted, and it runs once more on them.
  const { result, paths } = await withoutItsFiles(context, { createdOnly: true }, run)
  if (watch.signal.aborted) return
  record(context, 'check_ran', {
    attempt: attempt.attempt,
    command,
    passed: result.passed,
    ...toEnd(result),
    ...testsIn(result),
    ...toPutBack([...left, ...paths]),
    tree_id_before: before,
    tree_id: await hashTree(context),
  })
}

/** What a check changes before the work is not a part of the work. */
export async function checkBaseline(context: DriveContext, command: string): Promise<void> {
  const { runs, env } = context
  const run = () => runCheck(context, { command, by: { by: 'baseline' }, signal: runs.signal })
  const { result, paths } = await withoutItsFiles(context, {}, run)
  if (runs.signal.aborted) return
  const { passed, isStarted } = result
  const end = toEnd(result)
  const places = { env, cwd: workDirectory(context) }
  const missing = isStarted ? findMissingCommand(command, end) : toMissing(command)
  const isHidden = context.boundary.is === 'inside' && missing !== undefined && mayBeOutside(missing, places)
  const why =
    missing &&
    (isStarted ? describeMissingCommand(missing, isHidden ? [] : listKnownCommands(missing, places)) : end.problem)
  const problem = isHidden ? `in the sandbox, ${why}; --no-sandbox drives without one` : why
  const ended = { ...end, ...(problem !== undefined && { problem }), ...testsIn(result) }
  record(context, 'baseline_ran', {
    command,
    passed,
    could_start: problem === undefined,
    ...ended,
    ...toPutBack(paths),
  })
}

type Check = { command: string; by: Parameters<typeof commandRunner>[1]; signal: AbortSignal }

async function runCheck(context: DriveContext, { command, by, signal }: Check): Promise<CheckResult> {
  const { check_timeout_ms: timeoutMs } = readDriveState(context).options
  const around = { cwd: workDirectory(context), env: context.env, signal }
  return await commandRunner(context, by)({ command, timeoutMs, outputLimitBytes: OUTPUT_LIMIT_BYTES, ...around })
}

/** In place, a person may work on the same files meanwhile, so they all stay. */
async function withoutItsFiles(
  context: DriveContext,
  what: { createdOnly?: true },
  run: () => Promise<CheckResult>,
): Promise<{ result: CheckResult; paths: readonly string[] }> {
  if (readDriveState(context).place.kind === 'in_place') return { result: await run(), paths: [] }
  return await puttingBack({ ...worktreeOf(context), ...what }, run)
}

/** The agent may have run the check itself. */
async function removeLeftovers(context: DriveContext, reported: readonly string[]): Promise<readonly string[]> {
  const { baseline, attempts, place } = readDriveState(context)
  const putBack = [...baseline, ...attempts.flatMap(({ checks }) => checks)].flatMap((ran) => ran.put_back ?? [])
  if (putBack.length === 0 || place.kind === 'in_place') return []
  const root = context.runs.workspace.worktree_root
  // A path may be meant from the folder of the run or from the root.
  const named = reported
    .flatMap((path) => [path, posix.join(place.folder ?? '', path)])
    .flatMap((path) => toRelative(path, root) ?? [])
  return await removeUntracked(worktreeOf(context), (paths) => leftByChecks({ ...paths, putBack, reported: named }))
}

/** Not interrupted by the signal of the driver: what a check has left must not stay. */
function worktreeOf({ runs: { git, workspace } }: DriveContext) {
  return { git, workspace, signal: new AbortController().signal }
}

function toPutBack(paths: readonly string[]) {
  return paths.length === 0 ? {} : { put_back: [...new Set(paths)].slice(0, PUT_BACK_LIMIT) }
}

/** A command that was ended has not shown all of its tests. */
export function testsIn({ output, isOutputCut, exitCode }: CheckResult) {
  const tests = readTestResults(output, isOutputCut || exitCode === null)
  return tests === undefined ? {} : { tests }
}

/** As records tell how a command ended. */
export function toEnd({ exitCode, problem, durationMs, output }: CheckResult) {
  return {
    ...(exitCode !== null && { exit_code: exitCode }),
    ...(problem !== undefined && { problem }),
    duration_ms: durationMs,
    output: output.slice(-OUTPUT_CHARACTERS).toWellFormed(),
  }
}

const FILE_LIMIT_BYTES = 4 * 1024 * 1024

/** Those of the tools themselves that checks use. */
const COMMANDS: Readonly<Record<string, readonly string[]>> = {
  npm: ['test', 'start', 'run', 'exec', 'ci', 'install', 'audit'],
  cargo: ['build', 'check', 'test', 'clippy', 'fmt', 'bench', 'doc', 'run', 'nextest'],
  go: ['build', 'test', 'vet', 'run', 'fmt', 'generate'],
}

/** What a check that was not started asked for. */
function toMissing(command: string): MissingCommand {
  return { kind: 'program', name: parseCheck(command)[0], of: command }
}

/** Whether the sandbox may be the reason why it was not found: scripts and targets are in the worktree. */
function mayBeOutside({ kind, name }: MissingCommand, places: SearchPlaces): boolean {
  if (kind === 'program') return name === '' || findProgram(name, places) !== undefined
  return kind === 'module'
}

/** The script that a command would not find in a directory, in one sentence. Undefined if it has no package.json that can be read. */
export function whyNoScript(command: string, directory: string): string | undefined {
  const script = findScript(parseCheck(command))
  const known = listScripts(directory)
  if (script === undefined || known === undefined || known.includes(script.name)) return undefined
  return describeMissingCommand(script, known)
}

function listKnownCommands({ kind, of }: MissingCommand, places: SearchPlaces): string[] {
  switch (kind) {
    case 'program':
      return listPrograms(places)
    case 'script':
      return listScripts(places.cwd) ?? []
    case 'command':
      return [...(COMMANDS[of] ?? [])]
    case 'target':
      return listTargets(places.cwd)
    case 'module':
      return []
  }
}

/**
 * The names that a check could have meant: programs on PATH, scripts of package.json, targets of a Makefile. Also those that
 * a package manager adds to PATH.
 */
export function listPrograms({ env, cwd }: SearchPlaces): string[] {
  const directories = [...(env['PATH'] ?? '').split(delimiter).filter(isAbsolute), join(cwd, 'node_modules', '.bin')]
  return [...new Set(directories.flatMap(namesIn))]
}

/** Undefined if there is no package.json, or none that can be read. */
function listScripts(directory: string): string[] | undefined {
  try {
    const { scripts } = JSON.parse(readText(join(directory, 'package.json'))) as { scripts?: unknown }
    return typeof scripts === 'object' && scripts !== null ? Object.keys(scripts) : []
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error
    return undefined
  }
}

function listTargets(directory: string): string[] {
  const texts = ['GNUmakefile', 'makefile', 'Makefile'].map((name) => readText(join(directory, name)))
  return texts.flatMap((text) => [...text.matchAll(/^([\w.-]+):(?!=)/gm)].map(([, name = '']) => name))
}

/** Empty if it cannot be read. */
function readText(path: string): string {
  return tryTo(() => readFileBytes({ path, limitBytes: FILE_LIMIT_BYTES }).toString('utf8')) ?? ''
}
