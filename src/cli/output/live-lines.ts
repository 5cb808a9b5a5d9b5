/** A few lines at the end of a terminal that are redrawn in place. */

import type { Channel } from '../terminal.ts'
import { cutToColumns } from './printable.ts'

const CLEAR_TO_LINE_END = '\u001b[K'
const CLEAR_TO_SCREEN_END = '\u001b[J'

export class LiveLines {
  readonly #channel: Channel
  #height = 0

  constructor(channel: Channel) {
    this.#channel = channel
  }

  /** The lines `above` are written before the others and stay. */
  async draw(lines: readonly string[], above: readonly string[] = []): Promise<void> {
    const fitting = fitLines(lines, this.#channel)
    const text = redraw([...above, ...fitting], { heightBefore: this.#height })
    this.#height = fitting.length
    await this.#channel.write(text)
  }

  async clear(): Promise<void> {
    if (this.#height > 0) await this.draw([])
  }
}

/** Cuts lines so that none wraps or scrolls away: the next drawing starts that many lines up. The last line is kept. */
export function fitLines(lines: readonly string[], { columns, rows }: { columns: number; rows: number }): string[] {
  const available = Math.max(1, rows - 1)
  const kept = lines.length <= available ? lines : [...lines.slice(0, available - 1), ...lines.slice(-1)]
  return kept.map((line) => cutToColumns(line, columns - 1))
}

/** One write that overwrites line by line, so that nothing flickers. */
export function redraw(lines: readonly string[], { heightBefore }: { heightBefore: number }): string {
  const up = heightBefore > 0 ? `\u001b[${heightBefore}A` : ''
  return `${up}\r${lines.map((line) => `${line}${CLEAR_TO_LINE_END}\n`).join('')}${CLEAR_TO_SCREEN_END}`
}
