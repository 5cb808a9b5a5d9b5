/** `drover sandbox run`: runs a command in the boundary of the current worktree. */
import { resolve } from 'node:path'
import { type ProcessExit, startProcess } from '../../kit/process/process.ts'
import { BoundaryCounts, type BoundaryTotals } from '../../sandbox/boundary-report.ts'
import { createPolicy, type SandboxAdditions, toSandboxSettings } from '../../sandbox/create-policy.ts'
import { sandboxUnavailable } from '../../sandbox/faults.ts'
import { explainFailure, findCommandSandbox } from '../../sandbox/find-programs.ts'
import { openBoundary } from '../../sandbox/open-boundary.ts'
import { discoverWorkspace } from '../../workspace/discover-workspace.ts'
import { locateGit } from '../../workspace/git.ts'
import type { Invocation, RunCommand } from '../command.ts'
import { EXIT } from '../exit-status.ts'
import { exitCodeOfSignal, listenForInterruption } from '../interruption.ts'
import { readSettings, sandboxPartsFor } from '../settings.ts'

const STDIN_LIMIT_BYTES = 64 * 2 ** 20

export const run: RunCommand = async (invocation) => {
  const { runtime, flags } = invocation
  const { config } = await readSettings(invocation)
  const settings = toSandboxSettings(config.sandbox, readAdditions(invocation))
  const programs = findCommandSandbox(runtime, runtime.sandbox.forwarder)
  using interruption = listenForInterruption()
  const { signal } = interruption
  const found = await discoverWorkspace({ start: runtime.cwd, git: locateGit(runtime), signal })
  const { droverHome, hidden } = sandboxPartsFor(invocation, config)
  const policy = createPolicy({
    worktree: {
      root: found.worktree_root,
      git: { directory: found.git_dir, commonDirectory: found.git_common_dir },
    },
    home: runtime.homeDirectory,
    droverHome,
    hidden,
    programs: [programs.node],
    settings,
  })
  const stdin = flags.isOn('stdin') ? await runtime.stdin.read(STDIN_LIMIT_BYTES, signal) : undefined
  const counts = new BoundaryCounts()
  const { cwd, env } = runtime
  const argv = invocation.args as [string, ...string[]]
  const onEvent = counts.add.bind(counts)
  const boundary = await openBoundary({ argv, cwd, env, policy, programs, onEvent })
  try {
    const exit = await passOutput(
      invocation,
      { ...boundary.command, cwd, ...(stdin !== undefined && { stdin }) },
      AbortSignal.any([signal, boundary.exceeded]),
    )
    const by = interruption.by()
    if (by !== undefined) return exitCodeOfSignal(by)
    if (!boundary.hasStarted()) throw sandboxUnavailable({ problem: explainFailure(exit.stderrTail) })
    await boundary.settle()
    await runtime.terminal.err.write(describeReport(counts.report()))
    boundary.exceeded.throwIfAborted()
    return exit.code ?? EXIT.failure
  } finally {
    await boundary.close()
  }
}

type Started = Pick<Parameters<typeof startProcess>[0], 'argv' | 'env' | 'descriptors' | 'cwd' | 'stdin'>

async function passOutput({ runtime }: Invocation, command: Started, signal: AbortSignal): Promise<ProcessExit> {
  const { out, err } = runtime.terminal
  const process = await startProcess({
    ...command,
    ...{ timeoutMs: null, signal, sweep: 'always' },
    onStderr: (chunk) => void err.write(chunk),
  })
  for await (const chunk of process.stdout) {
    if ((await out.write(chunk)) === 'closed') break
  }
  return await process.exit
}

function readAdditions({ flags, runtime }: Invocation): SandboxAdditions {
  const paths = (name: string) => flags.texts(name).map((path) => resolve(runtime.cwd, path))
  return { hosts: flags.texts('host'), env: flags.texts('env'), read: paths('read'), write: paths('write') }
}

function describeReport({ reached, refused }: BoundaryTotals): string {
  const times = (count: number) => (count === 1 ? 'once' : `${count} times`)
  const lines = [
    ...reached.map(({ host, count }) => `reached ${host} ${times(count)}`),
    ...refused.map(({ host, reason, count }) => `refused ${host} ${times(count)}: ${reason}`),
  ]
  return lines.map((line) => `drover: sandbox: ${line}\n`).join('')
}
