import type { Abilities, Backend } from '../../agents/adapter/agent.ts'
import { installAdvice } from '../../agents/install-command.ts'
import { type AgentLocation, locateAgents } from '../../agents/locate-agents.ts'
import { VersionProbe } from '../../agents/probe-version.ts'
import type { LocalStatus } from '../../service/local-protocol.ts'
import type { RunCommand } from '../command.ts'
import { askStatus } from '../local/local-server.ts'
import { printResult } from '../output/print-result.ts'
import { readSettings } from '../settings.ts'
import type { Channel } from '../terminal.ts'

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
