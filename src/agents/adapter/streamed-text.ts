/** A text that the agent prints twice, first in pieces and then whole. The pieces are not reported again. */
export class StreamedText {
  #reported = ''

  add(piece: string): void {
    this.#reported += piece
  }

  /** Starts another text. */
  restart(): void {
    this.#reported = ''
  }

  /** The part of the whole text that has not been reported: all of it, if the pieces belong to another text. */
  takeRest(whole: string): string {
    const reported = this.#reported
    this.#reported = ''
    return whole.startsWith(reported) ? whole.slice(reported.length) : whole
  }

  get unfinished(): string {
    return this.#reported
  }
}
