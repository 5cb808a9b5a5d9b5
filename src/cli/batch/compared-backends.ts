/** Which agents take part in a comparison. */
import { backendUnavailable } from '../../agents/faults.ts'
import { findInstallCommand } from '../../agents/install-command.ts'
import { type AgentLocation, locateAgents } from '../../agents/locate-agents.ts'
import type { Config } from '../../config/config.shape.ts'
import type { Invocation } from '../command.ts'
import { backendsNotNamed, flagsConflict, flagValueInvalid, tooFewBackends } from '../faults.ts'
import type { Channel } from '../terminal.ts'

/** The agents named by --backends in that order; undefined for all installed agents. */
export function readBackends({ flags }: Invocation, known: readonly string[]): readonly string[] | undefined {
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
    throw flagValueInvalid({ flag: '--backends', given: unknown, allowed: `one or more of ${known.join(', ')}`, known })
  }
  return names
}

export function locateAll({ flags, runtime }: Invocation, { backends }: Config): readonly AgentLocation[] {
  return locateAgents({ ...runtime, backends, demo: flags.isOn('demo') ? runtime.demoAgent : undefined })
}

type BackendChoice = { names: readonly string[] | undefined; isDryRun: boolean; err: Channel; atLeast: number }

/** Leaves out named agents that cannot be used, with a warning. A dry run does not need them installed. */
export async function chooseBackends(
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
      install: installable.flatMap(({ backend }) => findInstallCommand(backend) ?? []),
    })
  }
  return left
}
