/** The text of an agent as lines for people. The block with the outcome is left out: drover shows what it says. Pure. */
import { BLOCK_NAME } from '../../drive/prompt/outcome-block.ts'
import { closesFence } from '../../kit/fenced-text.ts'
import { toPrintable } from '../output/printable.ts'

const OPENING = new RegExp(`^ {0,3}(\`{3,}|~{3,})[ \\t]*${BLOCK_NAME}[ \\t]*$`)

export class AgentText {
  /** The line that is not complete yet. */
  #rest = ''
  /** The fence of the outcome block that the text is in. */
  #fence: string | undefined

  /** Takes a piece of text, or a whole message. Returns the lines that are complete. */
  add(text: string, { isPartial }: { isPartial: boolean }): string[] {
    const before = isPartial ? [] : this.end()
    const lines = `${this.#rest}${toPrintable(text)}`.split('\n')
    this.#rest = lines.pop() ?? ''
    const shown = this.#withoutOutcome(lines)
    return [...before, ...shown, ...(isPartial ? [] : this.end())]
  }

  /** The line that is being written; empty between lines and in the outcome block. */
  current(): string {
    return this.#fence === undefined && !/^ {0,3}[`~]/.test(this.#rest) ? this.#rest : ''
  }

  /** Returns what is left. The next text begins a new line. */
  end(): string[] {
    const lines = this.#rest === '' ? [] : this.#withoutOutcome([this.#rest])
    this.#rest = ''
    this.#fence = undefined
    return lines
  }

  #withoutOutcome(lines: readonly string[]): string[] {
    return lines.filter((line) => {
      if (this.#fence !== undefined) {
        if (closesFence(line, this.#fence)) this.#fence = undefined
        return false
      }
      this.#fence = OPENING.exec(line)?.[1]
      return this.#fence === undefined && line.trim() !== ''
    })
  }
}
