/** Structured log lines on stderr, one JSON object each, with nothing in them that looks like a credential. */
import { redactFields, redactSecrets } from './redact.ts'

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
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: {
        level: (label) => ({ level: label }),
        log: (fields) => redactFields(fields) as Record<string, unknown>,
      },
      // Names of fields tell much, but a secret also hides in a field nobody thought of: the finished line is cleaned too.
      hooks: { streamWrite: redactSecrets },
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
    with: (fields) => wrap(logger.child(redactFields(fields) as object)),
  }
}
