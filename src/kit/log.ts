/** Structured log lines on stderr, one JSON object each. Everything that looks like a credential is removed. */
import { toTimestamp } from './clock.ts'
import { redactLine } from './redact.ts'

export type LogLevel = 'debug' | 'info' | 'warn' | 'error' | 'silent'

type LogFields = Readonly<Record<string, unknown>>

export type Log = {
  debug(fields: LogFields, message: string): void
  info(fields: LogFields, message: string): void
  warn(fields: LogFields, message: string): void
  error(fields: LogFields, message: string): void
  /** Returns a log that adds these fields to every line. */
  with(fields: LogFields): Log
}

/** One line of the access log, with the field names of the log. It never contains API keys or whole bodies. */
export type AccessEntry = {
  request_id: string
  method: string
  route: string
  /** Only if no endpoint has this path: its beginning, with `*` for every word that no endpoint has. */
  path?: string
  status: number
  bytes: number
  duration_ms: number
  client: string
  key?: string
  /** Several backends are joined by commas. */
  backend?: string
  error?: string
  trace_id?: string
  /** Only with `--log-prompts`. */
  prompt?: string
  answer?: string
}

/** For a process that has no log. */
export const SILENT_LOG: Log = {
  debug: () => {},
  info: () => {},
  warn: () => {},
  error: () => {},
  with: () => SILENT_LOG,
}

/** Writes synchronously, so that the last lines before a crash are not lost. */
export async function createLog(options: { level: LogLevel; descriptor?: number }): Promise<Log> {
  const { pino } = await import('pino')
  const logger = pino(
    {
      level: options.level,
      base: null,
      timestamp: () => `,"time":"${toTimestamp(new Date())}"`,
      formatters: { level: (label) => ({ level: label }) },
      // Redacts the finished line, so that no field is missed. Most lines need no change.
      hooks: { streamWrite: redactLine },
    },
    pino.destination({ fd: options.descriptor ?? 2, sync: true }),
  )
  return wrap(logger)
}

type Logger = {
  [level in 'debug' | 'info' | 'warn' | 'error']: (fields: object, message: string) => void
} & { child(fields: object): Logger }

function wrap(logger: Logger): Log {
  return {
    debug: (fields, message) => logger.debug(fields, message),
    info: (fields, message) => logger.info(fields, message),
    warn: (fields, message) => logger.warn(fields, message),
    error: (fields, message) => logger.error(fields, message),
    with: (fields) => wrap(logger.child(fields)),
  }
}
