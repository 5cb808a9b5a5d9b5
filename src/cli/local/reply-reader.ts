/** Reads the replies of the server one by one. While a user is asked, it reads on, and keeps what it has read. */
import type { LocalReply } from '../../service/local-protocol.ts'

type Source = AsyncGenerator<LocalReply, void>

export class ReplyReader {
  readonly #source: Source
  readonly #read: (LocalReply | undefined)[] = []
  /** Only one reply is asked for at a time. */
  #pending: Promise<void> | undefined

  constructor(source: Source) {
    this.#source = source
  }

  /** Undefined at the end, and when the connection is lost. */
  async next(): Promise<LocalReply | undefined> {
    const reply = await this.peek()
    this.#read.shift()
    return reply
  }

  /** The reply that `next` returns. */
  async peek(): Promise<LocalReply | undefined> {
    while (this.#read.length === 0) await this.#pull()
    return this.#read[0]
  }

  /** Resolves when a reply that was not taken yet matches, at the end of the replies, and when `stop` settles. */
  async findAhead(matches: (reply: LocalReply) => boolean, stop: Promise<unknown>): Promise<void> {
    let isStopped = false
    const stopped = stop.finally(() => {
      isStopped = true
    })
    for (let at = 0; !isStopped; at += 1) {
      while (at >= this.#read.length && !isStopped) await Promise.race([this.#pull(), stopped])
      const reply = this.#read[at]
      if (reply === undefined || matches(reply)) return
    }
  }

  /** Does not wait for a reply that is on its way. */
  close(): void {
    void this.#source.return()
  }

  async #pull(): Promise<void> {
    this.#pending ??= this.#source.next().then(
      ({ value }) => this.#note(value ?? undefined),
      () => this.#note(undefined),
    )
    await this.#pending
  }

  #note(reply: LocalReply | undefined): void {
    this.#pending = undefined
    this.#read.push(reply)
  }
}
