/** The limits of the pool, as the settings give them. */
export type WarmLimits = {
  maxProcesses: number
  idleMs: number
  maxTurns: number
  maxAgeMs: number
  maxBytes: number
  /** How many processes wait for the next prompt of a key that is in use. */
  spares: number
  /** How often a key must be used within `SPARE_WINDOW_MS` to get them. */
  spareAfter: number
}

/** The settings of the `warm` section that limit processes. */
type WarmSettings = {
  max_processes: number
  idle_secs: number
  max_turns: number
  max_age_secs: number
  max_rss_mb: number
  spares: number
  spare_after: number
}

export function toWarmLimits(settings: WarmSettings): WarmLimits {
  return {
    maxProcesses: settings.max_processes,
    idleMs: settings.idle_secs * 1000,
    maxTurns: settings.max_turns,
    maxAgeMs: settings.max_age_secs * 1000,
    maxBytes: settings.max_rss_mb * 1024 * 1024,
    spares: settings.spares,
    spareAfter: settings.spare_after,
  }
}
