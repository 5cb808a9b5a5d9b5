import { writeIndentedJson } from '../../kit/json/write-json.ts'
import type { Run } from '../command.ts'
import { toOneLine } from '../output/printable.ts'
import { wrapWords } from '../output/wrap-words.ts'
import type { Channel } from '../terminal.ts'
import { withSessions } from './open-sessions.ts'
import { sessionFacts } from './session-text.ts'

const MAX_VALUE_COLUMNS = 400
const GAP = 2
/** In fewer columns, wrapping by the terminal is easier to read. */
const MIN_VALUE_COLUMNS = 20

export const run: Run = async (invocation) => {
  const { args, flags, runtime } = invocation
  const { out } = runtime.terminal
  return await withSessions(invocation, async (store) => {
    const session = await store.find(args[0] ?? '')
    const facts = sessionFacts(session, runtime.clock.now())
    const width = Math.max(...facts.map(([name]) => name.length))
    const lines = facts.flatMap(([name, value]) => {
      const [first = '', ...rest] = linesOf(value, { out, before: width + GAP })
      return [
        `${out.style('dim', name.padEnd(width + GAP))}${first}`,
        ...rest.map((line) => ' '.repeat(width + GAP) + line),
      ]
    })
    await out.write(flags.isOn('json') ? `${writeIndentedJson(session)}\n` : `${lines.join('\n')}\n`)
    return 0
  })
}

/** Wraps at words; the terminal would break long values anywhere. */
function linesOf(value: string, { out, before }: { out: Channel; before: number }): string[] {
  const line = toOneLine(value, MAX_VALUE_COLUMNS)
  const available = out.columns - before
  return out.isTty && available >= MIN_VALUE_COLUMNS ? wrapWords(line, available) : [line]
}
