/** `config show`, `config get` and `config path`. */
import { formatOrigin } from '../../config/origin.ts'
import { formatValue, type ShownSetting, showConfig, showSetting } from '../../config/show-config.ts'
import type { RunCommand } from '../command.ts'
import { printResult } from '../output/print-result.ts'
import { padToColumns } from '../output/printable.ts'
import { tableWidth } from '../output/text-table.ts'
import { wrapWords } from '../output/wrap-words.ts'
import { findUserPaths, readSettings } from '../settings.ts'
import type { Channel } from '../terminal.ts'

/** In a pipe a longer value shifts its origin to the right; on a terminal it is wrapped. */
const MAX_VALUE_COLUMNS = 40

export const show: RunCommand = async (invocation) => {
  const { flags } = invocation
  const reading = await readSettings(invocation)
  const settings = showConfig(reading).filter(({ origin }) => !flags.isOn('changed') || origin.from !== 'default')
  const { file } = reading
  return await printResult(invocation, { file, settings: settings.map(toJson) }, (out) =>
    toTable(settings, { file, out }),
  )
}

/** Prints a list with one item per line, so that a shell can loop over it. */
export const get: RunCommand = async (invocation) => {
  const { key, value, origin } = showSetting(await readSettings(invocation), invocation.args[0] ?? '')
  return await printResult(
    invocation,
    { key, value: value ?? null, origin },
    () => `${[value].flat().map(formatValue).join('\n')}\n`,
  )
}

export const path: RunCommand = async (invocation) => {
  await invocation.runtime.terminal.out.write(`${findUserPaths(invocation).config}\n`)
  return 0
}

function toJson({ key, value, origin, isMasked }: ShownSetting) {
  return { key, value: value ?? null, origin, ...(isMasked && { masked: true }) }
}

function toTable(
  settings: readonly ShownSetting[],
  { file, out }: { file: { path: string; exists: boolean }; out: Channel },
): string {
  const title = `${file.path}${file.exists ? '' : ' (does not exist)'}`
  // The path is in the title. Beside every value it would take the columns of the values.
  const originOf = (origin: string) => (out.isTty ? origin.replace(`${file.path}:`, 'line ') : origin)
  const rows = settings.map(
    ({ key, value, origin }) => [key, formatValue(value), originOf(formatOrigin(origin))] as const,
  )
  const widest = (at: 0 | 1 | 2) => Math.max(0, ...rows.map((row) => row[at].length))
  const [keys, available] = [widest(0), tableWidth(out) - widest(0) - widest(2) - 4]
  const values = Math.min(widest(1), MAX_VALUE_COLUMNS, available)
  const lines = rows.flatMap(([key, value, origin]) => {
    const [first = '', ...rest] = out.isTty && values > 0 ? wrapWords(value, values, { keepsPaths: true }) : [value]
    const head = `${key.padEnd(keys)}  ${padToColumns(first, values)}  ${out.style('dim', origin)}`
    return [head, ...rest.map((line) => `${' '.repeat(keys)}  ${line}`)]
  })
  const body = lines.length === 0 ? ['every setting has its default value'] : lines
  return `${[out.style('bold', title), '', ...body].join('\n')}\n`
}
