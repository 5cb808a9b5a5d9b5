/** Valid events, changed so that a rule refuses them. */
import { applyEvent } from '../../src/engine/apply-event.ts'
import type { Run } from '../../src/engine/state/run.ts'
import type { RunEvent } from '../../src/engine/state/run-event.shape.ts'
import { Fault } from '../../src/kit/fault.ts'
import { type Driver, replayEvents } from './drive-run.ts'
import { stopped } from './run-states.ts'

export type Delta = Record<string, unknown>

/** Why an event is refused; undefined if it is accepted. */
export function problemOf(run: Run | undefined, event: RunEvent): string | undefined {
  try {
    applyEvent(run, event)
    return undefined
  } catch (error) {
    if (!(error instanceof Fault) || error.code !== 'run_event_invalid') throw error
    return (error.details as { problem: string }).problem
  }
}

/** The last event of a run, and the run before it. */
export function lastOf({ events }: Driver): { before: Run | undefined; event: RunEvent } {
  const event = events.at(-1) as RunEvent
  return { before: replayEvents(events.slice(0, -1)), event }
}

/** Why the last event of a run is refused after these changes; an undefined field is removed. */
export function tampered(driver: Driver, change: Delta, type?: string): string | undefined {
  const { before, event } = lastOf(driver)
  const entries = Object.entries({ ...event.data, ...change }).filter(([, value]) => value !== undefined)
  return problemOf(before, { type: type ?? event.type, data: Object.fromEntries(entries) } as unknown as RunEvent)
}

/** The driver after an operation. */
export function having(driver: Driver, operate: (driver: Driver) => unknown): Driver {
  operate(driver)
  return driver
}

/** An event with these changes only. */
export function bare(type: RunEvent['type'], change: Delta): RunEvent {
  const { event_version, contract_version, run_id, updated_at } = lastOf(stopped()).event.data
  return { type, data: { event_version, contract_version, run_id, updated_at, ...change } }
}
