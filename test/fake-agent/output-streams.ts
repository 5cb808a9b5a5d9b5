import { once } from 'node:events'
import type { Writable } from 'node:stream'
import type { Ending, Output } from './output.ts'

type Streams = { stdout: Writable; stderr: Writable }

/** Writes the output, as fast as it is read, and ends the process after the last of it. */
export class OutputStreams {
  readonly #streams: Streams
  readonly #exit: (exitCode: Ending['exitCode']) => void
  #isEnding = false

  constructor(streams: Streams, exit: (exitCode: Ending['exitCode']) => void) {
    this.#streams = streams
    this.#exit = exit
    // The reader of the output has gone.
    streams.stdout.on('error', () => exit(1))
    streams.stderr.on('error', () => {})
  }

  /** Once the end has begun this never returns, so that the turn stops where it is. */
  async write(output: Output = ''): Promise<void> {
    for (const { stream, text } of this.#parts(output)) {
      if (this.#isEnding) await forever()
      if (!stream.write(text)) await once(stream, 'drain')
    }
  }

  /** Writes the last output and ends the process when it is flushed. */
  async end({ output, exitCode }: Ending): Promise<void> {
    await this.write(output)
    this.#isEnding = true
    await this.#flush()
    this.#exit(exitCode)
  }

  /** As `end`, but it does not wait for the reader if there is nothing to write, or when it is called a second time. */
  async interrupt({ output, exitCode }: Ending): Promise<void> {
    const parts = this.#parts(output)
    if (this.#isEnding || parts.length === 0) return this.#exit(exitCode)
    this.#isEnding = true
    for (const { stream, text } of parts) stream.write(text)
    await this.#flush()
    this.#exit(exitCode)
  }

  #parts(output: Output): { stream: Writable; text: string | Uint8Array }[] {
    const { stdout = '', stderr = '' } = typeof output === 'string' ? { stdout: output } : output
    const parts = [
      { stream: this.#streams.stdout, text: stdout },
      { stream: this.#streams.stderr, text: stderr },
    ]
    return parts.filter(({ text }) => text.length > 0)
  }

  async #flush(): Promise<void> {
    const { stdout, stderr } = this.#streams
    await Promise.all(
      [stdout, stderr].map((stream) => new Promise<void>((resolve) => stream.write('', () => resolve()))),
    )
  }
}

/** Waits without end. The timer keeps the process alive; a pending promise alone would not. */
export async function forever(): Promise<never> {
  setInterval(() => {}, 2 ** 30)
  return new Promise<never>(() => {})
}
