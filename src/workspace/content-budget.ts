/** The limits for reading files in one observation, for all files together. */
export type ContentLimits = { bytes: number; ms: number }

export const CONTENT_LIMITS: ContentLimits = { bytes: 64 * 1024 * 1024, ms: 5000 }

/** What an observation may still read. The time starts with the constructor. */
export class ContentBudget {
  readonly limitBytes: number
  readonly #now: () => number
  readonly #deadline: number
  #leftBytes: number
  #hashedBytes = 0
  #wasTooSmall = false
  #wasTooShort = false

  /** `now` returns milliseconds from any starting point. */
  constructor(limits: ContentLimits = CONTENT_LIMITS, now: () => number = () => performance.now()) {
    this.limitBytes = limits.bytes
    this.#leftBytes = limits.bytes
    this.#now = now
    this.#deadline = now() + limits.ms
  }

  /** Returns false if the file must not be read. A smaller file may still fit afterwards. */
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

  /** Not called for a file that could not be read to its end. */
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
