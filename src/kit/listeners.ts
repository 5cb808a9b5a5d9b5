/** Those who want to be told. What finds the news works only while there is one. */
export class Listeners<T> {
  readonly #start: (tell: (news: T) => void) => () => void
  readonly #all = new Set<(news: T) => void>()
  #stop = () => {}

  /** `start` begins to look for news, and returns a function that ends it. */
  constructor(start: (tell: (news: T) => void) => () => void) {
    this.#start = start
  }

  /** Returns a function that removes it. */
  add(listener: (news: T) => void): () => void {
    this.#all.add(listener)
    if (this.#all.size === 1) {
      this.#stop = this.#start((news) => {
        for (const each of this.#all) each(news)
      })
    }
    return () => {
      if (this.#all.delete(listener) && this.#all.size === 0) this.#stop()
    }
  }
}
