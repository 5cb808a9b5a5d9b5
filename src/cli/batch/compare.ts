import { BACKENDS } from '../../agents/adapter/agent.ts'
import { backendUnavailable } from '../../agents/faults.ts'
import { type Located, locateAgents } from '../../agents/locate-agents.ts'
import type { Config } from '../../config/config.shape.ts'
import { compareAgents } from '../../prompts/compare-agents.ts'
import { statusOf } from '../../prompts/prompt-result.ts'
import type { Invocation, Run } from '../command.ts'
import { backendsNotNamed, flagsConflict, flagValueInvalid, noBackendLeft } from '../faults.ts'
import { requestOf } from '../prompt/prompt-flags.ts'
import { setUpPrompts } from '../prompt/prompt-setup.ts'
import { readPrompt } from '../prompt/read-prompt.ts'
import { readSettings } from '../settings.ts'
import type { Channel } from '../terminal.ts'
import { withTimes, withTotals } from './batch-report.ts'
import { sayWarnings } from './batch-text.ts'
import { sayComparison } from './comparison-text.ts'
import { performBatch } from './perform-batch.ts'
import { printDryRun } from './print-dry-run.ts'
import { closeResultFiles, openResultFiles, resultFileName, resultsDirectory } from './result-files.ts'

export const run: Run = async (invocation) => {
  const { flags, runtime } = invocation
  const { out, err } = runtime.terminal
  const { config } = await readSettings(invocation)
  const located = locateHere(invocation, config)
  const isDryRun = flags.isOn('dry-run') || config.unified_flags.dry_run
  const backends = await usableAmong(located, { names: readBackends(invocation), isDryRun, err })
  const prompt = await readPrompt(invocation)
  const request = { ...requestOf(invocation), prompt, backends, sequential: flags.isOn('sequential') }
  const directory = resultsDirectory(invocation)
  const files = openResultFiles(invocation, { directory, isDryRun })
  const items = backends.map((backend, at) => toItem(backend, { at, count: backends.length }))
  await using setup = setUpPrompts(invocation, { config, atOnce: backends.length })
  const { result, span, spanOf, workdirOf, exitCode } = await performBatch(invocation, {
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
    await err.write(sayWarnings(results.map((each) => ({ item: { mark: each.backend }, result: each }))))
    const standIns = located.filter(({ isDemo }) => isDemo).map(({ backend }): string => backend)
    await out.write(sayComparison(results, { out, standIns }))
  }
  await closeResultFiles(invocation, files)
  return exitCode(results.some((each) => statusOf(each) !== 'completed'))
}

function toItem(backend: string, { at, count }: { at: number; count: number }) {
  return { mark: `[${at + 1}/${count}]`, name: backend, backend, fileName: resultFileName(at, backend) }
}

/** Those that were asked for, in the order in which they were; undefined means all that there are. */
function readBackends({ flags }: Invocation): readonly string[] | undefined {
  const given = flags.text('backends')
  if (flags.isOn('all-backends')) {
    if (given !== undefined) throw flagsConflict({ flags: ['--backends', '--all-backends'] })
    return undefined
  }
  const names = (given ?? '')
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '')
  if (names.length === 0) throw backendsNotNamed({})
  const unknown = names.find((name) => !BACKENDS.some((known) => known === name))
  if (unknown !== undefined) {
    throw flagValueInvalid({ flag: '--backends', given: unknown, allowed: `some of ${BACKENDS.join(', ')}` })
  }
  return names
}

function locateHere({ flags, runtime }: Invocation, { backends }: Config): readonly Located[] {
  return locateAgents({ ...runtime, backends, demo: flags.isOn('demo') ? runtime.demoAgent : undefined })
}

type Choice = { names: readonly string[] | undefined; isDryRun: boolean; err: Channel }

/** An agent that was named and cannot be used is left out with a warning. A dry run needs none of them. */
async function usableAmong(located: readonly Located[], { names, isDryRun, err }: Choice): Promise<string[]> {
  const isUsable = ({ isEnabled, program }: Located) => isEnabled && (isDryRun || program !== undefined)
  const usable = located.filter(isUsable).map(({ backend }): string => backend)
  const missing = located.filter((agent) => names?.includes(agent.backend) === true && !isUsable(agent))
  for (const { backend, isEnabled, wanted } of missing) {
    const { message } = backendUnavailable({ backend, reason: isEnabled ? 'not_installed' : 'disabled', wanted })
    await err.write(`drover: warning: left out, because ${message}\n`)
  }
  const left = names?.filter((name) => usable.includes(name)) ?? usable
  if (left.length === 0) throw noBackendLeft({})
  return left
}
