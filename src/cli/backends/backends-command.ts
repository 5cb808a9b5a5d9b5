import { backendProbeFailed } from '../../agents/acp/faults.ts'
import type { Abilities, Backend } from '../../agents/adapter/agent.ts'
import { installAdvice } from '../../agents/install-command.ts'
import { type AgentLocation, backendNames, locateAgents } from '../../agents/locate-agents.ts'
import { VersionProbe } from '../../agents/probe-version.ts'
import { removeBackendSection } from '../../config/edit-config.ts'
import { USER } from '../../prompts/caller.ts'
import { backendNotFound } from '../../prompts/faults.ts'
import type { BackendTest } from '../../service/drover-service.ts'
import type { LocalStatus } from '../../service/local-protocol.ts'
import type { Invocation, RunCommand } from '../command.ts'
import { exitCodeOfSignal, listenForInterruption } from '../interruption.ts'
import { askStatus } from '../local/local-server.ts'
import { openDrover } from '../open/open-drover.ts'
import { formatCost } from '../output/format-amounts.ts'
import { printResult } from '../output/print-result.ts'
import { toOneLine } from '../output/printable.ts'
import { findUserPaths, readSettings } from '../settings.ts'
import type { Channel } from '../terminal.ts'
import { definedIn, probeAgain, TIMEOUT_SECS } from './add.ts'
import { backendNotDefined } from './faults.ts'

type BackendReport = {
  name: Backend
  available: boolean
  enabled: boolean
  demo: boolean
  version: string | null
  path: string | null
  abilities: Abilities
  /** The processes that the server of this user keeps running. */
  warm: { idle: number; busy: number }
}

export const run: RunCommand = async (invocation) => {
  const { flags, runtime } = invocation
  const { config } = await readSettings(invocation)
  const demo = flags.isOn('demo') ? runtime.demoAgent : undefined
  const located = locateAgents({ ...runtime, backends: config.backends, demo })
  const probe = new VersionProbe(runtime)
  const warm = (await askStatus(invocation).catch(() => undefined))?.warm ?? []
  const reports = await Promise.all(located.map(async (agent) => toBackendReport(agent, await probe.ask(agent), warm)))
  return await printResult(invocation, { backends: reports, default: config.default_backend }, (out) =>
    formatReports(reports, out),
  )
}

function toBackendReport(
  { backend, agent, isEnabled, program, isDemo }: AgentLocation,
  version: string | undefined,
  warm: LocalStatus['warm'],
): BackendReport {
  const own = warm.filter((process) => process.backend === backend)
  const busy = own.filter(({ state }) => state === 'busy').length
  return {
    name: backend,
    available: isEnabled && program !== undefined,
    enabled: isEnabled,
    demo: isDemo,
    version: version ?? null,
    path: isDemo ? null : (program?.[0] ?? null),
    abilities: agent.abilities,
    warm: { idle: own.length - busy, busy },
  }
}

function formatReports(reports: readonly BackendReport[], out: Channel): string {
  const noneAvailable = reports.every(({ available }) => !available)
  const hint = noneAvailable ? '\nNo agent is available. --demo uses the built-in demo agent instead.\n' : ''
  return reports
    .map((report) => {
      const [state, advice] = describeState(report, out)
      const title = `${out.style('bold', report.name.padEnd(7))} ${state}${advice === undefined || out.isTty ? '' : `; ${advice}`}`
      // The two do not fit into one line of a terminal.
      const below = advice !== undefined && out.isTty ? [advice] : []
      const lines = [...below, ...abilityLines(report.abilities), ...warmLines(report)]
      return [title, ...lines.map((line) => `        ${line}`), ''].join('\n')
    })
    .join('\n')
    .concat(hint)
}

function warmLines({ warm: { idle, busy } }: BackendReport): string[] {
  return idle + busy === 0 ? [] : [`kept running: ${idle} idle, ${busy} busy`]
}

/** The state, and what to do about it. */
function describeState(report: BackendReport, out: Channel): readonly [state: string, advice?: string] {
  const { name, enabled, demo, available, version, path } = report
  if (!enabled) return [out.style('yellow', 'disabled in the config')]
  const install = installAdvice(name)
  if (demo) return [out.style('yellow', 'not installed, replaced by the built-in demo agent'), install]
  if (!available) return [out.style('red', 'not installed'), install]
  return [`${out.style('green', version ?? 'version unknown')} ${path}`]
}

function abilityLines(abilities: Abilities): string[] {
  const { deltas, resume, system_prompt: systemPrompt, max_turns: maxTurns, os_sandbox: osSandbox, usage } = abilities
  const yes = (can: boolean) => (can ? 'yes' : 'no')
  return [
    `streams partial text: ${yes(deltas)} · resumes sessions: ${yes(resume)} · limits turns: ${yes(maxTurns)}`,
    `system prompt: ${systemPrompt === 'flag' ? 'supported' : 'prepended to the prompt'} · OS sandbox: ${yes(osSandbox)}`,
    `counts cached tokens: ${yes(usage.cached)} · counts reasoning tokens: ${yes(usage.reasoning)}`,
  ]
}

const ANSWER_COLUMNS = 60

export const test: RunCommand = async (invocation) => {
  const [name = ''] = invocation.args
  const { config } = await readSettings(invocation)
  const settings = Object.hasOwn(config.backends, name) ? config.backends[name] : undefined
  if (settings === undefined) throw backendNotFound({ backend: name, known: backendNames(config.backends) })
  await announcePrompts(invocation, [name])
  if ('protocol' in settings) return await probeAgain(invocation, name, settings)
  await using drover = openDrover(invocation, { config })
  using interruption = listenForInterruption()
  const timeoutSecs = invocation.flags.integer('timeout') ?? TIMEOUT_SECS
  const tested = await drover.backends.test(USER, name, { signal: interruption.signal, timeoutSecs })
  const stoppedBy = interruption.by()
  if (stoppedBy !== undefined) return exitCodeOfSignal(stoppedBy)
  if (!tested.works) throw backendProbeFailed({ backend: name, reason: tested.error ?? 'it does not say why' })
  return await printResult(invocation, tested, () => `${describeTest(tested)}\n`)
}

/** People learn what it costs before it does. With `--json`, stderr is for errors. */
export async function announcePrompts({ flags, runtime }: Invocation, names: readonly string[]): Promise<void> {
  if (flags.isOn('json') || names.length === 0) return
  const [each, cost] = names.length === 1 ? ['', 'it costs one prompt'] : [' each', `it costs ${names.length} prompts`]
  await runtime.terminal.err.write(`drover: sending one short prompt to ${names.join(', ')}${each}; ${cost}\n`)
}

/** One line about a backend that works. */
export function describeTest(backendTest: BackendTest): string {
  const { backend, answer, duration_ms: ms, cost_usd: cost, cost_kind: kind } = backendTest
  const paid = formatCost(cost, kind === 'priced')
  const seconds = `${(ms / 1000).toFixed(1)} s`
  const said = toOneLine(answer, ANSWER_COLUMNS)
  return `${backend} works: it answered "${said}" in ${seconds}${paid === undefined ? '' : ` for ${paid}`}`
}

export const remove: RunCommand = async (invocation) => {
  const [name = ''] = invocation.args
  const { config } = await readSettings(invocation)
  const known = definedIn(config)
  if (!known.includes(name)) throw backendNotDefined({ name, known })
  const { config: path } = findUserPaths(invocation)
  await removeBackendSection({ path, name })
  await invocation.runtime.terminal.out.write(`${name} is no longer a backend (removed from ${path})\n`)
  return 0
}
