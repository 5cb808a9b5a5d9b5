import { mkdirSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { temporaryDirectory } from '../../test/support/run-drover.ts'
import type { Execution } from '../executions/store/execution.shape.ts'
import { EXECUTION_STATES } from '../executions/store/execution-states.ts'
import { executionNotFound } from '../executions/store/faults.ts'
import { takeLock } from '../kit/files/lock.ts'
import { type Caller, USER } from '../prompts/caller.ts'
import { type FoundWorktree, toUseLock } from '../workspace/worktree-records.ts'
import { type Choosing, checkName, chooseLast, chooseNamed, findGroup, refuseRunning } from './choose-comparison.ts'
import { firstLine, toLabels } from './comparison-worktrees.ts'

const worktree = (group: string | undefined, label: string | undefined, more: Partial<FoundWorktree> = {}) =>
  ({
    ...{ group, label, title: `task ${group}`, git_common_dir: '/r/.git', created_at: `T${group?.at(-1)}`, ...more },
    name: `${group}-${label}`,
  }) as FoundWorktree

const ALL = [
  worktree('exec_aaaa1', 'claude'),
  worktree('exec_aaaa1', 'gemini'),
  worktree('exec_aaaa2', 'claude'),
  worktree('exec_aaaa2', 'codex'),
  worktree('exec_aaaa3', 'codex', { git_common_dir: '/other/.git' }),
  worktree('exec_bbbb4', 'claude', { key_id: 'key_1', git_common_dir: '/shared/.git' }),
  worktree(undefined, 'a run'),
]

const NOTHING_RECORDED: Choosing['executions'] = {
  find: async (_by, id) => {
    throw executionNotFound({ id })
  },
  list: async () => ({ executions: [] }),
}

const choosing = {
  ...{ worktrees: ALL, executions: NOTHING_RECORDED, by: USER },
  ...{ git: { env: {}, timeoutMs: 1 } as Choosing['git'], signal: new AbortController().signal },
}
const namesOf = async (chosen: Promise<FoundWorktree[]>) => (await chosen).map(({ name }) => name)

describe('chooseLast', () => {
  it('finds the newest one in the repository, and none of a key', async () => {
    expect(await namesOf(chooseLast('/r/.git', choosing))).toEqual(['exec_aaaa2-claude', 'exec_aaaa2-codex'])
    await expect(chooseLast('/shared/.git', choosing)).rejects.toThrow('no worktrees from a comparison')
  })
})

describe('chooseNamed', () => {
  it('finds one by its id or the beginning of it, and says that others never were', async () => {
    expect(await namesOf(chooseNamed('aaaa1', choosing))).toEqual(['exec_aaaa1-claude', 'exec_aaaa1-gemini'])
    await expect(chooseNamed('exec_bbbb4', choosing)).rejects.toThrow('there is no comparison "exec_bbbb4"')
    await expect(chooseNamed('zzzz', choosing)).rejects.toMatchObject({ code: 'comparison_unknown' })
    await expect(chooseNamed('exec_aaa', choosing)).rejects.toThrow(
      '"exec_aaa" is too short to name a comparison; give',
    )
  })
})

it('the user of the machine has what commands have started, also with a login to the console', async () => {
  const by: Caller = { is: 'client', role: 'operator', key: { id: 'key_console', name: 'console' }, isUser: true }
  expect(await namesOf(chooseLast('/r/.git', { ...choosing, by }))).toHaveLength(2)
  await expect(chooseLast('/shared/.git', { ...choosing, by })).rejects.toMatchObject({ code: 'comparison_not_found' })
  const { isUser: _, ...operator } = by
  await expect(chooseLast('/r/.git', { ...choosing, by: operator })).rejects.toMatchObject({
    code: 'comparison_not_found',
  })
})

describe('refuseRunning', () => {
  const inState = (state: Execution['state']): Choosing['executions'] => ({
    ...NOTHING_RECORDED,
    find: async (_by, id) => ({ id, state, kind: 'compare', created_at: 'T', owner: '', last_seq: 0 }),
  })

  it('refuses a comparison that has not ended', async () => {
    const worktrees = ALL.slice(0, 2).map((each) => ({ ...each, directory: '/nowhere' }))
    const refused: string[] = []
    for (const state of EXECUTION_STATES) {
      const ask = refuseRunning(worktrees, { executions: inState(state), by: USER })
      await ask.catch((error: Error) => refused.push(`${state}: ${error.message}`))
    }
    const says =
      'comparison aaaa1 is still running; wait for its end with "drover logs -f aaaa1" and try again ("drover cancel aaaa1" ends it, and drops what its agents have changed)'
    expect(refused).toEqual([`queued: ${says}`, `running: ${says}`])
  })

  it('refuses one that is not recorded as long as a process works in any of its worktrees', async () => {
    const home = temporaryDirectory()
    const worktrees = ALL.slice(0, 2).map((each) => ({ ...each, directory: `${home}/${each.name}` }))
    for (const { directory } of worktrees) mkdirSync(directory)
    const ask = () => refuseRunning(worktrees, choosing)
    const lock = await takeLock({ path: toUseLock({ directory: `${home}/exec_aaaa1-gemini` }), mode: 'exclusive' })
    await expect(ask()).rejects.toMatchObject({ code: 'comparison_running', details: { id: 'exec_aaaa1' } })
    lock.release()
    await expect(ask()).resolves.toBeUndefined()
  })
})

describe('findGroup', () => {
  it('takes at least four characters, and only one comparison', () => {
    expect(['exec_aaaa1', 'aaaa2', 'bbbb'].map((given) => findGroup(ALL, given))).toEqual([
      ...['exec_aaaa1', 'exec_aaaa2', 'exec_bbbb4'],
    ])
    for (const given of ['bbb', 'cccc', '']) expect(findGroup(ALL, given)).toBeUndefined()
    expect(() => findGroup(ALL, 'aaaa')).toThrow('several execution ids begin with aaaa')
  })
})

describe('checkName', () => {
  it('names those that took part', () => {
    checkName(ALL.slice(2, 4), 'codex')
    expect(() => checkName(ALL.slice(2, 4), 'gemini')).toThrow('name one of claude, codex')
  })
})

describe('firstLine', () => {
  it('leaves out what follows the first line with text', () => {
    expect(firstLine('\n  Fix the wind \r\n\nThe file "a":\n```\nsecret\n```')).toBe('Fix the wind')
    expect(firstLine(' \n')).toBe('')
  })
})

describe('toLabels', () => {
  it('numbers an agent that takes part more than once', () => {
    expect(toLabels(['codex', 'claude', 'codex', 'codex'])).toEqual(['codex', 'claude', 'codex-2', 'codex-3'])
  })
})
