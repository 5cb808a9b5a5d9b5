/**
 * A file is written under a temporary name beside its target. The name tells who writes, so that what a killed writer
 * left behind can be told from a file in use:
 *
 *     .drover-tmp-<boot id>.<pid namespace>-<pid>-<16 hex>
 *
 * A pid means something only within one boot and one pid namespace: containers that share a folder all have a pid 7.
 * Where the system does not tell these two (only Linux does), `unknown` stands in their place.
 */
import { randomBytes } from 'node:crypto'
import { lstatSync, readdirSync, readFileSync, readlinkSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { errorCode } from '../fault.ts'

const NAME = /^\.drover-tmp-(?<place>[0-9a-f]{32}\.\d+|unknown)-(?<pid>\d+)-[0-9a-f]{16}$/
const UNKNOWN = 'unknown'
const DAY_MS = 24 * 60 * 60 * 1000

/** A name that no file has had before. */
export function temporaryName(): string {
  return `.drover-tmp-${pidPlace()}-${process.pid}-${randomBytes(8).toString('hex')}`
}

/** Removes the temporary files and directories that dead writers left, and gives their names. Tidying never fails anybody. */
export function removeLeftovers(directory: string): string[] {
  try {
    return readdirSync(directory).filter((name) => NAME.test(name) && removeIfLeftover({ directory, name }))
  } catch {
    return []
  }
}

function removeIfLeftover({ directory, name }: { directory: string; name: string }): boolean {
  const path = join(directory, name)
  try {
    const ageMs = Date.now() - lstatSync(path).mtimeMs
    if (!isLeftover({ name, ageMs, here: pidPlace(), isAlive })) return false
    rmSync(path, { recursive: true })
    return true
  } catch {
    return false
  }
}

/** Its writer is known to be dead; or its pid cannot be judged here, and nobody touched it for longer than any write takes. */
export function isLeftover(file: {
  name: string
  ageMs: number
  here: string
  isAlive: (pid: number) => boolean
}): boolean {
  const writer = NAME.exec(file.name)?.groups
  if (writer === undefined) return false
  const canJudge = writer['place'] === file.here && file.here !== UNKNOWN
  return canJudge ? !file.isAlive(Number(writer['pid'])) : file.ageMs > DAY_MS
}

/** The boot and pid namespace in which this process has its pid. */
function pidPlace(): string {
  try {
    const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim().replaceAll('-', '')
    const namespace = /^pid:\[(\d+)\]$/.exec(readlinkSync('/proc/self/ns/pid'))?.[1]
    return namespace === undefined ? UNKNOWN : `${boot}.${namespace}`
  } catch {
    return UNKNOWN
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return errorCode(error) !== 'ESRCH'
  }
}
