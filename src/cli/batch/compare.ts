import { backendUnavailable } from '../../agents/faults.ts'
import { installCommandOf } from '../../agents/install-command.ts'
import { type AgentLocation, backendNames, locateAgents } from '../../agents/locate-agents.ts'
import type { Config } from '../../config/config.shape.ts'
import { compareAgents } from '../../prompts/compare-agents.ts'
import { statusOf } from '../../prompts/prompt-result.ts'
import type { Invocation, Run } from '../command.ts'
import { backendsNotNamed, flagsConflict, flagValueInvalid, tooFewBackends } from '../faults.ts'
import { requestFromFlags } from '../prompt/prompt-flags.ts'
import { setUpPrompts } from '../prompt/prompt-setup.ts'
import { readPrompt } from '../prompt/read-prompt.ts'
import { readSettings } from '../settings.ts'
import type { Channel } from '../terminal.ts'
import { withTimes, withTotals } from './batch-report.ts'
import { formatWarnings } from './batch-text.ts'
import { formatComparison } from './comparison-text.ts'
import { executeBatch } from './execute-batch.ts'
import { printDryRun } from './print-batch.ts'
import { closeResultFiles, openResultFiles, resultFileName, resultsDirectory } from './result-files.ts'

export const run: Run = async (invocation) => {
  const { flags, runtime } = invocation
  const { out, err } = runtime.terminal
  const { config } = await readSettings(invocation)
  const located = locateAll(invocation, config)
  const isDryRun = flags.isOn('dry-run') || config.unified_flags.dry_run
  const names = readBackends(invocation, backendNames(config.backends))
  const isImplicit = names === undefined && !flags.isOn('all-backends')
  const backends = await chooseBackends(located, { names, isDryRun, err, atLeast: isImplicit ? 2 : 1 })
  const prompt = await readPrompt(invocation)
  const request = { ...requestFromFlags(invocation), prompt, backends, sequential: flags.isOn('sequential') }
  const directory = resultsDirectory(invocation)
  const files = openResultFiles(invocation, { directory, isDryRun })
  const items = backends.map((backend, at) => toItem(backend, { at, count: backends.length }))
  await using setup = setUpPrompts(invocation, { config, atOnce: backends.length })
  const { result, span, spanOf, workdirOf, exitCode } = await executeBatch(invocation, {
    items,
    isLive: true,
    isDryRun,
    run: (options) => compareAgents(request, setup.context, options),
    onEnded: ({ fileName, backend }, ended) =>
      files?.write(fileName, { backend, prompt, result: withTimes(ended.result, ended.span) }),
  })
  const results = result.results.map((each, at) => withTimes(each, spanOf(at)))
  const report = withTotals(result, span, results)
  files?.writeSummary(report)
  if (isDryRun) {
    const outcomes = items.map((item, at) => ({ item, result: results[at], workdir: workdirOf(at) }))
    await printDryRun(invocation, { outcomes, report, directory })
  } else if (flags.isOn('json')) await out.write(`${JSON.stringify(report, null, 2)}\n`)
  else {
    await err.write(formatWarnings(results.map((each) => ({ item: { mark: each.backend }, result: each }))))
    const demoBackends = located.filter(({ isDemo }) => isDemo).map(({ backend }): string => backend)
    await out.write(formatComparison(results, { out, demoBackends }))
  }
  await closeResultFiles(invocation, files)
  return exitCode(results.some((each) => statusOf(each) !== 'completed'))
}

function toItem(backend: string, { at, count }: { at: number; count: number }) {
  return { mark: `[${at + 1}/${count}]`, name: backend, backend, fileName: resultFileName(at, backend) }
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
    throw flagValueInvalid({ flag: '--backends', given: unknown, allowed: `some of ${known.join(', ')}` })
  }
  return names
}

function locateAll({ flags, runtime }: Invocation, { backends }: Config): readonly AgentLocation[] {
  return locateAgents({ ...runtime, backends, demo: flags.isOn('demo') ? runtime.demoAgent : undefined })
}

type BackendChoice = { names: readonly string[] | undefined; isDryRun: boolean; err: Channel; atLeast: number }

/** Leaves out named agents that cannot be used, with a warning. A dry run does not need them installed. */
async function chooseBackends(
  located: readonly AgentLocation[],
  { names, isDryRun, err, atLeast }: BackendChoice,
): Promise<string[]> {
  const isUsable = ({ isEnabled, program }: AgentLocation) => isEnabled && (isDryRun || program !== undefined)
  const usable = located.filter(isUsable).map(({ backend }): string => backend)
  const missing = located.filter((agent) => names?.includes(agent.backend) === true && !isUsable(agent))
  for (const { backend, isEnabled, wanted } of missing) {
    const { message } = backendUnavailable({ backend, reason: isEnabled ? 'not_installed' : 'disabled', wanted })
    await err.write(`drover: warning: skipped: ${message}\n`)
  }
  const left = names?.filter((name) => usable.includes(name)) ?? usable
  if (left.length < atLeast) {
    const installable = located.filter((agent) => agent.isEnabled && !isUsable(agent))
    throw tooFewBackends({
      available: left,
      install: installable.flatMap(({ backend }) => installCommandOf(backend) ?? []),
    })
  }
  return left
}
