/** Asks agents for their version: once each, in the background, never in the way of a prompt. */
import { runToEnd } from '../kit/run-to-end.ts'
import type { Surroundings } from './agent.ts'
import { toAgentEnvironment } from './agent-environment.ts'
import type { Located } from './locate-agents.ts'

const PROBE_MS = 10_000
const OUTPUT_LIMIT_BYTES = 64 * 1024

export class VersionProbe {
  readonly #answers = new Map<string, Promise<string | undefined>>()
  readonly #env: Readonly<Record<string, string>>
  readonly #cwd: string

  constructor(around: { env: Surroundings['env']; cwd: string }) {
    this.#env = toAgentEnvironment(around.env, {})
    this.#cwd = around.cwd
  }

  /** Starts the question when it is first asked; undefined when the agent gives no answer in time. */
  async ask({ program, isDemo }: Located): Promise<string | undefined> {
    if (program === undefined || isDemo) return undefined
    const key = program.join('\0')
    const answer = this.#answers.get(key) ?? this.#run(program)
    this.#answers.set(key, answer)
    return await answer
  }

  async #run(program: readonly [string, ...string[]]): Promise<string | undefined> {
    try {
      const { exit, stdout } = await runToEnd(
        {
          argv: [...program, '--version'],
          cwd: this.#cwd,
          env: this.#env,
          timeoutMs: PROBE_MS,
          signal: new AbortController().signal,
          sweep: 'always',
        },
        { stdoutLimitBytes: OUTPUT_LIMIT_BYTES },
      )
      return exit.code === 0 ? versionIn(stdout.toString('utf8')) : undefined
    } catch {
      return undefined
    }
  }
}

/** `2.1.197 (Claude Code)`, `codex-cli 0.166.0` and `0.61.0` all hold one version. */
function versionIn(output: string): string | undefined {
  return /\d+\.\d+\.\d+(?:[-+][0-9A-Za-z.-]+)?/.exec(output)?.[0]
}
