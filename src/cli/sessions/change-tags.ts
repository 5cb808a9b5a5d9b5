import { writeIndentedJson } from '../../kit/json/write-json.ts'
import type { Invocation, Run } from '../command.ts'
import { shortIdOf } from './session-text.ts'
import { withSessions } from './with-sessions.ts'

/** Adds the tags to the session, or takes them away. */
export function changeTags(change: 'addTags' | 'removeTags'): Run {
  return async (invocation: Invocation) => {
    const { args, flags, runtime } = invocation
    const [id = '', ...tags] = args
    return await withSessions(invocation, async (store) => {
      const session = await store.edit(id, { [change]: tags })
      const tagged = session.tags.length === 0 ? 'has no tags' : `is tagged ${session.tags.join(', ')}`
      const text = flags.isOn('json') ? writeIndentedJson(session) : `Session ${shortIdOf(session)} ${tagged}.`
      await runtime.terminal.out.write(`${text}\n`)
      return 0
    })
  }
}
