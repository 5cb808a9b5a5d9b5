/** Starts a sandbox in which a program tries to leave it, and reports what it got. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { type AddressInfo, createServer, type ListenOptions, type Server } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { randomIds } from '../../kit/ids.ts'
import { type ChildEnvironment, type Environment, toChildEnvironment } from '../../kit/process/child-environment.ts'
import { type RunningProcess, startProcess } from '../../kit/process/process.ts'
import type { BoundaryEvent } from '../boundary-report.ts'
import { toScopeArguments } from '../bubblewrap-arguments.ts'
import { createPolicy } from '../create-policy.ts'
import { sandboxUnavailable } from '../faults.ts'
import { explainFailure, type SandboxPrograms } from '../find-programs.ts'
import { openBoundary } from '../open-boundary.ts'
import { type SystemCall, syscallProgram } from './syscall-program.ts'

export type CheckRequest = {
  env: Environment
  programs: SandboxPrograms
  /** bin/sandbox-probe.cjs */
  probe: string
  signal: AbortSignal
}

const TIMEOUT_MS = 30_000
/** How long processes that were killed may take to go, and how often drover looks. */
const LAST_MOMENT_MS = 3000
const LOOK_MS = 20
const MEGABYTE = 2 ** 20
/** The disk has room for others, who free space meanwhile. */
const LIMITS = { memoryBytes: 1024 * MEGABYTE, processes: 64, fileBytes: 2 * MEGABYTE, diskBytes: 62 * MEGABYTE }
const MARK = 'DROVER_CANARY'
/** Never resolved: the proxy refuses it first. */
const UNLISTED = 'canary.invalid:443'

const CALLS: Readonly<Record<string, SystemCall>> = {
  ptrace: { x64: 101, arm64: 117, args: [0] },
  keyring: { x64: 250, arm64: 219, args: [0, -3, 0] },
  namespace: { x64: 272, arm64: 97, args: [0x1000_0000] },
  vsock: { x64: 41, arm64: 198, args: [40, 1, 0] },
}

/** Throws `sandbox_unavailable` if no sandbox can be started. */
export async function checkBoundary(request: CheckRequest): Promise<SandboxProperty[]> {
  const scratch = mkdtempSync(join(tmpdir(), 'drover-check-'))
  const servers: Server[] = []
  const listen = async (where: ListenOptions) => {
    const server = createServer((socket) => socket.on('error', () => {}).end('canary'))
    servers.push(server)
    await new Promise<void>((resolve, reject) => server.once('error', reject).listen(where, resolve))
    return server.address() as AddressInfo
  }
  const place = (...names: string[]) => join(scratch, ...names)
  for (const directory of ['home/.ssh', 'outside', 'work']) mkdirSync(place(directory), { recursive: true })
  const mark = randomIds.hex(8)
  const sibling = await startSibling({ mark, request })
  try {
    const [homeFile, keyFile] = [place('home', 'canary'), place('home', '.ssh', 'id_canary')]
    for (const file of [homeFile, keyFile]) writeFileSync(file, 'canary')
    const [socket, abstractSocket] = [place('outside', 'canary.sock'), `drover-canary-${mark}`]
    await listen({ path: socket })
    await listen({ path: `\0${abstractSocket}` })
    const [host, open] = [await listen({ port: 0, host: '127.0.0.1' }), await listen({ port: 0, host: '127.0.0.1' })]
    const canaries = {
      ...{ homeFile, keyFile, outside: place('outside', 'canary'), work: place('work'), socket, abstractSocket, mark },
      host: { host: '127.0.0.1', port: host.port },
      ...{ listed: `127.0.0.1:${open.port}`, unlisted: UNLISTED, calls: writeCalls(place('work')), limits: LIMITS },
    }
    return await runProbe(request, { scratch, canaries })
  } finally {
    await sibling.stop()
    for (const server of servers) server.close()
    rmSync(scratch, { recursive: true, force: true })
  }
}

/** A process outside, which a sandboxed command must not see. */
async function startSibling({ mark, request }: { mark: string; request: CheckRequest }) {
  const cancelled = new AbortController()
  const env: ChildEnvironment = { ...toChildEnvironment(request.env), [MARK]: mark }
  const { exit } = await startProcess({
    ...{ argv: ['sleep', '60'], cwd: tmpdir(), env, timeoutMs: null, sweep: 'always', signal: cancelled.signal },
  })
  return {
    stop: async () => {
      cancelled.abort()
      await exit
    },
  }
}

function writeCalls(directory: string): Record<string, string> {
  const processor = process.arch === 'arm64' ? 'arm64' : 'x64'
  return Object.fromEntries(
    Object.entries(CALLS).map(([name, call]) => {
      const path = join(directory, name)
      writeFileSync(path, syscallProgram(call, processor), { mode: 0o700 })
      return [name, path]
    }),
  )
}

type Canaries = { work: string; listed: string }

async function runProbe(
  { env, programs, probe, signal }: CheckRequest,
  { scratch, canaries }: { scratch: string; canaries: Canaries },
): Promise<SandboxProperty[]> {
  const root = canaries.work
  const policy = createPolicy({
    worktree: { root },
    home: join(scratch, 'home'),
    droverHome: join(scratch, 'outside'),
    programs: [programs.node, probe],
    settings: { hosts: [canaries.listed], env: [], read: [], write: [], limits: LIMITS },
  })
  const events: BoundaryEvent[] = []
  const argv = [programs.node, probe, JSON.stringify(canaries)] as const
  const boundary = await openBoundary({
    argv,
    cwd: root,
    env,
    policy,
    programs,
    onEvent: (event) => events.push(event),
  })
  try {
    const { command } = boundary
    const running = await startProcess({ ...command, cwd: root, timeoutMs: TIMEOUT_MS, signal, sweep: 'when-ended' })
    const printed = Buffer.concat(await running.stdout.toArray()).toString('utf8')
    const { stderrTail } = await running.exit
    if (!boundary.hasStarted() || printed === '') throw sandboxUnavailable({ problem: explainFailure(stderrTail) })
    await boundary.settle()
    const results: ProbeResults = {
      ...JSON.parse(printed),
      survivors: await survivorsOf(running),
      diskLimit: events.some(({ is }) => is === 'exceeded') ? null : 'it was not noticed',
      totalMemoryLimit: await exceedTotalMemory({ env, programs, signal }),
    }
    const isReported = events.some((event) => event.is === 'refused' && `${event.host}:${event.port}` === UNLISTED)
    return judgeProbe(results, {
      isReported,
      hasLimiter: programs.limiter !== undefined,
      hasScope: programs.scope !== undefined,
    })
  } finally {
    await boundary.close()
  }
}

/** Node cannot start with this little memory. Null if it did not. */
const TOO_LITTLE_BYTES = 4 * MEGABYTE

async function exceedTotalMemory({ env, programs, signal }: Pick<CheckRequest, 'env' | 'programs' | 'signal'>) {
  const { scope, node } = programs
  if (scope === undefined) return 'not tried'
  const start = async (totalMemoryBytes: number) => {
    const limits = { totalMemoryBytes, memoryBytes: undefined, processes: undefined, fileBytes: undefined }
    const argv = ['env', ...toScopeArguments(limits, scope), node, '--eval', '0'] as const
    const place = {
      cwd: tmpdir(),
      env: toChildEnvironment(env),
      timeoutMs: TIMEOUT_MS,
      signal,
      sweep: 'always',
    } as const
    const { exit } = await startProcess({ argv, ...place })
    return (await exit).code === 0
  }
  if (!(await start(LIMITS.memoryBytes))) return 'systemd-run cannot start a command'
  return (await start(TOO_LITTLE_BYTES)) ? `a program with more than ${TOO_LITTLE_BYTES} bytes` : null
}

/** Null, as for every attempt that was refused. The kernel kills them all, but on a busy machine they take a moment to go. */
async function survivorsOf({ members }: RunningProcess): Promise<string | null> {
  const deadline = performance.now() + LAST_MOMENT_MS
  for (;;) {
    const left = await members()
    if (left.length === 0) return null
    if (performance.now() > deadline) return left.length === 1 ? '1 process' : `${left.length} processes`
    await sleep(LOOK_MS)
  }
}

/** For each attempt null if it was refused, else what it got. */
type ProbeResults = Readonly<Record<string, string | null>>

export type SandboxProperty = {
  name: string
  is_enforced: boolean
  by: string
  /** What the attempt got. */
  problem?: string
  /** Only told: a boundary without limits is a boundary. */
  is_limit?: true
}

type Row = { name: string; by: string; attempts: readonly string[] }

const ROWS: readonly Row[] = [
  { name: 'the home directory is hidden', by: 'mount namespace', attempts: ['homeFile', 'keyFile'] },
  { name: 'files outside cannot be written', by: 'mount namespace', attempts: ['outside', 'system'] },
  {
    name: 'the network of this machine is out of reach',
    by: 'network namespace',
    attempts: ['host', 'abstractSocket'],
  },
  { name: 'Unix sockets are hidden', by: 'mount namespace', attempts: ['socket'] },
  { name: 'hosts that are not listed are refused', by: "drover's proxy", attempts: ['unlisted'] },
  { name: 'other processes are hidden', by: 'process namespace', attempts: ['processes'] },
  {
    name: 'system calls that lead out are refused',
    by: 'seccomp',
    attempts: ['ptrace', 'keyring', 'namespace', 'vsock'],
  },
  { name: 'no process outlives the command', by: 'process namespace', attempts: ['survivors'] },
]

const LIMIT_ROWS: readonly Row[] = [
  { name: 'the size of a file is limited', by: 'RLIMIT_FSIZE', attempts: ['fileLimit'] },
  { name: 'what is written to disks is limited', by: "drover's watch", attempts: ['diskLimit'] },
  { name: 'the memory of a process is limited', by: 'RLIMIT_DATA', attempts: ['memoryLimit'] },
  { name: 'the memory of all processes is limited', by: 'systemd', attempts: ['totalMemoryLimit'] },
  { name: 'the number of processes is limited', by: 'RLIMIT_NPROC', attempts: ['processLimit'] },
]

function judgeProbe(
  results: ProbeResults,
  { isReported, ...has }: { isReported: boolean; hasLimiter: boolean; hasScope: boolean },
): SandboxProperty[] {
  const judge = ({ name, by, attempts }: Row): SandboxProperty => {
    // An attempt that is missing was not refused.
    const failed = attempts.filter((attempt) => results[attempt] !== null)
    if (failed.length === 0) return { name, is_enforced: true, by }
    return {
      name,
      is_enforced: false,
      by,
      problem: failed.map((each) => `${each}: ${results[each] ?? 'not tried'}`).join(', '),
    }
  }
  const works = ['work', 'listed'].every((attempt) => typeof results[attempt] === 'string')
  const limits = LIMIT_ROWS.map((row) => ({ ...judge(row), is_limit: true as const }))
  return [
    ...ROWS.map(judge),
    flag('a refused host is reported', isReported),
    flag('the worktree and listed hosts can be used', works),
    ...limits.map((limit) => (limit.is_enforced ? limit : { ...limit, problem: explainLimit(limit, has) })),
  ]
}

function flag(name: string, isTrue: boolean): SandboxProperty {
  return { name, is_enforced: isTrue, by: "drover's proxy", ...(!isTrue && { problem: 'it was not' }) }
}

type Found = { hasLimiter: boolean; hasScope: boolean }

function explainLimit({ by, problem }: SandboxProperty, { hasLimiter, hasScope }: Found): string {
  if (by === 'systemd') return hasScope ? (problem ?? '') : 'there is no user session of systemd'
  if (!by.startsWith('RLIMIT')) return problem ?? ''
  if (!hasLimiter) return 'prlimit is not in PATH; install util-linux'
  return by === 'RLIMIT_NPROC'
    ? 'it is not limited for root, whose processes Linux does not count, so a fork bomb is not stopped; run drover as another user'
    : 'the limit was exceeded'
}
