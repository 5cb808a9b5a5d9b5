/** Asks agents for their version: once for each, in the background, so that no prompt waits for it. */

import { basename, dirname } from 'node:path'
import { Fault } from '../kit/fault.ts'
import type { ChildEnvironment, Environment } from '../kit/process/child-environment.ts'
import { runProcess } from '../kit/process/process.ts'
import type { Program } from './adapter/agent.ts'
import { toAgentEnvironment } from './adapter/agent-environment.ts'
import type { AgentLocation } from './locate-agents.ts'

const PROBE_MS = 10_000
const OUTPUT_LIMIT_BYTES = 64 * 1024

export class VersionProbe {
  readonly #answers = new Map<string, Promise<string | undefined>>()
  readonly #env: ChildEnvironment

  constructor({ env }: { env: Environment }) {
    this.#env = toAgentEnvironment({ env }, {})
  }

  /** Starts the program on the first call; undefined if the agent does not answer in time. */
  async ask(location: AgentLocation): Promise<string | undefined> {
    const program = findVersionProgram(location)
    if (program === undefined || location.isDemo) return undefined
    const key = program.join('\0')
    const answer = this.#answers.get(key) ?? this.#run(program)
    this.#answers.set(key, answer)
    return await answer
  }

  async #run(program: Program): Promise<string | undefined> {
    const answer = await askVersion(program, { env: this.#env })
    return answer.is === 'version' ? answer.version : undefined
  }
}

/**
 * The arguments of an agent that speaks ACP start the protocol, so they are left out. Undefined if it is not installed, or if
 * only its interpreter would answer.
 */
export function findVersionProgram({ agent, program }: AgentLocation): Program | undefined {
  if (program === undefined || !('profile' in agent)) return program
  const [path, ...args] = program
  return args.length > 0 && RUNS_OTHERS.test(basename(path)) ? undefined : [path]
}

/** Interpreters, and programs that fetch and start others. */
const RUNS_OTHERS =
  /^(?:node|bun|bunx|deno|npm|npx|pnpm|yarn|tsx|python|pypy|uv|uvx|pipx|ruby|perl|php|java|dotnet|sh|bash|zsh|env|docker|podman)[\d.]*(?:\.exe)?$/

export type VersionAnswer =
  | { is: 'version'; version: string }
  /** It did not answer in time and was ended. */
  | { is: 'silent'; waitedMs: number }
  | { is: 'unknown'; problem: string }

type ProcessOptions = { env: ChildEnvironment; signal?: AbortSignal }

/**
 * Starts a program with `--version`, in its own directory: a version manager would let files of a repository choose the program.
 * Always returns within a bounded time.
 */
export async function askVersion(program: Program, { env, signal }: ProcessOptions): Promise<VersionAnswer> {
  try {
    const { exit, stdout } = await runProcess(
      {
        argv: [...program, '--version'],
        cwd: dirname(program[0]),
        env,
        timeoutMs: PROBE_MS,
        signal: signal ?? new AbortController().signal,
        sweep: 'always',
      },
      { stdoutLimitBytes: OUTPUT_LIMIT_BYTES },
    )
    if (exit.ended === 'timeout') return { is: 'silent', waitedMs: PROBE_MS }
    if (exit.code !== 0) return { is: 'unknown', problem: `it exited with ${exit.code ?? exit.signal}` }
    // Finds the version in `2.1.197 (Claude Code)`, `codex-cli 0.166.0` or `0.61.0`.
    const version = /\d+\.\d+\.\d+(?:[-+][0-9A-Za-z.-]+)?/.exec(stdout.toString('utf8'))?.[0]
    return version === undefined ? { is: 'unknown', problem: 'it printed no version' } : { is: 'version', version }
  } catch (error) {
    if (!(error instanceof Fault)) throw error
    return { is: 'unknown', problem: error.message }
  }
}
