/** What `drover` alone prints on a terminal: which agents are installed, and what to type next. */
import { findInstallCommand } from '../../agents/install-command.ts'
import { type AgentLocation, locateAgents } from '../../agents/locate-agents.ts'
import type { RunCommand } from '../command.ts'
import { readSettings } from '../settings.ts'

export const run: RunCommand = async (invocation) => {
  const { runtime } = invocation
  const { config } = await readSettings(invocation)
  const agents = locateAgents({ ...runtime, backends: config.backends })
  const facts = { version: runtime.version(), agents, defaultBackend: config.default_backend }
  await runtime.terminal.out.write(formatWelcome(facts))
  return 0
}

type WelcomeFacts = { version: string; agents: readonly AgentLocation[]; defaultBackend: string }

/** More would push the commands out of a small window. */
const MAX_MISSING = 3

/** At most ten lines. Pure. */
export function formatWelcome({ version, agents, defaultBackend }: WelcomeFacts): string {
  const enabled = agents.filter(({ isEnabled }) => isEnabled)
  const installed = enabled.filter(({ program }) => program !== undefined).map(({ backend }): string => backend)
  const missing = enabled.filter(({ program }) => program === undefined)
  const chosen = installed.includes(defaultBackend) ? defaultBackend : installed[0]
  return [
    `drover ${version}`,
    '',
    installed.length === 0
      ? 'No agent is installed. --demo uses a built-in one that only repeats your prompt.'
      : `Installed agents: ${installed.map((name) => (name === defaultBackend ? `${name} (default)` : name)).join(', ')}`,
    ...missing
      .slice(0, MAX_MISSING)
      .map(
        ({ backend }) =>
          `Not installed:    ${backend} (${findInstallCommand(backend) ?? 'see backends in the config'})`,
      ),
    '',
    ...nextCommands(chosen, chosen === undefined || chosen === defaultBackend ? '' : ` -b ${chosen}`),
    '',
  ].join('\n')
}

function nextCommands(backend: string | undefined, flag: string): string[] {
  const demo = backend === undefined ? ' --demo' : flag
  const rows = [
    [`drover chat${demo}`, `start a conversation with ${backend ?? 'the demo agent'}`],
    [`drover${demo} "explain this project"`, 'run one prompt'],
    ['drover --help', 'show all commands'],
  ] as const
  const width = Math.max(...rows.map(([line]) => line.length))
  return rows.map(([line, does]) => `  ${line.padEnd(width)}  ${does}`)
}
