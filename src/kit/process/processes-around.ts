/** What the processes around this one say, if the program that started it has removed the variables that say so. */
import { hasPassword } from './child-environment.ts'
import { DEPTH_VARIABLE, RUN_VARIABLE, readDepth, runsIn } from './environment-variables.ts'
import { READS_ENVIRONMENTS, readEnvironment, readStat } from './process-tree.ts'

const MAX_ANCESTORS = 32

type Variables = Readonly<Record<string, string | undefined>>

/**
 * The environment with the depth of this process. Some agents pass only a few variables on to their MCP servers; on Linux
 * the processes around this one still have them.
 */
export function withDepth(env: Variables): Variables {
  if (env[DEPTH_VARIABLE] !== undefined || !READS_ENVIRONMENTS) return env
  const depth = depthAround()
  return depth === undefined ? env : { ...env, [DEPTH_VARIABLE]: String(depth) }
}

/** The driven runs for which this process works. Only Linux tells what the processes around it were started with. */
export function findRunsAround(env: Variables): ReadonlySet<string> {
  const around = READS_ENVIRONMENTS ? [...valuesAround(RUN_VARIABLE)] : []
  return new Set([env[RUN_VARIABLE], ...around].flatMap((value) => runsIn(value)))
}

function depthAround(): number | undefined {
  for (const value of valuesAround(DEPTH_VARIABLE)) {
    if (/^\d/.test(value)) return readDepth(value)
  }
  return undefined
}

/** The values that a variable had in the processes around this one when they were started, the nearest first. */
function* valuesAround(name: string): Generator<string> {
  let pid = process.ppid
  for (let level = 0; level < MAX_ANCESTORS && pid > 1; level += 1) {
    const variables = (readEnvironment(pid) ?? '').split('\0')
    const found = variables.find((each) => each.startsWith(`${name}=`))
    if (found !== undefined) yield found.slice(name.length + 1)
    pid = readStat(pid)?.parent ?? 0
  }
}

/** Where agents can read a key or a password: in this process, if drover could not hide it, or in one around it. */
export function findReadableSecrets(env: Variables, readable: readonly string[]): string[] {
  const url = hasPassword(env['DROVER_STORE_URL'] ?? '') ? ['DROVER_STORE_URL'] : []
  const secrets = ['DROVER_API_KEYS', 'PGPASSWORD', ...url]
  const own = secrets.filter((name) => readable.includes(name)).map((name) => `${name} of this process`)
  if (!READS_ENVIRONMENTS || secrets.every((name) => !env[name])) return own
  return [...own, ...ancestors().flatMap((pid) => findSecrets(pid, { env, secrets }))]
}

function ancestors(): number[] {
  const found: number[] = []
  for (let pid = process.ppid; pid > 0 && found.length < MAX_ANCESTORS; pid = readStat(pid)?.parent ?? 0)
    found.push(pid)
  return found
}

function findSecrets(pid: number, { env, secrets }: { env: Variables; secrets: readonly string[] }): string[] {
  const shown = (readEnvironment(pid) ?? '').split('\0')
  const found = secrets.filter((name) => env[name] && shown.includes(`${name}=${env[name]}`))
  return found.map((name) => `${name} of the process ${pid}, which has started drover`)
}
