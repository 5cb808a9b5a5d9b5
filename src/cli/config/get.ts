import { formatValue, showSetting } from '../../config/show-config.ts'
import type { Run } from '../command.ts'
import { readSettings } from '../settings.ts'

/** A list gives one item a line, so that a shell can loop over it. */
export const run: Run = async (invocation) => {
  const { args, flags, runtime } = invocation
  const { key, value, origin } = showSetting(await readSettings(invocation), args[0] ?? '')
  const text = flags.isOn('json')
    ? JSON.stringify({ key, value: value ?? null, origin }, null, 2)
    : [value].flat().map(formatValue).join('\n')
  await runtime.terminal.out.write(`${text}\n`)
  return 0
}
