/** Prepares a boundary for one command: kit/process starts what it returns, and the caller closes it when the command is over. */
import { mkdtempSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { ChildEnvironment, Environment } from '../kit/process/child-environment.ts'
import { FIRST_DESCRIPTOR } from '../kit/process/process.ts'
import type { BoundaryEvent } from './boundary-report.ts'
import { toBubblewrapArguments } from './bubblewrap-arguments.ts'
import { DiskWatch, type LimitEvent } from './disk-watch.ts'
import { sandboxCommitsRefused, sandboxUnavailable } from './faults.ts'
import type { SandboxPrograms } from './find-programs.ts'
import { loopbackPorts } from './host-rules.ts'
import { openProxy, type StopSignal } from './proxy.ts'
import { toSandboxEnvironment } from './sandbox-environment.ts'
import type { SandboxPolicy } from './sandbox-policy.ts'
import { toSeatbeltArguments } from './seatbelt-arguments.ts'
import { SECCOMP_FILTERS } from './seccomp.generated.js'
import { type GitStage, stageGit } from './stage-git.ts'

export type BoundaryRequest = {
  argv: readonly [string, ...string[]]
  cwd: string
  /** The environment of drover; the policy says what of it the command gets. */
  env: Environment
  policy: SandboxPolicy
  programs: SandboxPrograms
  /** Called for each host that the command reaches, or is refused, and for a limit that it exceeds. */
  onEvent: (event: BoundaryEvent) => void
}

export type Boundary = {
  /** For `startProcess`. */
  command: {
    argv: readonly [string, ...string[]]
    env: ChildEnvironment
    descriptors: readonly Uint8Array[]
    askToStop: (signal: StopSignal) => void
  }
  /** Whether the command was started. If not, its output and exit code are those of bubblewrap. */
  hasStarted(): boolean
  /** For a command that stays up: between `settle` and `bringIn`, git outside has the state of the repository. */
  bringIn(): void
  /** Aborts with a Fault when the command exceeds a limit: the caller ends it. */
  exceeded: AbortSignal
  /** Looks for that once more, and takes back what git has written. Call it when the command or its turn is over. */
  settle(): Promise<void>
  close(): Promise<void>
}

const NO_STAGE: GitStage = { mounts: [], bringIn: () => {}, takeBack: () => undefined }

type Opened = Omit<Boundary, 'exceeded' | 'settle'> & Pick<GitStage, 'takeBack'> & { written: readonly string[] }

const NO_SCOPE =
  'sandbox.max_total_memory_mb needs a user session of systemd, and there is none (loginctl enable-linger starts one)'

export async function openBoundary(request: BoundaryRequest): Promise<Boundary> {
  const { policy, programs, onEvent } = request
  const { totalMemoryBytes, diskBytes } = policy.limits
  if (totalMemoryBytes !== undefined && programs.scope === undefined) throw sandboxUnavailable({ problem: NO_SCOPE })
  const { seatbelt } = programs
  const { written, takeBack, ...opened } = await (seatbelt === undefined
    ? openBubblewrap(request)
    : openSeatbelt(request, seatbelt))
  const ending = new AbortController()
  const end = (event: LimitEvent) => {
    onEvent(event)
    ending.abort(event.fault)
  }
  const watch = new DiskWatch({ paths: written, limitBytes: diskBytes, onEvent: end })
  let isSettled = false
  return {
    ...opened,
    exceeded: ending.signal,
    async settle() {
      await watch.look()
      isSettled = true
      const problem = takeBack()
      if (problem === undefined) return
      const exceeded = `what git has committed was not taken from the sandbox, because ${problem}`
      end({ is: 'exceeded', fault: sandboxCommitsRefused({ exceeded }) })
    },
    bringIn() {
      isSettled = false
      opened.bringIn()
      watch.restart()
    },
    async close() {
      watch.close()
      try {
        // Without a reader there is no one to tell.
        if (!isSettled) takeBack()
      } finally {
        await opened.close()
      }
    },
  }
}

async function openBubblewrap({ argv, cwd, env, policy, programs, onEvent }: BoundaryRequest): Promise<Opened> {
  const needsScope = policy.limits.totalMemoryBytes !== undefined
  const directory = mkdtempSync(join(tmpdir(), 'drover-sandbox-'))
  const proxySocket = join(directory, 'proxy.sock')
  const proxy = await openProxy({ socketPath: proxySocket, rules: policy.hosts, env, onEvent })
  const ports = loopbackPorts(policy.hosts)
  const git = policy.own === undefined ? NO_STAGE : stageGit(policy.own, directory)
  const complete = { ...policy, mounts: [...policy.mounts, ...git.mounts] }
  return {
    command: {
      argv: toBubblewrapArguments({
        ...{ policy: complete, argv, cwd, programs, proxySocket, ports },
        seccompDescriptor: FIRST_DESCRIPTOR,
      }),
      env: {
        ...toSandboxEnvironment(env, policy.env),
        HOME: policy.home,
        ...(needsScope && { XDG_RUNTIME_DIR: programs.scope?.runtimeDirectory ?? '' }),
      },
      descriptors: [Buffer.from(SECCOMP_FILTERS[process.arch] ?? '', 'base64')],
      askToStop: proxy.signal,
    },
    hasStarted: proxy.hasStarted,
    bringIn: git.bringIn,
    takeBack: git.takeBack,
    written: complete.mounts.filter(({ as }) => as === 'write').map(({ path, from = path }) => from),
    close: async () => {
      await proxy.close()
      rmSync(directory, { recursive: true, force: true })
    },
  }
}

/** On macOS: a profile instead of mounts, and a port instead of a socket. Not tried by drover's tests. */
async function openSeatbelt(request: BoundaryRequest, seatbelt: string): Promise<Opened> {
  const { argv, env, policy, programs, onEvent } = request
  const ownDirectory = realpathSync.native(mkdtempSync(join(tmpdir(), 'drover-sandbox-')))
  const proxy = await openProxy({ rules: policy.hosts, env, onEvent })
  const inside = { HOME: ownDirectory, TMPDIR: ownDirectory }
  return {
    command: {
      argv: toSeatbeltArguments({
        ...{ policy, argv, ownDirectory, proxyPort: proxy.port },
        programs: { ...programs, seatbelt },
      }),
      env: { ...toSandboxEnvironment(env, policy.env, proxy.port), ...inside },
      descriptors: [],
      askToStop: proxy.signal,
    },
    hasStarted: proxy.hasStarted,
    ...NO_STAGE,
    written: [ownDirectory, ...policy.mounts.filter(({ as }) => as === 'write').map(({ path }) => path)],
    close: async () => {
      await proxy.close()
      rmSync(ownDirectory, { recursive: true, force: true })
    },
  }
}
