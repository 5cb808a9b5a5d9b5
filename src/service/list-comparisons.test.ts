import { describe, expect, it } from 'vitest'
import type { FoundWorktree } from '../workspace/worktree-records.ts'
import type { ComparisonView } from './comparison.shape.ts'
import { summarizeView, toGroups } from './list-comparisons.ts'

const worktree = (group: string | undefined, label: string, more: Partial<FoundWorktree> = {}) =>
  ({ group, label, title: 'x'.repeat(201), created_at: 'T', repository: '/r', ...more }) as FoundWorktree

const ALL = [
  worktree('exec_aaaa1111', 'claude'),
  worktree('exec_aaaa1111', 'codex'),
  worktree('exec_aaaa2222', 'claude'),
  worktree('exec_bbbb3333', 'claude', { key_id: 'key_1' }),
  worktree(undefined, 'a run'),
]

describe('toGroups', () => {
  it('finds the comparisons of the user, or of one key, with the beginning of the prompt', () => {
    const [first, ...others] = toGroups(ALL, undefined)
    expect(first).toEqual({
      ...{ id: 'exec_aaaa1111', created_at: 'T', repository: '/r', prompt_start: 'x'.repeat(200) },
      contenders: [
        { name: 'claude', work: 'open' },
        { name: 'codex', work: 'open' },
      ],
    })
    expect(others.map(({ id }) => id)).toEqual(['exec_aaaa2222'])
    expect(toGroups(ALL, 'key_1').map(({ id }) => id)).toEqual(['exec_bbbb3333'])
  })
})

describe('summarizeView', () => {
  it('counts the checks, and leaves their output out', () => {
    const checks = [true, false, false].map((passed) => ({ command: 'x', passed, output: 'long' }))
    const base = { backend: 'claude', state: 'completed', work: 'open' }
    const contenders = [
      { ...base, name: 'claude', worktree: { repository: '/r', checks } },
      { ...base, name: 'codex', work: 'none' },
    ]
    const known = { id: 'exec_1', state: 'completed', created_at: 'T' }
    const view = { ...known, contenders } as unknown as ComparisonView
    const summary = summarizeView(view, { prompt: 'p', workdir: '/elsewhere' })
    expect(summary).toMatchObject({ repository: '/r', prompt_start: 'p' })
    const ofAnswers = { ...known, state: 'completed', contenders: [], workdir: '/w' } as const
    expect(summarizeView(ofAnswers, { prompt: 'p', workdir: undefined })).toMatchObject({ workdir: '/w' })
    expect(summary.contenders).toEqual([
      { ...base, name: 'claude', checks: { passed: 1, failed: 2 } },
      { ...base, name: 'codex', work: 'none' },
    ])
  })
})
