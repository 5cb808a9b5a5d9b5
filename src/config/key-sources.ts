/** The sources of plain API keys: a variable, a file, gopass. */
import { programNotFound } from '../kit/faults.ts'
import { readFileText } from '../kit/files/read-file.ts'
import type { Environment } from '../kit/process/child-environment.ts'
import { toChildEnvironment } from '../kit/process/child-environment.ts'
import { findProgram } from '../kit/process/find-program.ts'
import { runProcess } from '../kit/process/process.ts'
import { apiKeyUnusable, gopassFailed } from './faults.ts'

export type KeySource = {
  /** For messages. */
  name: string
  /** May return no keys. Throws if the source cannot be read or a key cannot be used. */
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
  // Follows links, because secrets are usually mounted as links.
  return { name, read: async () => parseKeys(readFileText({ path, limitBytes: MAX_BYTES, links: 'follow' }), name) }
}

export function gopassKeys(path: string, options: { env: Environment; cwd: string }): KeySource {
  const name = `gopass ${path}`
  return { name, read: async () => parseKeys(await askGopass(path, options), name) }
}

async function askGopass(path: string, { env, cwd }: { env: Environment; cwd: string }): Promise<string> {
  const gopass = findProgram('gopass', { env, cwd })
  if (gopass === undefined) throw programNotFound({ program: 'gopass' })
  const { exit, stdout } = await runProcess(
    {
      argv: [gopass, 'show', '--password', path],
      shownAs: 'gopass',
      cwd,
      env: toChildEnvironment(env),
      timeoutMs: GOPASS_MS,
      signal: new AbortController().signal,
      // It may start the agent that caches the passphrase, which must keep running.
      sweep: 'when-ended',
    },
    { stdoutLimitBytes: MAX_BYTES },
  )
  if (exit.ended === 'timeout') throw gopassFailed({ path, reason: `no answer within ${GOPASS_MS / 1000} seconds` })
  if (exit.code !== 0) throw gopassFailed({ path, reason: exit.stderrTail.trim() || `exit code ${exit.code}` })
  return stdout.toString('utf8')
}

/** The characters that a header can carry; any other key would never match. */
const USABLE_KEY = /^[\x21-\x7e]+$/

/** Parses keys separated by commas or line ends. An error names an unusable key by its number, never by its text. */
function parseKeys(text: string, source: string): string[] {
  const keys = text
    .split(/[,\r\n]/)
    .map((key) => key.trim())
    .filter((key) => key !== '')
  const wrong = keys.findIndex((key) => !USABLE_KEY.test(key))
  if (wrong !== -1) throw apiKeyUnusable({ source, number: wrong + 1 })
  return keys
}
