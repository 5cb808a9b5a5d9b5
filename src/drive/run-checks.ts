/** Runs the checks of a run and records how they ended: before the work, and after each attempt. */
import { delimiter, isAbsolute, join } from 'node:path'
import { tryTo } from '../kit/fault.ts'
import { readFileBytes } from '../kit/files/read-file.ts'
import type { SearchPlaces } from '../kit/process/find-program.ts'
import type { CheckResult } from '../kit/process/run-check.ts'
import { namesIn } from '../workspace/read-content.ts'
import { puttingBack } from '../workspace/worktrees/put-back.ts'
import { describeMissingCommand, findMissingCommand, type MissingCommand } from './decide/missing-command.ts'
import type { DriveStep } from './decide/next-step.ts'
import { commandRunner } from './drive-boundary.ts'
import { type DriveContext, readDriveState, record, workDirectory } from './drive-context.ts'
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
  { attempt, command }: Extract<DriveStep, { do: 'check' }>,
): Promise<void> {
  const { env } = context
  const { check_timeout_ms: timeoutMs } = readDriveState(context).options
  const cwd = workDirectory(context)
  const before = await hashTree(context)
  using watch = new RunWatch(context, attempt.action_id)
  const run = commandRunner(context, { by: 'check', attempt: attempt.attempt })
  const limits = { timeoutMs, outputLimitBytes: OUTPUT_LIMIT_BYTES }
  const result = await run({ command, cwd, env, ...limits, signal: watch.signal })
  if (watch.signal.aborted) return
  record(context, 'check_ran', {
    attempt: attempt.attempt,
    command,
    passed: result.passed,
    ...toEnd(result),
    ...testsIn(result),
    tree_id_before: before,
    tree_id: await hashTree(context),
  })
}

/** What a check changes before the work is not a part of the work. */
export async function checkBaseline(context: DriveContext, command: string): Promise<void> {
  const { runs, env } = context
  const { options, place } = readDriveState(context)
  const cwd = workDirectory(context)
  const runCommand = commandRunner(context, { by: 'baseline' })
  const run = () =>
    runCommand({
      command,
      cwd,
      env,
      timeoutMs: options.check_timeout_ms,
      signal: runs.signal,
      outputLimitBytes: OUTPUT_LIMIT_BYTES,
    })
  const { git, workspace } = runs
  const { result, paths } =
    place.kind === 'in_place'
      ? { result: await run(), paths: [] }
      : await puttingBack({ git, workspace, signal: new AbortController().signal }, run)
  if (runs.signal.aborted) return
  const { passed, isStarted } = result
  const end = toEnd(result)
  const problem = isStarted ? whyNothingRan(command, end, { env, cwd }) : end.problem
  const why = problem === undefined ? {} : { problem }
  const changed = paths.length === 0 ? {} : { put_back: paths.slice(0, PUT_BACK_LIMIT) }
  const ended = { ...end, ...why, ...testsIn(result) }
  record(context, 'baseline_ran', { command, passed, could_start: problem === undefined, ...ended, ...changed })
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

/** Why a check that has ended did not check anything, in one sentence. Undefined if it did. */
function whyNothingRan(
  command: string,
  end: Parameters<typeof findMissingCommand>[1],
  places: SearchPlaces,
): string | undefined {
  const missing = findMissingCommand(command, end)
  return missing && describeMissingCommand(missing, listKnownCommands(missing, places))
}

function listKnownCommands({ kind, of }: MissingCommand, places: SearchPlaces): string[] {
  switch (kind) {
    case 'program':
      return listPrograms(places)
    case 'script':
      return listScripts(places.cwd)
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

function listScripts(directory: string): string[] {
  try {
    const { scripts } = JSON.parse(readText(join(directory, 'package.json'))) as { scripts?: unknown }
    return typeof scripts === 'object' && scripts !== null ? Object.keys(scripts) : []
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error
    return []
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
