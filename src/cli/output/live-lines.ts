/** A few lines at the end of a terminal that are redrawn in place. */

import { stripVTControlCharacters } from 'node:util'
import type { Channel } from '../terminal.ts'
import { countColumns, cutToColumns } from './printable.ts'

const CLEAR_TO_LINE_END = '\u001b[K'
const CLEAR_TO_SCREEN_END = '\u001b[J'

export class LiveLines {
  readonly #channel: Channel
  #drawn: readonly string[] = []

  constructor(channel: Channel) {
    this.#channel = channel
  }

  /** The lines `above` are written before the others and stay. */
  async draw(lines: readonly string[], above: readonly string[] = []): Promise<void> {
    const fitting = fitLines(lines, this.#channel)
    const text = redraw([...above, ...fitting], {
      heightBefore: countRows(this.#drawn, this.#channel),
      columns: this.#channel.columns,
    })
    this.#drawn = fitting
    await this.#channel.write(text)
  }

  async clear(): Promise<void> {
    if (this.#drawn.length > 0) await this.draw([])
  }
}

/** How many rows the lines take now. A terminal that became narrower has wrapped them. */
function countRows(lines: readonly string[], { columns }: { columns: number }): number {
  return lines.reduce((rows, line) => rows + Math.max(1, Math.ceil(countColumns(line) / columns)), 0)
}

/** Cuts lines so that none wraps or scrolls away: the next drawing starts that many lines up. The last line is kept. */
export function fitLines(lines: readonly string[], { columns, rows }: { columns: number; rows: number }): string[] {
  const available = Math.max(1, rows - 1)
  const kept = lines.length <= available ? lines : [...lines.slice(0, available - 1), ...lines.slice(-1)]
  return kept.map((line) => cutLine(line, columns - 1))
}

/** A line that is too long loses its colours, so that no colour is left on. */
function cutLine(line: string, columns: number): string {
  return countColumns(line) <= columns ? line : cutToColumns(stripVTControlCharacters(line), columns)
}

/** One write that overwrites line by line, so that nothing flickers. */
export function redraw(
  lines: readonly string[],
  { heightBefore, columns }: { heightBefore: number; columns: number },
): string {
  const up = heightBefore > 0 ? `\u001b[${heightBefore}A` : ''
  return `${up}\r${lines.map((line) => overwrite(line, columns)).join('')}${CLEAR_TO_SCREEN_END}`
}

/** After the last column, clearing would erase the last character. A line that wraps covers rows that must be empty. */
function overwrite(line: string, columns: number): string {
  return countColumns(line) < columns ? `${line}${CLEAR_TO_LINE_END}\n` : `${CLEAR_TO_SCREEN_END}${line}\n`
}
