import { writeIndentedJson } from '../../kit/write-json.ts'
import type { Run } from '../command.ts'
import { toOneLine } from '../printable.ts'
import { sessionFacts } from '../session-text.ts'
import { withSessions } from '../with-sessions.ts'

const LONGEST_VALUE = 400

export const run: Run = async (invocation) => {
  const { args, flags, world } = invocation
  const { out } = world.terminal
  return await withSessions(invocation, async (store) => {
    const session = await store.find(args[0] ?? '')
    const facts = sessionFacts(session, world.clock.now())
    const width = Math.max(...facts.map(([name]) => name.length))
    const lines = facts.map(
      ([name, value]) => `${out.style('dim', name.padEnd(width))}  ${toOneLine(value, LONGEST_VALUE)}`,
    )
    await out.write(flags.isOn('json') ? `${writeIndentedJson(session)}\n` : `${lines.join('\n')}\n`)
    return 0
  })
}
