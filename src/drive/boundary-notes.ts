/** Records what a command reached and was refused. A driver that is killed loses only how often. */
import { Fault } from '../kit/fault.ts'
import type { BoundaryEvent } from '../sandbox/boundary-report.ts'
import { BoundaryCounts } from '../sandbox/boundary-report.ts'
import { type Recording, record } from './drive-context.ts'
import type { BoundarySeen } from './record/drive-event.shape.ts'

/** Each record is synced to the disk. A command that asks for more hosts is recorded when it has ended. */
const RECORDED_AT_ONCE = 50

export class BoundaryNotes {
  readonly #context: Recording
  readonly #by: Pick<BoundarySeen, 'by' | 'attempt'>
  readonly #seen = new Set<string>()
  #counts = new BoundaryCounts()

  constructor(context: Recording, by: Pick<BoundarySeen, 'by' | 'attempt'>) {
    this.#context = context
    this.#by = by
  }

  add(event: BoundaryEvent): void {
    this.#counts.add(event)
    const key = event.is === 'exceeded' ? event.is : `${event.is} ${event.host}:${event.port}`
    if (this.#seen.size >= RECORDED_AT_ONCE || this.#seen.has(key)) return
    this.#seen.add(key)
    try {
      this.#record()
    } catch (error) {
      // A connection must not fail because the disk is full. The counts stay, and `end` tries again.
      if (!(error instanceof Fault)) throw error
    }
  }

  /** `printed` is what the command has printed. */
  end(printed: string): void {
    this.#counts.addPrinted(printed)
    this.#record()
  }

  #record(): void {
    const seen = this.#counts.report()
    if (Object.values(seen).every((each) => each.length === 0)) return
    record(this.#context, 'boundary_seen', { ...this.#by, ...seen })
    this.#counts = new BoundaryCounts()
  }
}
