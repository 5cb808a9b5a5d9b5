/** `sessions rename`, `sessions tag add`, `sessions tag rm`, `sessions share` and `sessions unshare`. */
import { writeIndentedJson } from '../../kit/json/write-json.ts'
import type { Session } from '../../sessions/session.shape.ts'
import type { SessionEdit } from '../../sessions/session-store.ts'
import type { Invocation, RunCommand } from '../command.ts'
import { toPrintable } from '../output/printable.ts'
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
