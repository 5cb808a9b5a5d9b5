/**
 * Every real agent in a sandbox. Its model server has a name, `model.test`, because 127.0.0.1 is another machine inside: agents have
 * to use the proxy, as with a real model service. drover itself is started where this name is known.
 */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DROVER, type Ran, runAt } from '../support/run-drover.ts'
import { createAcpSetup, startableAcp } from './acp-agents.ts'
import { type AgentSetup, createAgentSetup, MODELS } from './agent-setup.ts'
import { installed } from './real-agents.ts'

const MODEL_HOST = 'model.test'

/** Nothing listens there. That it is listed lets a name resolve to this address. */
const LOOPBACK = '127.0.0.1:9'

type Variables = Readonly<Record<string, string>>

type SandboxedAgent = {
  name: string
  /** How a prompt names the agent. */
  words: readonly string[]
  takesImages: boolean
  create(port: number): SandboxedSetup
}

export type SandboxedSetup = AgentSetup & {
  drover(scenario: string, args: readonly string[], more?: Variables): Promise<Ran>
}

const natives = installed.map(({ backend, path }) => ({
  name: backend as string,
  words: ['-b', backend, '-m', MODELS[backend]],
  takesImages: true,
  create: (port: number) => withNames(createAgentSetup(backend, path, port, MODEL_HOST), port),
}))

const speakers = startableAcp.map((agent) => ({
  name: agent.name,
  words: ['-b', agent.name],
  takesImages: agent.profile.images !== false,
  create: (port: number) => withNames(createAcpSetup(agent, port, MODEL_HOST), port),
}))

export const sandboxedAgents: readonly SandboxedAgent[] = [...natives, ...speakers]

/** The start of a command that knows these names as hosts of this machine. */
export function knowing(directory: string, names: readonly string[]): string[] {
  const file = join(directory, 'hosts')
  writeFileSync(file, ['localhost', ...names].map((name) => `127.0.0.1 ${name}\n`).join(''))
  return ['bwrap', '--dev-bind', '/', '/', '--ro-bind', file, '/etc/hosts', '--']
}

function withNames(setup: AgentSetup, port: number): SandboxedSetup {
  let last: { scenario: string; own: Variables } | undefined
  const ownOf = (scenario: string) => {
    // A file that was written again is a changed configuration.
    if (last?.scenario !== scenario) last = { scenario, own: setup.env(scenario) }
    return last.own
  }
  const env = (scenario: string) => ({
    ...ownOf(scenario),
    DROVER_SANDBOX_HOSTS: [`${MODEL_HOST}:${port}`, LOOPBACK].join(','),
    DROVER_SANDBOX_ENV: 'FAKE_KEY,REAL_AGENT_HOME',
    DROVER_WARM_SPARE_AFTER: '1',
  })
  const around = knowing(setup.home, [MODEL_HOST])
  return {
    ...setup,
    env,
    drover: (scenario, args, more = {}) =>
      runAt(setup.work, [...around, process.execPath, DROVER, ...args], { ...env(scenario), ...more }),
  }
}
