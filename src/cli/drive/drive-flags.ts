/** Reads the flags of `drover drive`. */
import type { Backend } from '../../agents/adapter/agent.ts'
import type { RunGroup } from '../../drive/group-totals.ts'
import type { Options } from '../../drive/record/recorded-options.shape.ts'
import type { GivenOptions } from '../../drive/start/drive-options.ts'
import { parseCheck } from '../../kit/process/run-check.ts'
import type { Invocation } from '../command.ts'
import { flagsConflict, flagValueInvalid } from '../faults.ts'
import { readFallback, readSandbox, readServers } from '../prompt/prompt-flags.ts'
import { readPreparation } from '../read-preparation.ts'
import { parseAge } from '../words/parse-time.ts'

/** Refuses what is wrong with the flags, before anything is started. */
export function readDriveFlags({ flags }: Invocation): GivenOptions {
  const deliver = readDelivery(flags)
  const checks = flags.texts('check')
  for (const command of checks) parseCheck(command)
  const work = readAgent('--with', flags.text('with'))
  const fallback = flags.text('fallback')
  const review = readAgent('--review-with', flags.text('review-with'))
  return {
    ...(work && { backend: work.backend, model: work.model }),
    ...(review && { review_backend: review.backend, review_model: review.model }),
    checks: checks.length === 0 ? undefined : [...checks],
    ...readPreparation(flags),
    baseline: flags.text('baseline') as Options['baseline'],
    max_tokens: flags.integer('max-tokens'),
    max_cost_microusd: readCost('--max-cost', flags.text('max-cost')),
    max_time_ms: readTime('--max-time', flags.text('max-time')),
    on_limit: flags.text('on-limit') as Options['on_limit'],
    max_wait_ms: readTime('--max-wait', flags.text('max-wait')),
    fallback: fallback === undefined ? undefined : readFallback(fallback),
    rounds: flags.integer('rounds'),
    approval_mode: flags.text('approval') as Options['approval_mode'] | undefined,
    sandbox: readSandbox(flags),
    mcp_servers: readServers(flags),
    deliver,
    follow: flags.isOn('follow') ? true : undefined,
  }
}

/** What is delivered in place cannot be pushed, and only a pull request can be followed. */
function readDelivery(flags: Invocation['flags']): Options['deliver'] | undefined {
  const isInPlace = flags.isOn('in-place')
  if (flags.isOn('worktree') && isInPlace) throw flagsConflict({ flags: ['--worktree', '--in-place'] })
  const deliver = flags.text('deliver') as Options['deliver'] | undefined
  if (isInPlace && deliver !== undefined && deliver !== 'none') {
    const instead = 'in place, the changes stay in your worktree for you to commit'
    throw flagsConflict({ flags: ['--in-place', `--deliver ${deliver}`], instead })
  }
  if (!flags.isOn('follow')) return isInPlace ? 'none' : deliver
  if (!isInPlace && (deliver ?? 'pr') === 'pr') return 'pr'
  const other = isInPlace ? '--in-place' : `--deliver ${deliver}`
  throw flagsConflict({ flags: ['--follow', other], instead: 'only a pull request can be followed' })
}

/** What runs that are queued together may use. */
export function readTotals({ flags }: Invocation): Omit<RunGroup, 'id'> {
  const tokens = flags.integer('total-tokens')
  const cost = readCost('--total-cost', flags.text('total-cost'))
  return {
    ...(tokens !== undefined && { max_tokens: tokens }),
    ...(cost !== undefined && { max_cost_microusd: cost }),
  }
}

function readAgent(flag: string, text: string | undefined): { backend: Backend; model?: string } | undefined {
  if (text === undefined) return undefined
  const [backend = '', ...rest] = text.split('/')
  const model = rest.join('/')
  if (backend === '' || (rest.length > 0 && model === '')) {
    throw flagValueInvalid({ flag, given: text, allowed: 'a backend, or a backend with /MODEL' })
  }
  return { backend, ...(model !== '' && { model }) }
}

/** In millionths of a dollar. */
function readCost(flag: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined
  const cost = /^\d{1,6}(?:\.\d{1,6})?$/.test(text) ? Number(text) : 0
  if (cost <= 0) throw flagValueInvalid({ flag, given: text, allowed: 'an amount in US dollars, such as 2.50' })
  return Math.round(cost * 1_000_000)
}

function readTime(flag: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined
  const seconds = /^(\d{1,6})s$/.exec(text)?.[1]
  const time = seconds === undefined ? parseAge(text) : Number(seconds) * 1000
  if (time === undefined || time === 0)
    throw flagValueInvalid({ flag, given: text, allowed: 'a time such as 90m or 2h' })
  return time
}
