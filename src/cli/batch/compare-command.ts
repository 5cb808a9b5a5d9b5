import { type AgentLocation, backendNames } from '../../agents/locate-agents.ts'
import type { Config } from '../../config/config.shape.ts'
import { Fault } from '../../kit/fault.ts'
import { withoutGitPlaces } from '../../kit/process/environment-variables.ts'
import { parseCheck } from '../../kit/process/run-check.ts'
import { USER } from '../../prompts/caller.ts'
import { type PromptResult, statusOf } from '../../prompts/prompt-result.ts'
import { locateGit } from '../../workspace/git.ts'
import type { Invocation, Run } from '../command.ts'
import { flagRequired, flagsConflict, flagValueInvalid } from '../faults.ts'
import { exitCodeOfSignal, listenForInterruption } from '../interruption.ts'
import { openDrover } from '../open/open-drover.ts'
import { toMessage } from '../output/printable.ts'
import { requestFromFlags } from '../prompt/prompt-flags.ts'
import { readPrompt } from '../prompt/read-prompt.ts'
import { readSettings } from '../settings.ts'
import { withTimes, withTotals } from './batch-report.ts'
import { formatWarnings } from './batch-text.ts'
import { chooseBackends, locateAll, readBackends } from './compared-backends.ts'
import { formatComparison } from './comparison-text.ts'
import { ComparisonWorktrees, type Contender, toLabels } from './comparison-worktrees.ts'
import { formatCheckLine, formatContenders, toContenderReport } from './contender-text.ts'
import { executeBatch } from './execute-batch.ts'
import { formatKeepResult, type KeepResult, keepAfterComparison, keepContender } from './keep-contender.ts'
import { printDryRun } from './print-batch.ts'
import { closeResultFiles, openResultFiles, resultFileName, resultsDirectory } from './result-files.ts'

export const run: Run = async (invocation) => {
  const { flags, runtime } = invocation
  checkWorktreeFlags(invocation)
  if (!flags.isOn('worktrees') && (flags.text('keep') !== undefined || flags.isOn('drop'))) {
    return await keepAfterComparison(invocation)
  }
  const { config } = await readSettings(invocation)
  const located = locateAll(invocation, config)
  const isDryRun = flags.isOn('dry-run') || config.unified_flags.dry_run
  const names = readBackends(invocation, backendNames(config.backends))
  const isImplicit = names === undefined && !flags.isOn('all-backends')
  const choice = { names, isDryRun, err: runtime.terminal.err, atLeast: isImplicit ? 2 : 1 }
  const backends = await chooseBackends(located, choice)
  checkKeptName(invocation, backends)
  const comparison = { config, located, isDryRun, backends, prompt: await readPrompt(invocation) }
  if (!flags.isOn('worktrees') || isDryRun) return await compare(invocation, comparison)
  using interruption = listenForInterruption()
  const { signal } = interruption
  const start = requestFromFlags(invocation).workdir ?? runtime.cwd
  const checks = flags.texts('check')
  const options = { backends, start, prompt: comparison.prompt, checks, signal }
  await using worktrees = new ComparisonWorktrees(invocation, options)
  const writing = { ...comparison, config: lettingAgentsEdit(config), worktrees, signal }
  // Git must find the worktree of an agent by its directory. The demo agent changes something there.
  const places = { env: withoutGitPlaces(runtime.env), demoAgent: [...runtime.demoAgent, '--write'] as const }
  const elsewhere = { ...invocation, runtime: { ...runtime, ...places } }
  try {
    return await compare(elsewhere, { ...writing, workdirs: await worktrees.open() })
  } catch (error) {
    const by = interruption.by()
    // Ctrl-C while git worked.
    if (by === undefined || !(error instanceof Fault)) throw error
    return exitCodeOfSignal(by)
  }
}

type Comparison = {
  config: Config
  located: readonly AgentLocation[]
  isDryRun: boolean
  backends: readonly string[]
  prompt: string
  worktrees?: ComparisonWorktrees
  /** The directory of each agent, with worktrees. */
  workdirs?: readonly string[]
  signal?: AbortSignal
}

async function compare(invocation: Invocation, comparison: Comparison): Promise<number> {
  const { flags } = invocation
  const { config, isDryRun, backends, prompt, workdirs } = comparison
  const sequential = flags.isOn('sequential')
  const request = { ...requestFromFlags(invocation), prompt, backends: [...backends], sequential, workdirs }
  const directory = resultsDirectory(invocation)
  const files = openResultFiles(invocation, { directory, isDryRun })
  const items = backends.map((backend, at) => toItem(backend, { at, count: backends.length }))
  await using drover = openDrover(invocation, { config, atOnce: backends.length })
  const { result, span, spanOf, workdirOf, exitCode } = await executeBatch(invocation, {
    items,
    isLive: true,
    isDryRun,
    run: async (options) => await (await drover.batches.compare(USER, request, options)).result(),
    onEnded: ({ fileName, backend }, ended) =>
      files?.write(fileName, { backend, prompt, result: withTimes(ended.result, ended.span) }),
  })
  const results = result.results.map((each, at) => withTimes(each, spanOf(at)))
  const finished = await finishWorktrees(invocation, comparison)
  const report = { ...withTotals(result, span, results.map(withContender(finished))), ...finished?.kept }
  files?.writeSummary(report)
  if (isDryRun) {
    const outcomes = items.map((item, at) => ({ item, result: results[at], workdir: workdirOf(at) }))
    await printDryRun(invocation, { outcomes, report, directory })
  } else await printComparison(invocation, { results, finished, report, located: comparison.located })
  await closeResultFiles(invocation, files)
  return exitCode(results.some((each) => statusOf(each) !== 'completed') || finished?.isKeptBad === true)
}

type FinishedWorktrees = {
  contenders: readonly Contender[]
  kept: KeepResult | undefined
  /** What should be kept could not be, or a check of it failed. Other checks may fail: that is what a comparison shows. */
  isKeptBad: boolean
}

/** Looks at what the agents left. After Ctrl-C nothing of it stays, so there is nothing to look at. */
async function finishWorktrees(invocation: Invocation, comparison: Comparison): Promise<FinishedWorktrees | undefined> {
  const { worktrees, signal } = comparison
  const { flags, runtime } = invocation
  if (worktrees === undefined || signal === undefined || signal.aborted) return undefined
  const inspected = await worktrees.inspect(async (label, check) => {
    if (!flags.isOn('json') && !flags.isOn('quiet')) await runtime.terminal.err.write(formatCheckLine(label, check))
  })
  if (signal.aborted) return undefined
  const contenders = await worktrees.finish(inspected)
  const name = flags.text('keep')
  if (name === undefined) return { contenders, kept: undefined, isKeptBad: false }
  return { contenders, ...(await keepOne(invocation, { contenders, name, signal })) }
}

/** A failure here must not hide the answers: it is a warning, and all worktrees stay. */
async function keepOne(
  { runtime }: Invocation,
  { contenders, name, signal }: { contenders: readonly Contender[]; name: string; signal: AbortSignal },
): Promise<Omit<FinishedWorktrees, 'contenders'>> {
  const left = contenders.filter(({ isRemoved }) => !isRemoved).map(({ worktree }) => worktree)
  const checks = contenders.find(({ label }) => label === name)?.checks ?? []
  try {
    const kept = await keepContender(left, { git: locateGit(runtime), name, signal })
    return { kept, isKeptBad: kept.left.length > 0 || checks.some(({ passed }) => !passed) }
  } catch (error) {
    if (!(error instanceof Fault)) throw error
    await runtime.terminal.err.write(`drover: warning: ${toMessage(error.message)}\n`)
    return { kept: undefined, isKeptBad: true }
  }
}

function withContender(finished: FinishedWorktrees | undefined) {
  return <Result extends object>(result: Result, at: number) => {
    const contender = finished?.contenders[at]
    return contender === undefined ? result : { ...result, worktree: toContenderReport(contender) }
  }
}

type Printed = {
  results: readonly PromptResult[]
  finished: FinishedWorktrees | undefined
  report: object
  located: readonly AgentLocation[]
}

async function printComparison({ flags, runtime }: Invocation, printed: Printed): Promise<void> {
  const { results, finished, report, located } = printed
  const { out, err } = runtime.terminal
  if (flags.isOn('json')) {
    await out.write(`${JSON.stringify(report, null, 2)}\n`)
    return
  }
  await err.write(formatWarnings(results.map((each) => ({ item: { mark: each.backend }, result: each }))))
  const demoBackends = located.filter(({ isDemo }) => isDemo).map(({ backend }): string => backend)
  await out.write(formatComparison(results, { out, demoBackends }))
  if (finished === undefined) return
  await out.write(formatContenders(finished.contenders, { out, isKept: finished.kept !== undefined }))
  if (finished.kept !== undefined) await out.write(formatKeepResult(finished.kept))
}

function toItem(backend: string, { at, count }: { at: number; count: number }) {
  return { mark: `[${at + 1}/${count}]`, name: backend, backend, fileName: resultFileName(at, backend) }
}

/** All of this is checked before an agent costs anything. */
function checkWorktreeFlags({ flags }: Invocation): void {
  for (const command of flags.texts('check')) parseCheck(command)
  if (flags.texts('check').length > 0 && !flags.isOn('worktrees')) {
    throw flagRequired({ flag: '--check', required: '--worktrees' })
  }
  const other = flags.text('keep') === undefined ? 'worktrees' : 'keep'
  if (flags.isOn('drop') && (other === 'keep' || flags.isOn('worktrees'))) {
    throw flagsConflict({ flags: ['--drop', `--${other}`] })
  }
}

function checkKeptName({ flags }: Invocation, backends: readonly string[]): void {
  const name = flags.text('keep')
  const labels = toLabels(backends)
  if (name === undefined || labels.includes(name)) return
  throw flagValueInvalid({ flag: '--keep', given: name, allowed: `one of ${labels.join(', ')}` })
}

/** In a worktree of its own an agent is expected to edit files, unless the user says otherwise. */
function lettingAgentsEdit(config: Config): Config {
  const { unified_flags: shared } = config
  if (shared.approval_mode !== 'default') return config
  return { ...config, unified_flags: { ...shared, approval_mode: 'auto' } }
}
