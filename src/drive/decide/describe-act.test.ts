import { expect, it } from 'vitest'
import type { Act } from '../record/act-state.ts'
import { describeAct } from './describe-act.ts'

const by = { via: 'key', name: 'ada' } as const
const [commit, at, branch] = ['0123456789abcdef', '2026-01-31T10:00:00.000Z', 'drover/wind']

it.each<[Act, string, string?]>([
  [{ type: 'merged', at, data: { by, into: 'main', commit, how: 'merge_commit' } }, 'merged into main as 0123456789ab'],
  [{ type: 'merged', at, data: { by, into: 'main', commit, how: 'by_hand' } }, 'merged into main before'],
  [{ type: 'pull_request_opened', at, data: { by, url: 'https://x/1' } }, 'pull request https://x/1 opened'],
  [
    { type: 'discarded', at, data: { by, branch, commit, ref: 'r', until: at } },
    'discarded',
    `; commit 0123456789ab is kept until ${at}`,
  ],
  [
    { type: 'discarded', at, data: { by, branch } },
    'discarded',
    '; it had changed nothing, so there was nothing to delete',
  ],
  [{ type: 'discard_undone', at, data: { by, branch, commit } }, 'brought back to drover/wind'],
  [{ type: 'discard_undone', at, data: { by, branch } }, 'brought back'],
  [{ type: 'taken', at, data: { by, branch, root: '/src' } }, 'checked out in /src'],
])('%j is described as %s', (act, text, after = '') => {
  expect(describeAct(act)).toBe(`${text} by ada (key)${after}`)
})

it('of a client without a key names no one', () => {
  const act = { type: 'merged', at, data: { by: { via: 'none' }, into: 'main', commit, how: 'merge_commit' } } as const
  expect(describeAct(act)).toBe('merged into main as 0123456789ab')
})
