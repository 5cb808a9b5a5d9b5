/** Text that may come twice, first in pieces and then as a whole: what was given in pieces is not given again. */
export class StreamedText {
  #given = ''

  add(piece: string): void {
    this.#given += piece
  }

  /** Begins another text; what was given of this one stays unfinished. */
  restart(): void {
    this.#given = ''
  }

  /** What of the whole is still to be given: its rest, or all of it if the pieces were those of another text. */
  settle(whole: string): string {
    const given = this.#given
    this.#given = ''
    return whole.startsWith(given) ? whole.slice(given.length) : whole
  }

  get unfinished(): string {
    return this.#given
  }
}
