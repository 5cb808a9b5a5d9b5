/** What a sandbox adds: time and CPU time to a command that does nothing, and time to a prompt to an agent that is already up. */
import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { toChildEnvironment } from '../src/kit/process/child-environment.ts'
import { findProgram } from '../src/kit/process/find-program.ts'
import { runProcess } from '../src/kit/process/process.ts'
import { createPolicy } from '../src/sandbox/create-policy.ts'
import { findSandboxPrograms } from '../src/sandbox/find-programs.ts'
import { openBoundary } from '../src/sandbox/open-boundary.ts'
import { createAgentSetup } from '../test/real/agent-setup.ts'
import { installWarmAgents } from '../test/support/warm-agents.ts'
import { formatTable, measure } from './measure.ts'
import { withPublished } from './published.ts'
import { withServer } from './served.ts'
import { withUpstream } from './warm.ts'
import { overHttp, type Subject } from './warm-prompts.ts'

const ROUNDS = 40
const CPU_ROUNDS = 20
const GOAL_MS = 50
const WARM_ROUNDS = 600
const REAL_ROUNDS = 40
const WARM_GOAL = 1.05
const FORWARDER = join(import.meta.dirname, '..', 'bin', 'sandbox-forwarder.cjs')

export async function benchSandbox(): Promise<string> {
  return [await benchStart(), await withPublished(benchWarm)].join('\n\n')
}

/** The next prompt of a session, to an agent in a process that stays up: a scripted one, and the real claude if it is on PATH. */
async function benchWarm(drover: string): Promise<string> {
  const real = findProgram('claude', { env: process.env, cwd: process.cwd() })
  const tables = [await benchScripted(drover)]
  if (real === undefined) tables.push('Not on PATH, so not measured: claude')
  else await withUpstream(async (port) => void tables.push(await benchReal(drover, { program: real, port })))
  return tables.join('\n\n')
}

async function benchScripted(drover: string): Promise<string> {
  const home = mkdtempSync(join(tmpdir(), 'drover-bench-'))
  const [bin, work] = [installWarmAgents(join(home, 'bin')), join(home, 'work')]
  mkdirSync(work)
  const env = { HOME: home, PATH: `${bin}:/usr/bin:/bin`, DROVER_SANDBOX_READ: join(import.meta.dirname, '..') }
  const subject: Subject = { backend: 'claude', program: join(bin, 'claude'), env, work, isReal: false }
  try {
    return await benchTurns('The next prompt to a scripted agent that is already up', { drover, subject })
  } finally {
    rmSync(home, { recursive: true, force: true })
  }
}

async function benchReal(drover: string, { program, port }: { program: string; port: number }): Promise<string> {
  const setup = createAgentSetup('claude', program, port)
  const env = { ...setup.env('plain'), DROVER_SANDBOX_HOSTS: `127.0.0.1:${port}` }
  const subject: Subject = { backend: 'claude', program, env, work: setup.work, isReal: true }
  try {
    return await benchTurns('The next prompt to the real claude that is already up', { drover, subject })
  } finally {
    setup.remove()
  }
}

async function benchTurns(title: string, { drover, subject }: { drover: string; subject: Subject }): Promise<string> {
  const serve = (mode: 'off' | 'required') => ({
    args: [drover, 'serve', '--port', '0', '--quiet'],
    env: { ...subject.env, DROVER_HOME: join(subject.env['HOME'] ?? '', mode), DROVER_SANDBOX_MODE: mode },
  })
  return await withServer(serve('off'), (outside) =>
    withServer(serve('required'), async (inside) => {
      const ways = [
        { name: 'outside', served: outside },
        { name: 'in a sandbox', served: inside },
      ]
      const asked = await Promise.all(
        ways.map(async ({ name, served }) => {
          const { sessionId } = await overHttp(subject, served)
          return { name, once: () => overHttp(subject, served, sessionId) }
        }),
      )
      const timings = await (subject.isReal ? measure(asked, REAL_ROUNDS, 5) : measure(asked, WARM_ROUNDS, 50))
      const [base, above] = timings.map(({ medianMs }) => medianMs)
      const verdict = (above ?? Number.NaN) / (base ?? Number.NaN) <= WARM_GOAL ? 'met' : 'OVER'
      return `${formatTable(title, timings)}\n  goal: at most ${WARM_GOAL}x: ${verdict}`
    }),
  )
}

async function benchStart(): Promise<string> {
  const scratch = mkdtempSync(join(tmpdir(), 'drover-bench-'))
  try {
    const [root, home] = [join(scratch, 'work'), join(scratch, 'home')]
    for (const directory of [root, home]) mkdirSync(directory)
    const places = { env: process.env, cwd: root }
    const programs = findSandboxPrograms(places, FORWARDER)
    const inside = async () => void (await runInside({ root, home, programs }, ['true']))
    const outside = () => start({ argv: ['true'], env: toChildEnvironment(process.env) }, root)
    const timings = await measure(
      [
        { name: 'true', once: async () => void (await outside()) },
        { name: 'bwrap true', once: () => void spawnSync('bwrap', ['--ro-bind', '/', '/', '--unshare-all', 'true']) },
        {
          name: 'node -e 0',
          once: async () =>
            void (await start({ argv: ['node', '-e', '0'], env: toChildEnvironment(process.env) }, root)),
        },
        { name: 'true in a sandbox', once: inside },
      ],
      ROUNDS,
    )
    const base = await cpuOf(outside)
    const cpuWith = async (relay: typeof programs.relay) =>
      (await cpuOf(() => runInside({ root, home, programs: { ...programs, relay } }, COUNTING))) - base
    const above = await cpuWith(programs.relay)
    const byNode = await cpuWith(undefined)
    const verdict = above <= GOAL_MS ? 'met' : 'OVER'
    return `${formatTable('A command that does nothing', timings)}\n  CPU time that a sandbox adds: ${above.toFixed(0)} ms; goal: at most ${GOAL_MS} ms: ${verdict}\n  without socat, or with a port of this machine: ${byNode.toFixed(0)} ms`
  } finally {
    rmSync(scratch, { recursive: true, force: true })
  }
}

type Place = { root: string; home: string; programs: ReturnType<typeof findSandboxPrograms> }

/**
 * Prints the nanoseconds that each thread inside has run: bubblewrap does not wait for its processes, so the kernel does not add them up.
 * Those that have ended by then are not counted: with socat a mkfifo and a subshell, which take about 2 ms.
 */
const COUNTING = ['sh', '-c', 'exec cat /proc/[0-9]*/task/*/schedstat'] as const

/** With everything that drover does for it: the policy, the proxy, the end. Returns what the command printed. */
async function runInside({ root, home, programs }: Place, argv: readonly [string, ...string[]]): Promise<string> {
  const limits = { memoryBytes: undefined, processes: 4096, fileBytes: 2 ** 33, diskBytes: 2 ** 33 }
  const settings = { hosts: [], env: [], read: [], write: [], limits }
  const droverHome = join(home, '.drover')
  const policy = createPolicy({ worktree: { root }, home, droverHome, programs: [programs.node], settings })
  const { env } = process
  const boundary = await openBoundary({ argv, cwd: root, env, policy, programs, onEvent: () => {} })
  const printed = await start(boundary.command, root)
  await boundary.settle()
  await boundary.close()
  return printed
}

type Started = Pick<Parameters<typeof runProcess>[0], 'argv' | 'env' | 'descriptors'>

async function start(command: Started, cwd: string): Promise<string> {
  const { signal } = new AbortController()
  const limits = { timeoutMs: null, signal, sweep: 'always' } as const
  const { exit, stdout } = await runProcess({ ...command, cwd, ...limits }, { stdoutLimitBytes: 64 * 1024 })
  if (exit.code !== 0) throw new Error(exit.stderrTail)
  return stdout.toString('utf8')
}

/** Of this process, of those that it has waited for, and of those that the command counts, in milliseconds. */
async function cpuOf(once: () => Promise<string>): Promise<number> {
  const before = readCpu()
  let counted = 0
  for (let round = 0; round < CPU_ROUNDS; round++) {
    for (const line of (await once()).split('\n')) counted += Number(line.split(' ')[0]) / 1e6
  }
  return (readCpu() - before + counted) / CPU_ROUNDS
}

function readCpu(): number {
  const stat = readFileSync('/proc/self/stat', 'latin1')
  // utime, stime, cutime and cstime (proc_pid_stat(5)), in hundredths of a second.
  const ticks = stat
    .slice(stat.lastIndexOf(')') + 2)
    .split(' ')
    .slice(11, 15)
  return ticks.reduce((sum, each) => sum + Number(each) * 10, 0)
}
