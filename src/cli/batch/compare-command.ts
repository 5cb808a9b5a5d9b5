import { howToAdd } from '../../agents/acp/known-agents.ts'
import { findInstallCommand } from '../../agents/install-command.ts'
import { type AgentLocation, backendNames, locateAgents } from '../../agents/locate-agents.ts'
import type { Config } from '../../config/config.shape.ts'
import { resolveKeepMode } from '../../executions/store/execution-states.ts'
import { Fault, isFault } from '../../kit/fault.ts'
import { withoutUndefined } from '../../kit/json-value.ts'
import { DEFAULT_CHECK_TIMEOUT_MS, parseCheck } from '../../kit/process/run-check.ts'
import { quoteWord } from '../../kit/shell-words.ts'
import { USER } from '../../prompts/caller.ts'
import type { ComparisonResult, KeepResult } from '../../prompts/prompt-result.shape.ts'
import { toPromptStatus } from '../../prompts/prompt-result.ts'
import { toLabels } from '../../service/comparison-worktrees.ts'
import { gitRepositoryRequired, type NoWorktree } from '../../workspace/faults.ts'
import type { Invocation, RunCommand } from '../command.ts'
import {
  backendsNotNamed,
  comparisonNeedsWorktree,
  flagRequired,
  flagsConflict,
  flagValueInvalid,
  tooFewBackends,
} from '../faults.ts'
import { exitCodeOfSignal, listenForInterruption } from '../interruption.ts'
import { openDrover } from '../open/open-drover.ts'
import { printResult } from '../output/print-result.ts'
import { toPrintable, toShown } from '../output/printable.ts'
import { readSandbox, requestFromFlags } from '../prompt/prompt-flags.ts'
import { readPrompt } from '../prompt/read-prompt.ts'
import { readPreparation } from '../read-preparation.ts'
import { readSettings } from '../settings.ts'
import {
  formatCompared,
  formatComparison,
  formatKeepResult,
  formatMissingCosts,
  leftLines,
  toShortId,
} from './comparison-text.ts'
import {
  checkListFlags,
  findCurrentRepository,
  isInRepository,
  listEarlier,
  showEarlier,
} from './earlier-comparisons.ts'
import { executeBatch } from './execute-batch.ts'
import { formatWarnings, printDryRun, withTimes, withTotals } from './print-batch.ts'
import { closeResultFiles, openResultFiles, resultFileName, resultsDirectory } from './result-files.ts'
import { isParallelFile } from './task-file.ts'

export const run: RunCommand = async (invocation) => {
  const { flags, runtime } = invocation
  checkListFlags(invocation)
  if (flags.isOn('list')) return await listEarlier(invocation)
  if (flags.text('show') !== undefined) return await showEarlier(invocation)
  checkWorktreeFlags(invocation)
  checkNamedComparison(invocation)
  if (flags.text('diff') !== undefined) return await showDiff(invocation)
  if (!flags.isOn('worktrees') && (flags.text('keep') !== undefined || flags.isOn('drop'))) {
    return await keepAfterComparison(invocation)
  }
  const { config } = await readSettings(invocation)
  const located = locateAll(invocation, config)
  const isDryRun = flags.isOn('dry-run') || config.unified_flags.dry_run
  const names = readBackends(invocation, backendNames(config.backends))
  const isImplicit = names === undefined && !flags.isOn('all-backends')
  const backends = chooseBackends(located, { names, isDryRun, atLeast: isImplicit ? 2 : 1 })
  checkKeptName(invocation, backends)
  const comparison = { config, located, isDryRun, backends, prompt: await readPrompt(invocation) }
  await warnOfTaskFile(invocation, comparison.prompt)
  using interruption = listenForInterruption()
  try {
    return await compare(invocation, comparison)
  } catch (error) {
    const by = interruption.by()
    // Ctrl-C while git worked.
    if (by === undefined || !(error instanceof Fault || isAbortError(error))) throw namingTheFlag(error, invocation)
    await runtime.terminal.err.write(describeCanceled(undefined))
    return exitCodeOfSignal(by)
  }
}

/** Its id is known if it is kept. */
function describeCanceled(id: string | undefined): string {
  const what = id === undefined ? '' : `"drover compare --show ${toShortId(id)}" shows what had ended; `
  return `drover: canceled; ${what}to start again, run the same command\n`
}

const NOT_KEPT = 'not kept; to keep answers: drover config set executions.keep results'

function isAbortError(error: unknown): boolean {
  return error instanceof DOMException && error.name === 'AbortError'
}

/** People expect that its tasks are compared one by one. */
async function warnOfTaskFile({ flags, runtime }: Invocation, prompt: string): Promise<void> {
  if (!(await isParallelFile(prompt))) return
  const file = flags.text('file')
  const [named, input] = file === undefined ? ['the prompt', ''] : [toPrintable(file), ` -f ${quoteWord(file)}`]
  await runtime.terminal.err.write(
    `drover: warning: ${named} looks like a task file, but is sent as one prompt; "drover parallel${toPrintable(input)}" runs its tasks, and docs/compare-agents.md#compare-on-several-tasks has a loop that compares agents on several\n`,
  )
}

type ComparedAgents = {
  config: Config
  located: readonly AgentLocation[]
  isDryRun: boolean
  backends: readonly string[]
  prompt: string
}

async function compare(invocation: Invocation, comparison: ComparedAgents): Promise<number> {
  const { flags } = invocation
  const { config, isDryRun, backends, prompt, located } = comparison
  const directory = resultsDirectory(invocation)
  const files = openResultFiles(invocation, { directory, isDryRun })
  const labels = toLabels(backends)
  const items = backends.map((backend, at) => ({
    ...{ mark: `[${at + 1}/${backends.length}]`, name: labels[at] ?? backend, backend },
    fileName: resultFileName(at, backend),
  }))
  const request = {
    ...{ ...requestFromFlags(invocation), prompt, backends: [...backends], sequential: flags.isOn('sequential') },
    ...worktreeRequest(invocation),
  }
  await using drover = openDrover(invocation, { config, atOnce: backends.length })
  const { result, span, spanOf, workdirOf, exitCode } = await executeBatch(invocation, {
    items,
    isLive: true,
    isDryRun,
    agents: drover.agents,
    run: async (options) => await (await drover.batches.compare(USER, request, options)).result(),
    onEnded: ({ fileName, backend }, ended) =>
      files?.write(fileName, { backend, prompt, result: withTimes(ended.result, ended.span) }),
  })
  const results = result.results.map((each, at) => withTimes(each, spanOf(at)))
  const report = withTotals(result, span, results)
  files?.writeSummary(report)
  if (isDryRun) {
    const outcomes = items.map((item, at) => ({ item, result: results[at], workdir: workdirOf(at) }))
    await printDryRun(invocation, { outcomes, report, directory })
  } else await printComparison(invocation, { result, report, located })
  await closeResultFiles(invocation, files)
  const code = exitCode(
    results.some((each) => toPromptStatus(each) !== 'completed') || isKeptBad(result, flags.text('keep')),
  )
  if (!isDryRun && !flags.isOn('json')) await printWayOn(invocation, { config, id: result.execution_id, code })
  return code
}

type Ended = { config: Config; id: string | undefined; code: number }

/** How to look at it again, or how to keep the next one. */
async function printWayOn({ flags, runtime }: Invocation, { config, id, code }: Ended): Promise<void> {
  const { out, err } = runtime.terminal
  const mode = resolveKeepMode(config.executions.keep, flags.isOn('worktrees') ? 'results' : 'none')
  if (code > 1) await err.write(describeCanceled(mode === 'none' ? undefined : id))
  if (mode === 'none' && !flags.isOn('worktrees') && !flags.isOn('quiet') && out.isTty && err.isTty)
    await err.write(`${err.style('dim', NOT_KEPT)}\n`)
}

function worktreeRequest({ flags }: Invocation) {
  if (!flags.isOn('worktrees')) return {}
  const [seconds, keep, checks] = [flags.integer('check-timeout'), flags.text('keep'), flags.texts('check')]
  return {
    worktrees: true,
    ...(checks.length > 0 && { checks: [...checks] }),
    checkTimeoutMs: seconds === undefined ? DEFAULT_CHECK_TIMEOUT_MS : seconds * 1000,
    ...(keep !== undefined && { keep }),
    preparation: readPreparation(flags),
  }
}

/** What should be kept could not be, or a check of it failed. Other checks may fail: that is what a comparison shows. */
function isKeptBad({ kept, left = [], results }: ComparisonResult, name: string | undefined): boolean {
  if (name === undefined) return false
  const checks = results.find(({ worktree }) => worktree?.name === name)?.worktree?.checks ?? []
  return kept === undefined || left.length > 0 || checks.some(({ passed }) => !passed)
}

/** `drover compare --keep NAME` and `--drop`, after a comparison. */
async function keepAfterComparison(invocation: Invocation): Promise<number> {
  using interruption = listenForInterruption()
  const { config } = await readSettings(invocation)
  await using drover = openDrover(invocation, { config })
  const [name, comparison] = [invocation.flags.text('keep'), invocation.flags.text('comparison')]
  const { workdir } = requestFromFlags(invocation)
  const request = withoutUndefined({ workdir, comparison, name })
  const keeping = drover.batches.keep(USER, request, interruption.signal)
  const result: KeepResult = await keeping.catch((error: unknown) => {
    throw namingTheFlag(error, invocation)
  })
  const here = await findCurrentRepository(invocation, interruption.signal)
  const { repository } = result
  const isElsewhere = repository !== undefined && !isInRepository(repository, here)
  await printResult(invocation, result, () =>
    invocation.flags.isOn('quiet')
      ? toLines(leftLines(result.left))
      : formatKeepResult(result, isElsewhere ? repository : undefined),
  )
  return result.left.length > 0 ? 1 : 0
}

async function showDiff(invocation: Invocation): Promise<number> {
  const { flags } = invocation
  using interruption = listenForInterruption()
  const { config } = await readSettings(invocation)
  await using drover = openDrover(invocation, { config, isDemo: false })
  const [name = '', id] = [flags.text('diff'), flags.text('comparison')]
  const { workdir } = requestFromFlags(invocation)
  const wanted = { name, ...(id === undefined ? { workdir } : { id }) }
  const diff = await drover.batches.diff(USER, wanted, interruption.signal).catch((error: unknown) => {
    throw namingTheFlag(error, invocation)
  })
  const { err } = invocation.runtime.terminal
  if (diff.is_cut) await err.write(`drover: warning: the patch is longer than what is shown\n`)
  return await printResult(invocation, diff, (out) => toShown(diff.patch, out) || `${name} changed nothing.\n`)
}

/** Outside of a repository, the error names the flag of the command. */
function namingTheFlag(error: unknown, invocation: Invocation): unknown {
  if (!isFault(error, gitRepositoryRequired)) return error
  if ((error.details as { reason: NoWorktree }).reason !== 'not_a_repository') return error
  return comparisonNeedsWorktree({ path: requestFromFlags(invocation).workdir ?? invocation.runtime.cwd }, error)
}

type Printed = { result: ComparisonResult; report: object; located: readonly AgentLocation[] }

async function printComparison({ flags, runtime }: Invocation, printed: Printed): Promise<void> {
  const { result, report, located } = printed
  const { out, err } = runtime.terminal
  if (flags.isOn('json')) {
    await out.write(`${JSON.stringify(report, null, 2)}\n`)
    return
  }
  const { results, dropped, left, kept, canceled } = result
  const labels = toLabels(results.map(({ backend }) => backend))
  const warned = results.map((each, at) => ({ item: { mark: labels[at] ?? each.backend }, result: each }))
  await err.write(formatWarnings(warned, (names) => `${names.join(', ')}:`))
  const demoBackends = located.filter(({ isDemo }) => isDemo).map(({ backend }): string => backend)
  const isQuiet = flags.isOn('quiet')
  await out.write(formatComparison(results, { out, demoBackends, isQuiet }))
  if (isQuiet) {
    await out.write(toLines(leftLines(left ?? [])))
    return
  }
  if (results.every(({ worktree }) => worktree === undefined)) {
    await out.write(
      formatMissingCosts(results)
        .map((line) => `\n${line}\n`)
        .join(''),
    )
    return
  }
  await out.write(formatCompared(results, { out, isKept: dropped !== undefined }))
  // After Ctrl-C, notes have said it.
  if (dropped !== undefined && canceled !== true)
    await out.write(formatKeepResult({ ...(kept && { kept }), dropped, left: left ?? [] }))
}

function toLines(lines: readonly string[]): string {
  return lines.map((line) => `${line}\n`).join('')
}

/** All of this is checked before an agent costs anything. */
function checkWorktreeFlags({ flags }: Invocation): void {
  for (const command of flags.texts('check')) parseCheck(command)
  const unused = ['check', 'setup', 'copy', 'share'].find((name) => flags.texts(name).length > 0)
  if (unused !== undefined && !flags.isOn('worktrees')) {
    throw flagRequired({ flag: `--${unused}`, required: '--worktrees' })
  }
  if (readSandbox(flags) !== undefined && !flags.isOn('worktrees')) {
    throw flagRequired({ flag: flags.isOn('sandbox') ? '--sandbox' : '--no-sandbox', required: '--worktrees' })
  }
  const others = ['keep', 'drop', 'worktrees'].filter((name) => flags.text(name) !== undefined || flags.isOn(name))
  if (flags.text('diff') !== undefined && others[0] !== undefined) {
    throw flagsConflict({ flags: ['--diff', `--${others[0]}`] })
  }
  const other = flags.text('keep') === undefined ? 'worktrees' : 'keep'
  if (flags.isOn('drop') && (other === 'keep' || flags.isOn('worktrees'))) {
    throw flagsConflict({ flags: ['--drop', `--${other}`] })
  }
}

function checkNamedComparison({ flags }: Invocation): void {
  const id = flags.text('comparison')
  if (id === undefined) return
  if (flags.isOn('worktrees')) throw flagsConflict({ flags: ['--comparison', '--worktrees'] })
  if (['keep', 'diff'].some((name) => flags.text(name) !== undefined) || flags.isOn('drop')) return
  throw flagRequired({ flag: '--comparison', required: `--diff, --keep or --drop (to see it: --show ${id})` })
}

function checkKeptName({ flags }: Invocation, backends: readonly string[]): void {
  const name = flags.text('keep')
  const labels = toLabels(backends)
  if (name === undefined || labels.includes(name)) return
  throw flagValueInvalid({ flag: '--keep', given: name, allowed: `one of ${labels.join(', ')}`, known: labels })
}

/** The agents named by --backends in that order; undefined for all installed agents. */
function readBackends({ flags }: Invocation, known: readonly string[]): readonly string[] | undefined {
  const given = flags.text('backends')
  if (flags.isOn('all-backends')) {
    if (given !== undefined) throw flagsConflict({ flags: ['--backends', '--all-backends'] })
    return undefined
  }
  if (given === undefined) return undefined
  const names = given
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '')
  if (names.length === 0) throw backendsNotNamed({})
  const unknown = names.find((name) => !known.includes(name))
  if (unknown !== undefined) {
    const allowed = `one or more of ${known.join(', ')}`
    throw flagValueInvalid({ flag: '--backends', given: unknown, allowed, known, todo: howToAdd(unknown) })
  }
  return names
}

function locateAll({ flags, runtime }: Invocation, { backends }: Config): readonly AgentLocation[] {
  return locateAgents({ ...runtime, backends, demo: flags.isOn('demo') ? runtime.demoAgent : undefined })
}

type BackendChoice = { names: readonly string[] | undefined; isDryRun: boolean; atLeast: number }

/** A named agent that cannot be used takes part and fails with the reason. A dry run does not need named ones installed. */
function chooseBackends(located: readonly AgentLocation[], { names, isDryRun, atLeast }: BackendChoice) {
  const isShown = isDryRun && names !== undefined
  const isUsable = ({ isEnabled, program }: AgentLocation) => isEnabled && (isShown || program !== undefined)
  const usable = located.filter(isUsable).map(({ backend }): string => backend)
  const available = names?.filter((name) => usable.includes(name)) ?? usable
  if (available.length < atLeast) {
    const installable = located.filter((agent) => agent.isEnabled && !isUsable(agent))
    throw tooFewBackends({
      available,
      install: installable.flatMap(({ backend }) => findInstallCommand(backend) ?? []),
    })
  }
  return names ?? usable
}
