import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, describe, expect, it } from 'vitest'
import { REFUSED_CALLS, UNKNOWN_CALLS } from '../../scripts/seccomp/filters.ts'
import { type SystemCall, syscallProgram } from '../../src/sandbox/check/syscall-program.ts'
import { temporaryDirectory } from '../support/run-drover.ts'
import { runInside, skipWithoutSandbox } from '../support/sandbox.ts'

const PROCESSOR = process.arch === 'arm64' ? 'arm64' : 'x64'
const EPERM = 1
const ENOSYS = 38
const EAFNOSUPPORT = 97

const SOCKET = { x64: 41, arm64: 198 }
const CLONE = { x64: 56, arm64: 220 }
const GETPID = { x64: 39, arm64: 172 }

/** Runs each program inside, and returns its exit code: the error number of its call. */
async function callInside(calls: Record<string, SystemCall>): Promise<Record<string, number>> {
  const root = temporaryDirectory()
  const names = Object.keys(calls)
  for (const [index, call] of Object.values(calls).entries())
    writeFileSync(join(root, `call-${index}`), syscallProgram(call, PROCESSOR), { mode: 0o755 })
  const script = `for at in $(seq 0 ${names.length - 1}); do ./call-$at; echo $?; done`
  const home = temporaryDirectory()
  const where = { worktree: { root }, home, droverHome: join(home, '.drover') }
  const { stdout } = await runInside(['sh', '-c', script], where)
  const codes = stdout.trim().split('\n').map(Number)
  return Object.fromEntries(names.map((name, index) => [name, codes[index] ?? Number.NaN]))
}

describe('system calls in a sandbox', () => {
  beforeEach(skipWithoutSandbox)

  it('are refused if they lead out, and the others work', async () => {
    const none = (calls: Readonly<Record<string, { x64: number; arm64: number }>>) =>
      Object.fromEntries(Object.entries(calls).map(([name, numbers]) => [name, { ...numbers, args: [0, 0, 0, 0] }]))
    const family = (number: number): SystemCall => ({ ...SOCKET, args: [number, 1, 0] })
    const codes = await callInside({
      ...none(REFUSED_CALLS),
      ...none(UNKNOWN_CALLS),
      'clone with a user namespace': { ...CLONE, args: [0x1000_0000, 0] },
      'clone with a mount namespace': { ...CLONE, args: [0x0002_0000, 0] },
      AF_UNIX: family(1),
      AF_INET: family(2),
      AF_INET6: family(10),
      AF_PACKET: family(17),
      AF_ALG: family(38),
      AF_VSOCK: family(40),
      getpid: { ...GETPID, args: [] },
    })
    const all = (names: Readonly<Record<string, unknown>>, code: number) =>
      Object.fromEntries(Object.keys(names).map((name) => [name, code]))
    expect(codes).toEqual({
      ...all(REFUSED_CALLS, EPERM),
      ...all(UNKNOWN_CALLS, ENOSYS),
      'clone with a user namespace': EPERM,
      'clone with a mount namespace': EPERM,
      ...{ AF_UNIX: 0, AF_INET: 0, AF_INET6: 0, getpid: 0 },
      ...{ AF_PACKET: EAFNOSUPPORT, AF_ALG: EAFNOSUPPORT, AF_VSOCK: EAFNOSUPPORT },
    })
  })

  it('of the x32 interface are unknown', async ({ skip }) => {
    skip(PROCESSOR !== 'x64')
    // The number of a call of the x32 interface has this bit.
    const codes = await callInside({ x32: { x64: 0x4000_0000 + 39, arm64: 0, args: [] } })
    expect(codes).toEqual({ x32: ENOSYS })
  })
})
