import { spawn } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, realpathSync } from 'node:fs'
import { join } from 'node:path'
import type { AgentName } from '../../src/demo/demo-answer.ts'
import type { Script } from '../fake-agent/script.ts'
import { callMain } from './call-main.ts'
import { copyEmptyStore } from './empty-store.ts'
import { installFakeAgent, installFakeAgents } from './fake-agent.ts'
import { NOWHERE } from './nowhere.ts'
import { DROVER, ending, type Ran, temporaryDirectory } from './run-drover.ts'
import { until } from './until.ts'

export type RunOptions = {
  cwd?: string
  env?: Record<string, string>
  /** What the agents are to do. */
  script?: Script
  /** What is piped in; otherwise nothing is. */
  input?: string
}

export type AgentHome = ReturnType<typeof createAgentHome>

/** A temporary home directory in which the fake agent is installed as all three agents, and stores sessions. */
export function createAgentHome() {
  const path = realpathSync(temporaryDirectory())
  const bin = join(path, 'bin')
  mkdirSync(bin)
  installFakeAgents(bin)
  copyEmptyStore(join(path, '.drover', 'sessions.db'))
  const env: Record<string, string> = {
    HOME: path,
    PATH: `${bin}:${process.env['PATH']}`,
    DEMO_AGENT_WORD_MS: '0',
    FAKE_AGENT_STATE: join(path, 'agents'),
    NO_COLOR: '1',
  }
  const environment = ({ script, env: more }: RunOptions) => ({
    ...env,
    ...(script && { FAKE_AGENT_SCRIPT: JSON.stringify(script) }),
    ...more,
  })
  const start = (args: readonly string[], options: RunOptions = {}) => {
    const child = spawn(process.execPath, [DROVER, ...args], {
      cwd: options.cwd ?? path,
      env: environment(options),
      stdio: [options.input === undefined ? 'ignore' : 'pipe', 'pipe', 'pipe'],
    })
    child.stdin?.end(options.input)
    return { child, ended: ending(child) }
  }
  return {
    path,
    /** No agent is installed. */
    bare: { PATH: NOWHERE },
    env,
    start,
    /** Runs drover in this process, which is faster. `start` is for what only a separate process shows, such as signals. */
    drover: (args: readonly string[], options: RunOptions = {}): Promise<Ran> => {
      const { cwd = path, input } = options
      const env = environment(options)
      return callMain(args, { cwd, env, homeDirectory: path, ...(input !== undefined && { input }) })
    },
    /** One of the agents follows a separate script. */
    teach(agent: AgentName, script: Script): void {
      installFakeAgent(bin, agent, { script })
    },
    /** Creates a directory in the home. */
    folder(name: string): string {
      const folder = join(path, name)
      mkdirSync(folder, { recursive: true })
      return folder
    },
  }
}

/** Waits until the agent that writes this file hangs, as its script says, and gives its process id. */
export function hangingAgent(pidFile: string): Promise<number> {
  return until(() => {
    const known = existsSync(pidFile) && JSON.parse(readFileSync(pidFile, 'utf8') || '{}')
    return known.hangs === true && Number(known.agent)
  })
}
