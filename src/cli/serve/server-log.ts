/** The log of the server: JSON lines, or short lines on a terminal. */
import { type AccessEntry, createLog, type Log, type LogLevel } from '../../kit/log.ts'
import { redactFields, redactSecrets } from '../../kit/redact.ts'
import type { Runtime } from '../command.ts'
import { toPrintable } from '../output/printable.ts'
import type { Channel } from '../terminal.ts'

export type ServerLog = { log: Log; writeAccessLog: (entry: AccessEntry) => void }

export async function createServerLog(runtime: Runtime, { isQuiet }: { isQuiet: boolean }): Promise<ServerLog> {
  const { err } = runtime.terminal
  const log = err.isTty ? createReadableLog(err) : await createLog({ level: 'info' })
  const writeAccessLog = (entry: AccessEntry) => {
    if (err.isTty) void err.write(`${formatAccess(entry, runtime)}\n`)
    else log.info(entry, 'request')
  }
  return { log, writeAccessLog: isQuiet ? () => {} : writeAccessLog }
}

function createReadableLog(channel: Channel, bound: object = {}): Log {
  const write = (level: LogLevel) => (fields: object, message: string) => {
    const words = Object.entries(redactFields({ ...bound, ...fields }) as object).map(
      ([name, value]) => `${name}=${value}`,
    )
    void channel.write(`${printable([`drover: ${level}: ${message}`, ...words].join(' '))}\n`)
  }
  return {
    debug: () => {},
    info: write('info'),
    warn: write('warn'),
    error: write('error'),
    with: (fields) => createReadableLog(channel, { ...bound, ...fields }),
  }
}

/** `09:30:00 200 POST /api/v1/prompt 1204 ms claude` */
function formatAccess(entry: AccessEntry, { clock, terminal }: Runtime): string {
  const { method, route, path, status, duration_ms, backend, key, error, prompt, answer } = entry
  const time = terminal.err.style('dim', clock.now().toTimeString().slice(0, 8))
  const code = terminal.err.style(status < 400 ? 'green' : status < 500 ? 'yellow' : 'red', String(status))
  const facts = [backend, key && `key ${key}`, error, prompt && `> ${prompt}`, answer && `< ${answer}`].filter(Boolean)
  return [
    time,
    code,
    method,
    printable(path ?? route),
    `${duration_ms} ms`,
    ...facts.map((fact) => printable(String(fact))),
  ].join(' ')
}

function printable(text: string): string {
  return toPrintable(redactSecrets(text))
}
