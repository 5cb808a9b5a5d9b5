/** `sessions rename`, `sessions tag add`, `sessions tag rm`, `sessions share` and `sessions unshare`. */
import { toTimestamp } from '../../kit/clock.ts'
import { Fault } from '../../kit/fault.ts'
import { writeIndentedJson } from '../../kit/json/write-json.ts'
import type { Session } from '../../sessions/session.shape.ts'
import type { SessionEdit, SessionStore } from '../../sessions/session-store.ts'
import type { Invocation, RunCommand } from '../command.ts'
import { cleaningRefused, flagsConflict, flagValueInvalid } from '../faults.ts'
import { printResult } from '../output/print-result.ts'
import { toPrintable } from '../output/printable.ts'
import { MAX_AGE_DAYS, parseAge } from '../words/parse-time.ts'
import { withSessions } from './open-sessions.ts'
import { shortenSessionId } from './session-text.ts'

export const rename: RunCommand = (invocation) => {
  const [, title = ''] = invocation.args
  return edit(invocation, { title: title === '' ? null : title }, describeTitle)
}

export const addTags: RunCommand = (invocation) => edit(invocation, { addTags: invocation.args.slice(1) }, describeTags)

export const removeTags: RunCommand = (invocation) =>
  edit(invocation, { removeTags: invocation.args.slice(1) }, describeTags)

export const share: RunCommand = (invocation) => edit(invocation, { shared: true }, describeSharing)

export const unshare: RunCommand = (invocation) => edit(invocation, { shared: false }, describeSharing)

async function edit(
  invocation: Invocation,
  change: SessionEdit,
  describe: (session: Session) => string,
): Promise<number> {
  const { args, flags, runtime } = invocation
  return await withSessions(invocation, async ({ store }) => {
    const session = await store.edit(args[0] ?? '', change)
    const text = flags.isOn('json')
      ? writeIndentedJson(session)
      : `Session ${shortenSessionId(session)} ${describe(session)}.`
    await runtime.terminal.out.write(`${text}\n`)
    return 0
  })
}

function describeTitle({ title }: Session): string {
  return title === undefined ? 'has no title' : `is called "${toPrintable(title)}"`
}

function describeSharing({ shared, api_key: key }: Session): string {
  if (shared === true) return 'is visible to every API key of a server'
  return `is visible to ${key === undefined ? '' : `the API key ${key}, `}operators and you`
}

function describeTags({ tags }: Session): string {
  return tags.length === 0 ? 'has no tags' : `is tagged ${tags.join(', ')}`
}

type DeleteReport = { deleted: string[]; failed: { id: string; error: string; message: string }[] }

export const remove: RunCommand = async (invocation) => {
  const { args, flags, runtime } = invocation
  const { out, err } = runtime.terminal
  return await withSessions(invocation, async ({ store }) => {
    const report = await deleteAll(store, await findAll(store, args))
    if (flags.isOn('json')) await out.write(`${JSON.stringify(report, null, 2)}\n`)
    else {
      await out.write(report.deleted.map((id) => `Deleted session ${id}.\n`).join(''))
      await err.write(report.failed.map(({ message }) => `drover: ${message}\n`).join(''))
    }
    return report.failed.length === 0 ? 0 : 1
  })
}

/** Resolves all ids first, so that a mistyped id deletes nothing. */
async function findAll(store: SessionStore, names: readonly string[]): Promise<Set<string>> {
  const ids = new Set<string>()
  for (const name of names) ids.add((await store.find(name)).id)
  return ids
}

async function deleteAll(store: SessionStore, ids: Iterable<string>): Promise<DeleteReport> {
  const report: DeleteReport = { deleted: [], failed: [] }
  for (const id of ids) {
    try {
      report.deleted.push(await store.delete(id))
    } catch (error) {
      if (!(error instanceof Fault)) throw error
      report.failed.push({ id, error: error.code, message: error.message })
    }
  }
  return report
}

const DAY_MS = 24 * 60 * 60 * 1000
/** Later than the last use of any session. */
const END_OF_TIME = '9999-12-31T23:59:59.999Z'
const MAX_LISTED = 10

export const clean: RunCommand = async (invocation) => {
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
