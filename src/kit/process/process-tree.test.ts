import { describe, expect, it } from 'vitest'
import { command } from '../../../test/support/test-command.ts'
import { CAN_DROP_PRIVILEGES, evaluateUnprivileged } from '../../../test/support/unprivileged.ts'
import { startProcess } from './process.ts'
import {
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
