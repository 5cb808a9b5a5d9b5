/** Tries the boundary before the first agent runs inside: a program, a kernel or a container may let through what it should not. */

import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { digestFields } from '../../kit/digest.ts'
import { orUndefined } from '../../kit/fault.ts'
import { replaceFile } from '../../kit/files/write-file.ts'
import { sandboxUnavailable } from '../faults.ts'
import { type CheckRequest, checkBoundary, type SandboxProperty } from './check-boundary.ts'

type Verification = Omit<CheckRequest, 'signal'> & {
  /** Remembers what was verified, because a try takes a second. No agent inside can write there. */
  droverHome: string
}

const BOOT_ID = '/proc/sys/kernel/random/boot_id'

const STAMP_FILE = 'sandbox-verified'

const verified = new Map<string, Promise<void>>()

/** Once for each start of the machine and version of the programs. Throws `sandbox_unavailable`; then it is tried again. */
export async function verifyBoundary(verification: Verification): Promise<void> {
  const stamp = stampOf(verification)
  const known = verified.get(stamp) ?? verify(verification, stamp)
  verified.set(stamp, known)
  await known.catch((error) => {
    verified.delete(stamp)
    throw error
  })
}

async function verify({ droverHome, ...request }: Verification, stamp: string): Promise<void> {
  const stampFile = join(droverHome, STAMP_FILE)
  if (readOrNothing(stampFile) === stamp) return
  const problem = findGap(await checkBoundary({ ...request, signal: new AbortController().signal }))
  if (problem !== undefined) throw sandboxUnavailable({ problem })
  // The next process tries it again.
  orUndefined(() => replaceFile({ path: stampFile, bytes: Buffer.from(stamp), mode: 0o600 }))
}

function stampOf({ programs, probe }: Verification): string {
  const relay = Object.values(programs.relay ?? {})
  const files = [programs.bubblewrap, programs.node, programs.forwarder, ...relay, probe].map((path) => {
    const { size, mtimeMs, ino } = statSync(path)
    return `${path} ${size} ${mtimeMs} ${ino}`
  })
  return digestFields(['drover-sandbox/v1', readOrNothing(BOOT_ID) ?? '', String(process.getuid?.()), ...files])
}

function readOrNothing(path: string): string | undefined {
  return orUndefined(() => readFileSync(path, 'utf8'))
}

/** What is not enforced; undefined if everything is. Limits do not count. Pure. */
export function findGap(properties: readonly SandboxProperty[]): string | undefined {
  const gaps = properties.filter(({ is_enforced, is_limit }) => !is_enforced && is_limit !== true)
  if (gaps.length === 0) return undefined
  const named = gaps.map(({ name, problem }) => `${name}: no (${problem})`).join('; ')
  return `it was tried, and not everything is enforced: ${named}; run drover sandbox check`
}
