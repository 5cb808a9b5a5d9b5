/** When a schedule is due. Pure. */
import { Cron } from 'croner'
import { toErrorMessage } from '../../kit/fault.ts'
import { scheduleInvalid } from './faults.ts'

export type Schedule = {
  /** Five fields, as in a crontab. */
  readonly pattern: string
  /** An IANA name. Undefined: that of this machine. */
  readonly timezone?: string | undefined
}

/** The first time after a moment. Undefined if there is none. Throws `schedule_invalid`. */
export function nextTime({ pattern, timezone }: Schedule, after: Date): Date | undefined {
  try {
    const cron = new Cron(pattern, { mode: '5-part', paused: true, ...(timezone !== undefined && { timezone }) })
    return cron.nextRun(after) ?? undefined
  } catch (error) {
    const problem = toErrorMessage(error)
      .replace(/^CronPattern: /, '')
      .replace(/\.$/, '')
    throw scheduleInvalid({ pattern, problem }, error)
  }
}

export type Due = { readonly is: 'due'; readonly at: Date } | { readonly is: 'later'; readonly at: Date | undefined }

/** `since` is the last time for which a run was started, or when the schedule began. Times that were missed are one. */
export function decideDue(schedule: Schedule, { since, now }: { since: Date; now: Date }): Due {
  const at = nextTime(schedule, since)
  return at !== undefined && at <= now ? { is: 'due', at } : { is: 'later', at }
}
