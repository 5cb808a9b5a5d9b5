import { describe, expect, it } from 'vitest'
import { treeOf } from '../../../test/support/drive-fixture.ts'
import type { GitObservation, PathObservation } from '../../contract/git-observation.shape.ts'
import { changedPaths, changedUnseen, hasOtherGitConfiguration, toTree, unreadPaths } from './tree.ts'

const A = { path: 'a', observation: 'regular', content_sha256: 'sha256:1' } as unknown as PathObservation
const B = {
  path: 'b',
  observation: 'content_unobserved',
  size: 7,
  modified_unix_nano: '9',
} as unknown as PathObservation
const GIT = {
  ...{ head: 'h', snapshot_hash: 's', content_observation_complete: true },
  ...{ path_count: 2, path_observations: [A, B] },
} as unknown as GitObservation
const NONE = { leftOut: 0, unseen: { paths: [], isCut: false } }

describe('a tree', () => {
  it('has a mark of the content of each path', () => {
    expect(toTree(GIT, NONE)).toEqual({
      ...{ head: 'h', snapshot: 's', is_complete: true },
      paths: { a: 'regular sha256:1', b: 'content_unobserved 7 9' },
    })
  })

  it('is not complete if paths are missing, or if their content was not read', () => {
    expect(toTree(GIT, { ...NONE, paths: [A] })).toMatchObject({ is_complete: false, is_cut: true })
    const unread = { ...GIT, content_observation_complete: false } as GitObservation
    const tree = toTree(unread, NONE)
    expect([tree.is_complete, tree.is_cut]).toEqual([false, undefined])
  })

  it('tells how many paths it leaves out, and what git does not show', () => {
    expect(toTree(GIT, { leftOut: 3, unseen: { paths: [A], isCut: true } })).toMatchObject({
      ...{ left_out: 3, configuration: { a: 'regular sha256:1' }, configuration_is_cut: true },
    })
  })

  it('knows the paths that were not read', () => {
    const paths = { a: 'regular 1', b: 'unreadable 1', c: 'content_unobserved 1', d: 'not unreadable 1' }
    expect(unreadPaths(treeOf(paths))).toEqual(['b', 'c'])
  })
})

describe('two trees', () => {
  it('differ in paths that were added, removed, changed or committed, each once and sorted', () => {
    const [before, after] = [treeOf({ z: '1', same: '1', gone: '1' }), treeOf({ z: '2', same: '1', added: '1' })]
    expect(changedPaths(before, after, ['committed', 'z'])).toEqual(['added', 'committed', 'gone', 'z'])
    expect(changedPaths(before, before, [])).toEqual([])
  })

  it('differ in what git does not show', () => {
    const tree = treeOf()
    const other = { ...tree, configuration: { '.z': '1', '.env': '1' } }
    expect(changedUnseen(tree, other)).toEqual(['.env', '.z'])
    expect(changedUnseen(other, { ...tree, configuration: { '.z': '2', '.env': '1' } })).toEqual(['.z'])
    expect(changedUnseen(tree, tree)).toEqual([])
  })

  it.each([
    [true, '.git'],
    [true, '.git/config'],
    [false, '.gitmodules'],
    [false, 'vendor/.git/config'],
    [false, '.env'],
  ])('differ (%s) in what git runs if %s has changed', (expected, path) => {
    const tree = treeOf()
    const before = { ...tree, configuration: { '.claude': '1', [path]: '1' } }
    expect(hasOtherGitConfiguration(before, { ...tree, configuration: { [path]: '2' } })).toBe(expected)
    expect(hasOtherGitConfiguration(before, before)).toBe(false)
  })
})
