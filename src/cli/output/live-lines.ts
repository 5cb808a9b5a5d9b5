/** A few lines at the end of a terminal that are drawn anew in place. */

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

  /** Lines given as `above` are written before the others and stay. */
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

/** No line may wrap and none may scroll away, or the next drawing would begin at the wrong place. The last is kept. */
export function fitLines(lines: readonly string[], { columns, rows }: { columns: number; rows: number }): string[] {
  const room = Math.max(1, rows - 1)
  const kept = lines.length <= room ? lines : [...lines.slice(0, room - 1), ...lines.slice(-1)]
  return kept.map((line) => cutToColumns(line, columns - 1))
}

/** Written at once and over what is there, line by line: nothing is ever empty in between, so nothing flickers. */
export function redraw(lines: readonly string[], { heightBefore }: { heightBefore: number }): string {
  const up = heightBefore > 0 ? `\u001b[${heightBefore}A` : ''
  return `${up}\r${lines.map((line) => `${line}${CLEAR_TO_LINE_END}\n`).join('')}${CLEAR_TO_SCREEN_END}`
}
