/** What joins the output of an agent: notices on stderr, where some report retries, and what it is told while it runs. */
import type { AgentEvent, OutputReader } from './adapter/agent.ts'

/** No notice is longer. */
const LINE_LIMIT = 4096
/** More notices are dropped while the caller does not read them. */
const QUEUE_LIMIT = 100

export type Notices = {
  /** Takes a piece of stderr. */
  add(chunk: Buffer): void
  /** Takes an event from elsewhere. */
  tell(event: AgentEvent): void
  /** The events that have not been taken yet. */
  take(): AgentEvent[]
  /** Resolves when there are events to take; undefined if there will be none. */
  arrived(): Promise<undefined> | undefined
}

export function createNotices({ readNotice }: OutputReader, { takesMore = false } = {}): Notices {
  const queue: AgentEvent[] = []
  let line = ''
  let waiting: PromiseWithResolvers<undefined> | undefined
  return {
    add(chunk) {
      if (readNotice === undefined) return
      const [first = '', ...more] = chunk.toString('utf8').split('\n')
      const lines = [line + first, ...more]
      line = (lines.pop() ?? '').slice(0, LINE_LIMIT)
      const events = lines.flatMap(readNotice)
      queue.push(...events.slice(0, QUEUE_LIMIT - queue.length))
      if (events.length > 0) waiting?.resolve(undefined)
    },
    tell(event) {
      queue.push(event)
      waiting?.resolve(undefined)
    },
    take: () => queue.splice(0),
    arrived() {
      if (readNotice === undefined && !takesMore) return undefined
      waiting = Promise.withResolvers<undefined>()
      if (queue.length > 0) waiting.resolve(undefined)
      return waiting.promise
    },
  }
}

type Batch = { lines: string[]; noted: AgentEvent[] }

/** The batches of lines, and between them the notices as soon as they arrive. */
export async function* withNotices(batches: AsyncGenerator<string[], void>, notices: Notices): AsyncGenerator<Batch> {
  let next = batches.next()
  try {
    for (;;) {
      const arrived = notices.arrived()
      const batch = await (arrived === undefined ? next : Promise.race([next, arrived]))
      const noted = notices.take()
      if (batch === undefined) {
        yield { lines: [], noted }
        continue
      }
      if (noted.length > 0 || batch.done !== true) yield { lines: batch.value ?? [], noted }
      if (batch.done === true) return
      next = batches.next()
    }
  } finally {
    await batches.return()
  }
}
