import { describe, expect, it } from 'vitest'
import { identifyWorkspace, isSameWorkspace } from './identity.ts'

const places = { worktree_root: '/srv/repo', git_dir: '/srv/repo/.git', git_common_dir: '/srv/repo/.git' }
const identity = identifyWorkspace(places)

describe('identifyWorkspace', () => {
  it('has a fixed id for fixed paths', () => {
    expect(identity).toEqual({
      version: 1,
      ...places,
      id: 'sha256:017e548557a0b859715bdeb1a1e0e43d061b2b42e30c57ee399653dcc94a3048',
    })
  })

  it.each(['worktree_root', 'git_dir', 'git_common_dir'])('gives another id for another %s', (place) => {
    expect(identifyWorkspace({ ...places, [place]: '/elsewhere' }).id).not.toBe(identity.id)
  })
})

describe('isSameWorkspace', () => {
  it('holds for equal identities', () => {
    expect(isSameWorkspace(identity, { ...identity })).toBe(true)
  })

  it.each([
    ['version', 2],
    ['worktree_root', '/other'],
    ['git_dir', '/other'],
    ['git_common_dir', '/other'],
    ['id', `sha256:${'0'.repeat(64)}`],
  ])('does not hold when %s differs', (field, value) => {
    expect(isSameWorkspace(identity, { ...identity, [field]: value })).toBe(false)
  })
})
