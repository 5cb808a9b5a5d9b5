import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { describe, expect, it } from 'vitest'
import { command, firstWords, isRunning, program } from '../../../test/support/test-command.ts'
import { until } from '../../../test/support/until.ts'
import { endMarkedProcesses } from './end-tree.ts'
import { type ProcessCommand, runProcess, startProcess } from './process.ts'

/** Starts a program that prints a pid, cancels it, and returns its exit and that pid. */
async function cancelOnceReady(argv: ProcessCommand['argv'], wishes: Partial<ProcessCommand> = {}) {
  const controller = new AbortController()
  const { stdout, exit } = await startProcess(command(argv, { ...wishes, signal: controller.signal }))
  const pid = Number(await firstWords(stdout))
  controller.abort()
  return { exit: await exit, pid }
}

describe.skipIf(process.platform !== 'linux')('ending a process', () => {
  it('ends a tool that runs in its own session', async () => {
    const { exit, pid } = await cancelOnceReady([program('runs-tool-in-own-session.sh')])
    expect(exit).toMatchObject({ signal: 'SIGTERM', ended: 'cancelled', forced: false })
    expect(isRunning(pid)).toBe(false)
  })

  it('kills a process that ignores SIGTERM after the grace period', async () => {
    const { exit } = await cancelOnceReady([program('ignores-sigterm.sh')], { graceMs: 200 })
    expect(exit).toMatchObject({ code: null, signal: 'SIGKILL', ended: 'cancelled', forced: true })
    expect(exit.durationMs).toBeGreaterThanOrEqual(200)
    expect(isRunning(Number(exit.pid))).toBe(false)
  })

  it('kills a tool without our id, because it was found while its parent lived', async () => {
    const tool = program('runs-stubborn-tool-without-environment.sh')
    const { exit, pid } = await cancelOnceReady([tool], { graceMs: 1500 })
    expect(exit).toMatchObject({ signal: 'SIGTERM', ended: 'cancelled', forced: true })
    expect(isRunning(pid)).toBe(false)
  })

  it('reports the exit code of a process that handles the signal', async () => {
    const { exit } = await cancelOnceReady(['sh', '-c', "trap 'exit 3' TERM; echo $$; while :; do sleep 0.05; done"])
    expect(exit).toMatchObject({ code: 3, signal: null, ended: 'cancelled', forced: false })
  })

  it('kills the process and the tools in its group when /proc cannot be read', async () => {
    const few = ['sh', '-c', 'ulimit -n 64; exec "$0" "$1"'] as const
    const argv = [...few, process.execPath, program('cancels-without-descriptors.ts')] as const
    const { stdout } = await runProcess(command(argv, { sweep: 'always' }), { stdoutLimitBytes: 1000 })
    const { pid, tool, ...exit } = JSON.parse(stdout.toString())
    expect(exit).toEqual({ ended: 'cancelled', signal: 'SIGKILL' })
    expect(isRunning(pid)).toBe(false)
    await until(() => !isRunning(tool))
  })

  it('ends what a drover inside this drover left behind', async () => {
    const { exit, pid } = await cancelOnceReady([process.execPath, program('nests-drover.ts')])
    expect(exit).toMatchObject({ ended: 'cancelled', forced: false })
    expect(isRunning(pid)).toBe(false)
  })
})

describe.skipIf(process.platform !== 'linux')('cancelSignal SIGINT', () => {
  it('lets the process end its tools itself', async () => {
    const { exit, pid } = await cancelOnceReady([program('ends-tool-on-sigint.sh')], { cancelSignal: 'SIGINT' })
    expect(exit).toMatchObject({ code: 7, ended: 'cancelled', forced: false, stderrTail: 'tidied\n' })
    expect(isRunning(pid)).toBe(false)
  })

  it('is followed by SIGTERM for a process that ignores it', async () => {
    const deaf = ['sh', '-c', "trap '' INT; echo $$; exec sleep 600"] as const
    const { exit } = await cancelOnceReady(deaf, { cancelSignal: 'SIGINT', graceMs: 3000 })
    expect(exit).toMatchObject({ signal: 'SIGTERM', ended: 'cancelled', forced: false })
    expect(exit.durationMs).toBeGreaterThanOrEqual(1500)
  })

  it('finds the tools before the process drops them', async () => {
    const tool = program('runs-stubborn-tool-without-environment.sh')
    const { exit, pid } = await cancelOnceReady([tool], { cancelSignal: 'SIGINT', graceMs: 1500 })
    expect(exit).toMatchObject({ signal: 'SIGINT', ended: 'cancelled', forced: true })
    expect(isRunning(pid)).toBe(false)
  })
})

describe.skipIf(process.platform !== 'linux')('a process left behind by a child that exits', () => {
  it('is ended with sweep: always', async () => {
    const { stdout, exit } = await startProcess(command([program('leaves-daemon.sh')], { sweep: 'always' }))
    const pid = Number(await firstWords(stdout))
    expect(await exit).toMatchObject({ code: 0, ended: 'itself', forced: false })
    expect(isRunning(pid)).toBe(false)
  })

  it('stays with sweep: when-ended, and does not delay the result', async () => {
    const { stdout, exit } = await startProcess(command([program('leaves-daemon.sh')], { sweep: 'when-ended' }))
    const pid = Number(await firstWords(stdout))
    expect(await exit).toMatchObject({ code: 0, ended: 'itself', forced: false })
    expect(stdout.readableEnded).toBe(true)
    expect(isRunning(pid)).toBe(true)
    process.kill(pid, 'SIGKILL')
  })

  it('is found even while it is being started', async () => {
    // The parents exit before their children start: a single scan of the processes misses some of these.
    const seconds = `600.${process.pid}`
    const hasty = ['sh', '-c', `(setsid sh -c '(sleep ${seconds} & exit) & exit' & exit) & exit`] as const
    for (let round = 0; round < 30; round += 1) {
      const { exit } = await startProcess(command(hasty, { sweep: 'always' }))
      expect(await exit).toMatchObject({ code: 0, ended: 'itself' })
    }
    const { stdout } = await runProcess(command(['ps', '-eo', 'args']), { stdoutLimitBytes: 1024 * 1024 })
    expect(stdout.toString()).not.toContain(seconds)
  })
})

/** Resolves once the script has printed a word. */
async function startMarked(mark: string, script: string) {
  const child = spawn('/bin/sh', ['-c', script], {
    env: { DROVER_OWNER: mark },
    stdio: ['ignore', 'pipe', 'ignore'],
    detached: true,
  })
  const exit = once(child, 'exit')
  await firstWords(child.stdout)
  return { pid: Number(child.pid), exit }
}

describe.skipIf(process.platform !== 'linux')('endMarkedProcesses', () => {
  it('ends every process with the mark, even one that ignores SIGTERM, and no other', async () => {
    const polite = await startMarked('a-mark-of-this-test', 'echo ready; sleep 300')
    const stubborn = await startMarked('a-mark-of-this-test', 'trap "" TERM; echo ready; while :; do sleep 1; done')
    const stranger = await startMarked('another-mark', 'echo ready; sleep 300')
    await endMarkedProcesses('a-mark-of-this-test')
    expect(await polite.exit).toEqual([null, 'SIGTERM'])
    expect(await stubborn.exit).toEqual([null, 'SIGKILL'])
    expect(process.kill(stranger.pid, 0)).toBe(true)
    process.kill(-stranger.pid, 'SIGKILL')
    await stranger.exit
  })

  it('returns at once if no process has the mark', async () => {
    await expect(endMarkedProcesses('a-mark-without-a-process')).resolves.toBeUndefined()
  })
})
