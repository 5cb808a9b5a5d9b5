import { writeIndentedJson } from '../../kit/json/write-json.ts'
import type { Run } from '../command.ts'
import { toPrintable } from '../output/printable.ts'
import { shortIdOf } from './session-text.ts'
import { withSessions } from './with-sessions.ts'

export const run: Run = async (invocation) => {
  const { args, flags, runtime } = invocation
  const [id = '', title = ''] = args
  return await withSessions(invocation, async (store) => {
    const session = await store.edit(id, { title: title === '' ? null : title })
    const named = session.title === undefined ? 'has no title' : `is called "${toPrintable(session.title)}"`
    const text = flags.isOn('json') ? writeIndentedJson(session) : `Session ${shortIdOf(session)} ${named}.`
    await runtime.terminal.out.write(`${text}\n`)
    return 0
  })
}
