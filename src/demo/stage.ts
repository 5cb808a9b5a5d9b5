import { once } from 'node:events'
import type { Writable } from 'node:stream'
import type { Ending, Said } from './said.ts'

/** Where the words go out, as fast as they are read. Its end is the end of the process. */
export class Stage {
  readonly #streams: { stdout: Writable; stderr: Writable }
  readonly #leave: (exit: Ending['exit']) => void
  #isOver = false

  constructor(streams: { stdout: Writable; stderr: Writable }, leave: (exit: Ending['exit']) => void) {
    this.#streams = streams
    this.#leave = leave
    // Whoever read the output has gone: there is nobody left to talk to.
    streams.stdout.on('error', () => leave(1))
    streams.stderr.on('error', () => {})
  }

  /** Once the end has come this never returns: whoever was speaking is cut off. */
  async say(said: Said = []): Promise<void> {
    for (const { to, text } of said) {
      if (this.#isOver) await forever()
      const stream = this.#streams[to]
      if (!stream.write(text)) await once(stream, 'drain')
    }
  }

  /** Says the last words and leaves when they are out. */
  async end({ said, exit }: Ending): Promise<void> {
    await this.say(said)
    this.#isOver = true
    await this.#flush()
    this.#leave(exit)
  }

  /** As `end`, but it waits for nobody if there is nothing to say, or if it is told a second time. */
  async interrupt({ said, exit }: Ending): Promise<void> {
    if (this.#isOver || said.length === 0) return this.#leave(exit)
    this.#isOver = true
    for (const { to, text } of said) this.#streams[to].write(text)
    await this.#flush()
    this.#leave(exit)
  }

  async #flush(): Promise<void> {
    const { stdout, stderr } = this.#streams
    await Promise.all(
      [stdout, stderr].map((stream) => new Promise<void>((resolve) => stream.write('', () => resolve()))),
    )
  }
}

/** A promise alone keeps no process alive; a timer does. */
export async function forever(): Promise<never> {
  setInterval(() => {}, 2 ** 30)
  return new Promise<never>(() => {})
}
