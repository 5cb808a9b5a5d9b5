/** How much of all files together may be read for one observation, in bytes and in time. */
export type ContentLimits = { bytes: number; ms: number }

export const CONTENT_LIMITS: ContentLimits = { bytes: 64 * 1024 * 1024, ms: 5000 }

/** What an observation may still read. The time runs from when it is made. */
export class ContentBudget {
  readonly limitBytes: number
  readonly #now: () => number
  readonly #deadline: number
  #leftBytes: number
  #hashedBytes = 0
  #wasTooSmall = false
  #wasTooShort = false

  /** `now` counts milliseconds from whenever. */
  constructor(limits: ContentLimits = CONTENT_LIMITS, now: () => number = () => performance.now()) {
    this.limitBytes = limits.bytes
    this.#leftBytes = limits.bytes
    this.#now = now
    this.#deadline = now() + limits.ms
  }

  /** Asks to read so many bytes; what is refused is not read at all, and a smaller file may still fit after it. */
  reserve(bytes: number): boolean {
    if (this.isOverdue()) return false
    if (bytes > this.#leftBytes) {
      this.#wasTooSmall = true
      return false
    }
    this.#leftBytes -= bytes
    return true
  }

  isOverdue(): boolean {
    this.#wasTooShort ||= this.#now() > this.#deadline
    return this.#wasTooShort
  }

  /** Reserved bytes of a file that could not be read to its end are never counted. */
  countHashed(bytes: number): void {
    this.#hashedBytes += bytes
  }

  get hashedBytes(): number {
    return this.#hashedBytes
  }

  get wasTooSmall(): boolean {
    return this.#wasTooSmall
  }

  get wasTooShort(): boolean {
    return this.#wasTooShort
  }
}
