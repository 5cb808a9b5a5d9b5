/**
 * A file is first written under a temporary name beside its target. The name identifies the writer, so that files that a
 * killed writer left behind can be distinguished from files in use:
 *
 *     .drover-tmp-<boot id>.<pid namespace>-<pid>-<16 hex>
 *
 * A pid is unique only within one boot and one pid namespace: containers that share a directory all have a pid 7.
 * Only Linux reports these two; elsewhere the name has `unknown` in their place.
 */
import { lstatSync, readdirSync, readFileSync, readlinkSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { errorCode, orUndefined } from '../fault.ts'
import { randomIds } from '../ids.ts'

const NAME = /^\.drover-tmp-(?<scope>[0-9a-f]{32}\.\d+|unknown)-(?<pid>\d+)-[0-9a-f]{16}$/
const UNKNOWN = 'unknown'
const DAY_MS = 24 * 60 * 60 * 1000

/** A new, unique name. */
export function temporaryName(): string {
  return `.drover-tmp-${pidScope()}-${process.pid}-${randomIds.hex(8)}`
}

/** Removes the temporary files and directories that dead writers left, and returns their names. Never throws. */
export function removeLeftovers(directory: string): string[] {
  const names = orUndefined(() => readdirSync(directory)) ?? []
  return names.filter((name) => NAME.test(name) && removeIfLeftover({ directory, name }))
}

function removeIfLeftover({ directory, name }: { directory: string; name: string }): boolean {
  const path = join(directory, name)
  try {
    const { mtimeMs, uid } = lstatSync(path)
    // Others may write to the directory too, and root could remove what is theirs.
    if (process.getuid !== undefined && uid !== process.getuid()) return false
    if (!isLeftover({ name, ageMs: Date.now() - mtimeMs, here: pidScope(), isAlive })) return false
    rmSync(path, { recursive: true })
    return true
  } catch {
    return false
  }
}

/** True if the writer is dead, or if its pid means nothing here and the file is older than any write takes. */
export function isLeftover(file: {
  name: string
  ageMs: number
  here: string
  isAlive: (pid: number) => boolean
}): boolean {
  const writer = NAME.exec(file.name)?.groups
  if (writer === undefined) return false
  const isPidKnown = writer['scope'] === file.here && file.here !== UNKNOWN
  return isPidKnown ? !file.isAlive(Number(writer['pid'])) : file.ageMs > DAY_MS
}

let ownScope: string | undefined

/** The boot and pid namespace in which this process has its pid. */
function pidScope(): string {
  ownScope ??= readPidScope()
  return ownScope
}

function readPidScope(): string {
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
