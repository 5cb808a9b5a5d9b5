/** Structured log lines on stderr, one JSON object each, with nothing in them that looks like a credential. */
import { toTimestamp } from './clock.ts'
import { redactLine } from './redact.ts'

export type LogLevel = 'debug' | 'info' | 'warn' | 'error' | 'silent'

type LogFields = Readonly<Record<string, unknown>>

export type Log = {
  debug(fields: LogFields, message: string): void
  info(fields: LogFields, message: string): void
  warn(fields: LogFields, message: string): void
  error(fields: LogFields, message: string): void
  /** A log whose every line carries these fields too. */
  with(fields: LogFields): Log
}

/** Writes to the file descriptor at once, so that the last lines before a crash are there. */
export async function createLog(options: { level: LogLevel; descriptor?: number }): Promise<Log> {
  const { pino } = await import('pino')
  const logger = pino(
    {
      level: options.level,
      base: null,
      timestamp: () => `,"time":"${toTimestamp(new Date())}"`,
      formatters: { level: (label) => ({ level: label }) },
      // The finished line is cleaned, so that no field is forgotten; and most lines have nothing to be cleaned.
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
