/** Asks agents for their version: once each, in the background, never in the way of a prompt. */
import { runToEnd } from '../kit/run-to-end.ts'
import type { Surroundings } from './agent.ts'
import { toAgentEnvironment } from './agent-environment.ts'
import type { Located } from './locate-agents.ts'

const PROBE_MS = 10_000
const OUTPUT_LIMIT_BYTES = 64 * 1024

type Probe = { answer: Promise<string | undefined>; version?: string | undefined }

export class VersionProbe {
  readonly #probes = new Map<string, Probe>()
  readonly #env: Readonly<Record<string, string>>
  readonly #cwd: string

  constructor(around: { env: Surroundings['env']; cwd: string }) {
    this.#env = toAgentEnvironment(around.env, {})
    this.#cwd = around.cwd
  }

  /** What is known by now; the first call starts the question. */
  known(agent: Located): string | undefined {
    return this.#probe(agent)?.version
  }

  /** Waits for the answer; undefined when the agent gives none in time. */
  async ask(agent: Located): Promise<string | undefined> {
    return await this.#probe(agent)?.answer
  }

  #probe({ program, isDemo }: Located): Probe | undefined {
    if (program === undefined || isDemo) return undefined
    const key = program.join('\0')
    const asked = this.#probes.get(key)
    if (asked !== undefined) return asked
    const probe: Probe = { answer: this.#run(program) }
    this.#probes.set(key, probe)
    probe.answer = probe.answer.then((version) => {
      probe.version = version
      return version
    })
    return probe
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
