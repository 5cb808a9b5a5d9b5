import { hasPassword } from './child-environment.ts'
import { READS_ENVIRONMENTS, readEnvironment, readStat } from './process-tree.ts'

type Variables = Readonly<Record<string, string | undefined>>

const MAX_ANCESTORS = 32

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
