import { toTimestamp } from '../../kit/clock.ts'
import type { Invocation, RunCommand } from '../command.ts'
import { cleaningRefused, flagsConflict, flagValueInvalid } from '../faults.ts'
import { printResult } from '../output/print-result.ts'
import { MAX_AGE_DAYS, parseAge } from '../words/parse-time.ts'
import { withSessions } from './open-sessions.ts'

const DAY_MS = 24 * 60 * 60 * 1000
/** Later than the last use of any session. */
const END_OF_TIME = '9999-12-31T23:59:59.999Z'
const MAX_LISTED = 10

export const run: RunCommand = async (invocation) => {
  const isDryRun = invocation.flags.isOn('dry-run')
  return await withSessions(invocation, async ({ store, config }) => {
    const before = findCutoff(invocation, config.session.retention_days)
    const deleted = await store.deleteUnusedSince(before, { isDryRun })
    const text = `${formatDeleted(deleted, { before, isDryRun })}\n`
    return await printResult(invocation, { deleted, before, dry_run: isDryRun }, () => text)
  })
}

/** Sessions last used before this time are deleted. Deleting all of them needs explicit flags. */
function findCutoff({ flags, runtime }: Invocation, retentionDays: number): string {
  const given = flags.text('older-than')
  if (flags.isOn('all')) {
    if (given !== undefined) throw flagsConflict({ flags: ['--all', '--older-than'] })
    if (!flags.isOn('yes') && !flags.isOn('dry-run')) throw cleaningRefused({ reason: 'unconfirmed' })
    return END_OF_TIME
  }
  if (given === undefined && retentionDays === 0) throw cleaningRefused({ reason: 'kept_for_ever' })
  const age = given === undefined ? retentionDays * DAY_MS : parseAge(/^\d+$/.test(given) ? `${given}d` : given)
  if (age === undefined) {
    const allowed = `a number of days, or an age such as 12h, 30d, 8w, of at most ${MAX_AGE_DAYS} days`
    throw flagValueInvalid({ flag: '--older-than', given: given ?? '', allowed })
  }
  if (age === 0) throw cleaningRefused({ reason: 'age_zero' })
  return toTimestamp(new Date(runtime.clock.now().getTime() - age))
}

function formatDeleted(ids: readonly string[], { before, isDryRun }: { before: string; isDryRun: boolean }): string {
  const count = `${ids.length} session${ids.length === 1 ? '' : 's'}`
  const which = before === END_OF_TIME ? '' : ` last used before ${before}`
  if (!isDryRun) return `Deleted ${count}${which}.`
  const more = ids.length > MAX_LISTED ? [`  and ${ids.length - MAX_LISTED} more`] : []
  return [`Would delete ${count}${which}.`, ...ids.slice(0, MAX_LISTED).map((id) => `  ${id}`), ...more].join('\n')
}
