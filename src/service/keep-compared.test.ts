import { describe, expect, it } from 'vitest'
import type { FoundWorktree } from '../workspace/worktree-records.ts'
import { toLabels } from './comparison-worktrees.ts'
import { findComparison } from './comparisons.ts'

const worktree = (group: string | undefined, label: string | undefined, git_common_dir = '/r/.git') =>
  ({ group, label, git_common_dir, name: `${group}-${label}` }) as unknown as FoundWorktree

const ALL = [
  worktree('1', 'claude'),
  worktree('1', 'gemini'),
  worktree('2', 'claude'),
  worktree('2', 'codex'),
  worktree(undefined, undefined),
  worktree('3', 'codex', '/other/.git'),
]

const find = (name: string | undefined, gitCommonDir = '/r/.git') =>
  findComparison(ALL, { gitCommonDir, name, keyId: undefined }).map((each) => each.name)

describe('findComparison', () => {
  it.each([
    ['the newest one', undefined, ['2-claude', '2-codex']],
    ['the newest one, which has this name', 'claude', ['2-claude', '2-codex']],
  ])('finds %s', (_what, name, found) => {
    expect(find(name)).toEqual(found)
  })

  it('names those that took part in the last one', () => {
    for (const name of ['nobody', 'gemini']) expect(() => find(name)).toThrow('name one of claude, codex')
    expect(() => find('codex', '/nowhere')).toThrow('no worktrees from a comparison')
  })
})

describe('toLabels', () => {
  it('numbers an agent that takes part more than once', () => {
    expect(toLabels(['codex', 'claude', 'codex', 'codex'])).toEqual(['codex', 'claude', 'codex-2', 'codex-3'])
  })
})
