/** The places that hold API keys as they are. */
import { readFileText } from '../kit/files/read-file.ts'
import { runProcess } from '../kit/process/process.ts'
import { apiKeyUnusable, gopassFailed } from './faults.ts'
import type { Environment } from './paths.ts'

export type KeySource = {
  /** For people. */
  name: string
  /** None is a result; a place that cannot be read, or a key that cannot be used, is a fault. */
  read(): Promise<string[]>
}

const MAX_BYTES = 1_048_576
const GOPASS_MS = 5000
const KEYS_VARIABLE = 'DROVER_API_KEYS'

export function variableKeys(text: string): KeySource {
  return { name: KEYS_VARIABLE, read: async () => parseKeys(text, KEYS_VARIABLE) }
}

export function fileKeys(path: string): KeySource {
  const name = `the file ${path} (DROVER_API_KEYS_FILE)`
  // Followed, because secrets are usually mounted as links.
  return { name, read: async () => parseKeys(readFileText({ path, limitBytes: MAX_BYTES, links: 'follow' }), name) }
}

export function gopassKeys(path: string, around: { env: Environment; cwd: string }): KeySource {
  const name = `gopass ${path}`
  return { name, read: async () => parseKeys(await askGopass(path, around), name) }
}

async function askGopass(path: string, { env, cwd }: { env: Environment; cwd: string }): Promise<string> {
  const { exit, stdout } = await runProcess(
    {
      argv: ['gopass', 'show', '--password', path],
      cwd,
      env: withoutKeys(env),
      timeoutMs: GOPASS_MS,
      signal: new AbortController().signal,
      // It may start the agent that keeps the passphrase, which must live on.
      sweep: 'when-ended',
    },
    { stdoutLimitBytes: MAX_BYTES },
  )
  if (exit.ended === 'timeout') throw gopassFailed({ path, reason: `no answer within ${GOPASS_MS / 1000} seconds` })
  if (exit.code !== 0) throw gopassFailed({ path, reason: exit.stderrTail.trim() || `exit code ${exit.code}` })
  return stdout.toString('utf8')
}

/** Another program has no use for the keys that stand in ours. */
function withoutKeys(env: Environment): Record<string, string> {
  const handedOn = Object.entries(env).filter(([name]) => name.toUpperCase() !== KEYS_VARIABLE)
  return Object.fromEntries(handedOn.flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])))
}

/** What a header can carry: anything else would be a key that never matches. */
const USABLE_KEY = /^[\x21-\x7e]+$/

/** Separated by commas or line ends. A key that could not be sent is refused by its number, never by its text. */
function parseKeys(text: string, source: string): string[] {
  const keys = text
    .split(/[,\r\n]/)
    .map((key) => key.trim())
    .filter((key) => key !== '')
  const wrong = keys.findIndex((key) => !USABLE_KEY.test(key))
  if (wrong !== -1) throw apiKeyUnusable({ source, number: wrong + 1 })
  return keys
}
