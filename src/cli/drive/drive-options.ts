/** Reads the options of a driven run from flags and settings. */
import type { Backend } from '../../agents/adapter/agent.ts'
import { type AgentLocation, backendNames, requireProgram } from '../../agents/locate-agents.ts'
import type { Config } from '../../config/config.shape.ts'
import { driveCapUnsupported } from '../../drive/faults.ts'
import type { Options } from '../../drive/record/event.shape.ts'
import { parseCheck } from '../../kit/process/run-check.ts'
import { backendNotFound } from '../../prompts/faults.ts'
import type { PromptContext } from '../../prompts/prompt-context.ts'
import type { Invocation } from '../command.ts'
import { flagsConflict, flagValueInvalid } from '../faults.ts'
import { parseAge } from '../words/parse-time.ts'

type Agent = { backend: Backend; model?: string }

/** What the flags say; undefined where they say nothing. */
type Given = { [F in keyof Options]?: Options[F] | undefined }

/** Refuses what is wrong with the flags, before anything is started. */
export function readDriveFlags({ flags }: Invocation): Given {
  if (flags.isOn('worktree') && flags.isOn('in-place')) throw flagsConflict({ flags: ['--worktree', '--in-place'] })
  const deliver = flags.text('deliver') as Options['deliver'] | undefined
  if (flags.isOn('in-place') && deliver !== undefined && deliver !== 'none') {
    const instead = 'in place, the changes stay in your worktree for you to commit'
    throw flagsConflict({ flags: ['--in-place', `--deliver ${deliver}`], instead })
  }
  const checks = flags.texts('check')
  for (const command of checks) parseCheck(command)
  const work = readAgent('--with', flags.text('with'))
  const review = readAgent('--review-with', flags.text('review-with'))
  return {
    ...(work && { backend: work.backend, model: work.model }),
    ...(review && { review_backend: review.backend, review_model: review.model }),
    checks: checks.length === 0 ? undefined : [...checks],
    max_tokens: flags.integer('max-tokens'),
    max_cost_microusd: readCost(flags.text('max-cost')),
    max_time_ms: readTime(flags.text('max-time')),
    rounds: flags.integer('rounds'),
    approval_mode: flags.text('approval') as Options['approval_mode'] | undefined,
    deliver: flags.isOn('in-place') ? 'none' : deliver,
  }
}

function readAgent(flag: string, text: string | undefined): Agent | undefined {
  if (text === undefined) return undefined
  const [backend = '', ...rest] = text.split('/')
  const model = rest.join('/')
  if (backend === '' || (rest.length > 0 && model === '')) {
    throw flagValueInvalid({ flag, given: text, allowed: 'a backend, or a backend with /MODEL' })
  }
  return { backend, ...(model !== '' && { model }) }
}

/** In millionths of a dollar. */
function readCost(text: string | undefined): number | undefined {
  if (text === undefined) return undefined
  const cost = /^\d{1,6}(?:\.\d{1,6})?$/.test(text) ? Number(text) : 0
  if (cost <= 0)
    throw flagValueInvalid({ flag: '--max-cost', given: text, allowed: 'an amount in US dollars, such as 2.50' })
  return Math.round(cost * 1_000_000)
}

function readTime(text: string | undefined): number | undefined {
  if (text === undefined) return undefined
  const time = parseAge(text)
  if (time === undefined || time === 0)
    throw flagValueInvalid({ flag: '--max-time', given: text, allowed: 'a time such as 90m or 2h' })
  return time
}

type Surroundings = { config: Config; prompts: Pick<PromptContext, 'locate'>; isDemo: boolean }

/** The options of a drive: what the flags say, else as before, else as in the settings. Agents must be installed. */
export function completeOptions(given: Given, before: Options | undefined, around: Surroundings): Options {
  const { config, isDemo } = around
  const { drive } = config
  const caps = withoutUndefined({
    max_tokens: given.max_tokens ?? before?.max_tokens,
    max_cost_microusd: given.max_cost_microusd ?? before?.max_cost_microusd,
    max_time_ms: given.max_time_ms ?? before?.max_time_ms,
  })
  const agents = chooseAgents(given, before, { ...around, caps })
  const checks = given.checks ?? before?.checks ?? drive.checks
  for (const command of checks) parseCheck(command)
  return {
    ...agents,
    ...caps,
    approval_mode: given.approval_mode ?? before?.approval_mode ?? drive.approval_mode,
    is_demo: isDemo,
    checks: [...checks],
    check_timeout_ms: drive.check_timeout_secs * 1000,
    rounds: given.rounds ?? before?.rounds ?? drive.rounds,
    attempts: drive.attempts,
    stall_ms: drive.stall_secs * 1000,
    deliver: given.deliver ?? before?.deliver ?? drive.deliver,
  }
}

type Agents = Pick<Options, 'backend' | 'model' | 'review_backend' | 'review_model'>
type Caps = Pick<Options, 'max_tokens' | 'max_cost_microusd'>
type Choice = Surroundings & { caps: Caps }

function chooseAgents(given: Given, before: Options | undefined, choice: Choice): Agents {
  const { config, prompts, caps } = choice
  const backend = given.backend ?? before?.backend ?? config.default_backend
  const review = given.review_backend ?? before?.review_backend ?? chooseReviewer(backend, choice)
  for (const each of new Set([backend, review])) {
    const located = prompts.locate(each)
    if (located === undefined) throw backendNotFound({ backend: each, known: backendNames(config.backends) })
    requireProgram(located, located.wanted)
    const flag = unsupportedCap(located, caps)
    if (flag !== undefined) throw driveCapUnsupported({ flag, backend: each })
  }
  const models = withoutUndefined({
    model: given.backend === undefined ? before?.model : given.model,
    review_model: given.review_backend === undefined ? before?.review_model : given.review_model,
  })
  return { backend, review_backend: review, ...models }
}

function withoutUndefined<T extends object>(fields: T): { [F in keyof T]?: NonNullable<T[F]> } {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as never
}

/** Another agent sees what the first one overlooks. */
function chooseReviewer(backend: Backend, { config, prompts, caps }: Choice): Backend {
  const isUsable = (each: Backend) => {
    const located = prompts.locate(each)
    return located?.isEnabled === true && located.program !== undefined && unsupportedCap(located, caps) === undefined
  }
  return backendNames(config.backends).find((each) => each !== backend && isUsable(each)) ?? backend
}

/** The flag of a limit that the agent does not report. */
function unsupportedCap({ agent: { reports } }: AgentLocation, caps: Caps): string | undefined {
  if (caps.max_cost_microusd !== undefined && !reports.cost) return '--max-cost'
  return caps.max_tokens !== undefined && !reports.tokens ? '--max-tokens' : undefined
}
