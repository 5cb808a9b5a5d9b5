import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { temporaryDirectory } from '../../test/support/run-drover.ts'
import { createRepository } from '../../test/support/temporary-repository.ts'
import type { Execution } from '../executions/store/execution.shape.ts'
import { systemClock } from '../kit/clock.ts'
import { randomIds } from '../kit/ids.ts'
import { USER } from '../prompts/caller.ts'
import type { ComparedResult } from '../prompts/prompt-result.shape.ts'
import { discoverWorkspace } from '../workspace/discover-workspace.ts'
import { locateGit } from '../workspace/git.ts'
import { createWorktree } from '../workspace/worktrees/create-worktree.ts'
import { type ComparedParts, ComparedWork } from './show-comparison.ts'

const ID = `exec_${'a'.repeat(24)}`

/** What is left of a comparison of which drover was killed while it ran the checks. */
async function createCutOff() {
  const repository = createRepository()
  repository.write('a', 'one\n')
  repository.commit()
  const home = temporaryDirectory()
  const { signal } = new AbortController()
  const env = { PATH: '/usr/local/bin:/usr/bin:/bin' }
  const git = locateGit({ env, cwd: '/' })
  const around = { home, git, signal, clock: systemClock, ids: randomIds }
  const workspace = await discoverWorkspace({ start: repository.root, git, signal })
  const known = { repository: workspace, commit: 'HEAD', title: 'Show the wind' }
  const worktree = await createWorktree({ ...around, ...known, group: { id: ID, label: 'claude' } })
  writeFileSync(join(worktree.path, 'new'), 'knots\n')
  const lost = { state: 'lost', created_at: 'T', owner: '', last_seq: 0 } as const
  const compared: Execution = { ...lost, id: ID, kind: 'compare', workdir: repository.root }
  const part: Execution = {
    ...{ ...lost, id: `exec_${'b'.repeat(24)}`, kind: 'compare_backend', backend: 'claude' },
    ...{ state: 'completed', workdir: worktree.path },
    ...{ started_at: '2026-01-31T09:00:00.000Z', ended_at: '2026-01-31T09:00:03.700Z' },
  }
  const executions: ComparedParts['executions'] = {
    find: async (_by, id) => (id === ID ? compared : { ...part, result: { duration_ms: 3500 } }),
    list: async () => ({ executions: [part] }),
  }
  const parts = { executions, by: USER, worktrees: home, env, cwd: repository.root, signal }
  return { parts, worktree }
}

it('shows the work of a comparison that was killed during its checks, and says that they did not run', async () => {
  const { parts, worktree } = await createCutOff()
  const view = await new ComparedWork(parts).show(ID)
  expect(view).toMatchObject({
    ...{ state: 'lost', warnings: [expect.stringContaining('checks did not run')] },
    contenders: [
      { name: 'claude', work: 'open', worktree: { path: worktree.path, files: 1, insertions: 1, checks: [] } },
    ],
  })
})

it('has the time that the answer of an agent has, before the comparison has ended and after it was killed', async () => {
  const { parts } = await createCutOff()
  const { contenders } = await new ComparedWork(parts).show(ID)
  expect(contenders.map(({ duration_ms: time }) => time)).toEqual([3500])
})

it('has the directory of a comparison of answers, which only its parts know', async () => {
  const ended = { state: 'completed', created_at: 'T', owner: '', last_seq: 0 } as const
  const executions: ComparedParts['executions'] = {
    find: async () => ({ ...ended, id: ID, kind: 'compare' }),
    list: async () => ({
      executions: [
        { ...ended, id: `exec_${'b'.repeat(24)}`, kind: 'compare_backend', backend: 'claude', workdir: '/w' },
      ],
    }),
  }
  const parts = { executions, by: USER, worktrees: '/none', env: {}, cwd: '/', signal: new AbortController().signal }
  expect(await new ComparedWork(parts).show(ID)).toMatchObject({ workdir: '/w' })
})

/** A comparison that ended with this answer of claude. */
function createEnded(answer: Partial<ComparedResult>, more: Partial<Execution> = {}): ComparedParts {
  const ended = { state: 'completed', created_at: 'T', owner: '', last_seq: 0 } as const
  const none = { input_tokens: 0, output_tokens: 0, cached_tokens: 0, reasoning_tokens: 0 }
  const known = { session_id: '', backend: 'claude', exit_code: 0, duration_ms: 0, output: '', token_usage: none }
  const result = { backends: ['claude'], results: [{ ...known, ...answer }] }
  const execution = { ...ended, id: ID, kind: 'compare', result, ...more } as Execution
  const executions: ComparedParts['executions'] = {
    find: async () => execution,
    list: async () => ({ executions: [] }),
  }
  const env = { PATH: '/usr/local/bin:/usr/bin:/bin' }
  return { executions, by: USER, worktrees: '/none', env, cwd: '/', signal: new AbortController().signal }
}

it('has the answer, the model and tokens that mean the same for each agent, beside those that the agent reported', async () => {
  const token_usage = { input_tokens: 800, output_tokens: 100, cached_tokens: 1200, reasoning_tokens: 0 }
  const parts = createEnded({ output: 'Tabs.', model: 'house-1', duration_ms: 7, token_usage })
  expect((await new ComparedWork(parts).show(ID)).contenders).toEqual([
    {
      ...{ name: 'claude', backend: 'claude', state: 'completed', work: 'none', duration_ms: 7 },
      ...{ output: 'Tabs.', model: 'house-1', token_usage },
      usage: { input_tokens: 2000, output_tokens: 100, total_tokens: 2100 },
    },
  ])
})

it('has no tokens and no time of an agent that never began', async () => {
  const parts = createEnded({ exit_code: -1, error: 'canceled', error_code: 'canceled' }, { state: 'cancelled' })
  expect((await new ComparedWork(parts).show(ID)).contenders).toEqual([
    {
      ...{ name: 'claude', backend: 'claude', state: 'cancelled', work: 'none', output: '' },
      ...{ error: 'canceled', error_code: 'canceled' },
    },
  ])
})

it('shows its changes with new files, also if the agent has replaced .git', async () => {
  const { parts, worktree } = await createCutOff()
  const diff = () => new ComparedWork(parts).diff({ id: ID, name: 'claude' })
  const before = await diff()
  expect(before).toMatchObject({ id: ID, base: worktree.base, files: [{ path: 'new' }] })
  expect(before.patch).toContain('+knots')
  writeFileSync(join(worktree.path, '.git'), 'gitdir: /nowhere\n')
  expect(await diff()).toEqual(before)
  await expect(new ComparedWork(parts).diff({ id: ID, name: 'codex' })).rejects.toMatchObject({
    code: 'compared_work_gone',
  })
})
