import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { describe, expect, it } from 'vitest'
import { command, firstWords, isRunning, program } from '../../../test/support/test-command.ts'
import { CAN_DROP_PRIVILEGES, evaluateUnprivileged } from '../../../test/support/unprivileged.ts'
import { until } from '../../../test/support/until.ts'
import { type ProcessCommand, runProcess, startProcess } from './process.ts'
import {
  endMarkedProcesses,
  isAlive,
  markEnvironment,
  type ProcessRow,
  ProcessTree,
  pickMembers,
  readPs,
  sendSignal,
} from './process-tree.ts'

const ROOT = { pid: 100, startTime: 5 }
const INIT = row({ pid: 1, parent: 0, startTime: 0 })

describe('pickMembers', () => {
  it.each<[string, ProcessRow[], number[]]>([
    ['no process, if only unrelated ones are left', [row({ pid: 7 })], []],
    ['the root, because it was seen at its start', [row(ROOT)], [100]],
    ['not who got the number of the root later', [row({ pid: 100, startTime: 9 })], []],
    ['a process with the id', [row({ pid: 7, marked: true })], [7]],
    ['a process in the group of the root', [row({ pid: 7, group: 100 })], [7]],
    [
      'no process of the group of a later process with the pid of the root',
      [row({ pid: 100, startTime: 9, group: 100 }), row({ pid: 7, group: 100 })],
      [],
    ],
    ['children and their children', [row({ pid: 9, parent: 8 }), row({ pid: 8, parent: 100 }), row(ROOT)], [100, 8, 9]],
    ['children of a process with the id', [row({ pid: 7, marked: true }), row({ pid: 8, parent: 7 })], [7, 8]],
    ['a process that was a member before', [row({ pid: 50, startTime: 6 })], [50]],
    ['not who got the number of one seen before', [row({ pid: 50, startTime: 7 })], []],
  ])('picks %s', (_name, rows, pids) => {
    const seen = new Map([
      [100, 5],
      [50, 6],
    ])
    const picked = pickMembers([INIT, ...rows], { root: ROOT, seen }).map(({ pid }) => pid)
    expect(picked.sort((a, b) => a - b)).toEqual(pids.sort((a, b) => a - b))
  })
})

describe.skipIf(process.platform !== 'linux')('a member', () => {
  it('is one process, not another one with its pid', async () => {
    const { pid, exit } = await startProcess(command(['sleep', '1']))
    const { root } = new ProcessTree({ pid: Number(pid), treeId: 'none' })
    const stranger = { ...root, startTime: root.startTime + 1 }
    expect(root.startTime).toBeGreaterThan(0)
    expect([isAlive(root), isAlive(stranger)]).toEqual([true, false])
    expect(sendSignal(stranger, 'SIGKILL')).toBe(true)
    expect(await exit).toMatchObject({ code: 0, signal: null })
    expect(isAlive(root)).toBe(false)
  })

  it.skipIf(!CAN_DROP_PRIVILEGES || process.getuid?.() !== 0)(
    'of another user counts as one that gets no signal',
    () => {
      const code = `
      const { root } = new module.ProcessTree({ pid: ${process.pid}, treeId: 'none' })
      const result = [module.isAlive(root), module.sendSignal(root, 'SIGWINCH')]`
      expect(evaluateUnprivileged(import.meta.resolve('./process-tree.ts'), code)).toEqual([true, false])
    },
  )
})

describe('what ps(1) tells, as on macOS', () => {
  it('has the parent, the group and the start of a process, and no zombie', async () => {
    const { pid, exit } = await startProcess(command(['sleep', '1']))
    const [alone] = readPs(Number(pid))
    expect(alone).toMatchObject({ pid, parent: process.pid, group: pid, marked: false })
    expect(Math.abs(Number(alone?.startTime) - Date.now() / 1000)).toBeLessThan(60)
    expect(readPs()).toContainEqual(alone)
    await exit
    expect(readPs(Number(pid))).toEqual([])
  })
})

describe('markEnvironment', () => {
  it('adds a new id to the environment', () => {
    const { treeId, env } = markEnvironment({ A: '1' })
    expect(treeId).toMatch(/^[0-9a-f]{16}$/)
    expect(env).toEqual({ A: '1', DROVER_TREE: treeId })
  })

  it('keeps the ids of the trees around it', () => {
    const outer = markEnvironment({})
    const inner = markEnvironment(outer.env)
    expect(inner.env).toEqual({ DROVER_TREE: `${outer.treeId}:${inner.treeId}` })
  })
})

function row(fields: Partial<ProcessRow> & { pid: number }): ProcessRow {
  return { parent: 1, group: fields.pid, startTime: 8, marked: false, ...fields }
}

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
