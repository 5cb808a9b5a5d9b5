import { mkdirSync, realpathSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { temporaryDirectory } from '../../test/support/run-drover.ts'
import { findInnerRepositories } from './find-inner-repositories.ts'

/** Files by their paths. A path that ends in / is a directory, a content that begins with -> a link. */
function rootWith(files: Record<string, string>): string {
  const root = realpathSync(temporaryDirectory())
  for (const [path, content] of Object.entries(files)) {
    const place = join(root, path)
    mkdirSync(path.endsWith('/') ? place : dirname(place), { recursive: true })
    if (content.startsWith('->')) symlinkSync(content.slice(2), place)
    else if (!path.endsWith('/')) writeFileSync(place, content)
  }
  return root
}

function search(files: Record<string, string>, limits?: Parameters<typeof findInnerRepositories>[1]) {
  const root = rootWith(files)
  const { fixed, pinned, gap } = findInnerRepositories([root], limits)
  const short = (paths: readonly string[]) => paths.map((path) => path.slice(root.length + 1)).sort()
  return { fixed: short(fixed), pinned: short(pinned), gap: gap?.replace(root, '~') }
}

const bare = (at: string) => ({ [`${at}/HEAD`]: 'ref: refs/heads/main\n', [`${at}/objects/`]: '', [`${at}/refs/`]: '' })

describe('the repositories below a directory', () => {
  it.each<[string, Record<string, string>, string[], string[]]>([
    ['one', { 'a/.git/': '' }, ['a/.git'], ['a']],
    ['that of the directory itself', { '.git/': '', 'a/x': '' }, ['.git'], []],
    [
      'several, at any depth',
      { 'a/b/c/.git/': '', 'a/d/.git/': '' },
      ['a/b/c/.git', 'a/d/.git'],
      ['a', 'a/b', 'a/b/c', 'a/d'],
    ],
    ['one in another', { '.git/': '', 'a/.git/': '' }, ['.git', 'a/.git'], ['a']],
    ['a submodule', { '.git/modules/a/HEAD': '', 'a/.git': 'gitdir: ../.git/modules/a\n' }, ['.git', 'a/.git'], ['a']],
    [
      'a linked worktree of one with another name',
      {
        ...bare('own'),
        'own/worktrees/a/HEAD': '',
        'own/worktrees/a/commondir': '../..\n',
        '.git': 'gitdir: own/worktrees/a',
      },
      ['.git', 'own'],
      [],
    ],
    ['one that a file names elsewhere', { '.git': 'gitdir: x/git\n', 'x/git/HEAD': '' }, ['.git', 'x/git'], ['x']],
    ['one without files', bare('a/b.git'), ['a/b.git'], ['a']],
    [
      'settings that are linked',
      { 'a/.git/': '', 'a/.git/config': '->../../b/config', 'b/config': '' },
      ['a/.git', 'b/config'],
      ['a', 'b'],
    ],
    ['not what only looks like one', { 'a/HEAD': 'x', 'a/objects/': '', 'a/refs/': '' }, [], []],
    [
      'not those in packages, but packages that are one',
      { 'node_modules/a/.git/': '', 'b/node_modules/.git/': '' },
      ['b/node_modules/.git'],
      ['b', 'b/node_modules'],
    ],
    ['not those behind links', { 'a/.git/': '', b: '->a' }, ['a/.git'], ['a']],
  ])('are found: %s', (_, files, fixed, pinned) => {
    expect(search(files)).toEqual({ fixed, pinned, gap: undefined })
  })

  it.each<[string, Record<string, string>, Parameters<typeof findInnerRepositories>[1], string]>([
    ['a link', { 'a/.git': '->../b', 'b/': '' }, {}, '~/a/.git is a link, and could be replaced'],
    ['many files', { 'a/1': '', 'a/2': '' }, { maxEntries: 2 }, 'there are more than 2 files and directories'],
    ['many repositories', { '.git/': '', 'a/.git/': '' }, { maxRepositories: 1 }, 'there are more than 1 repositories'],
  ])('may not all be found: %s', (_, files, limits, gap) => {
    expect(search(files, limits).gap).toBe(gap)
  })

  it('are those of all directories, also if one is in another', () => {
    const root = rootWith({ 'a/b/.git/': '' })
    const fixed = [join(root, 'a/b/.git')]
    expect(findInnerRepositories([join(root, 'a'), root])).toMatchObject({
      fixed,
      pinned: [join(root, 'a'), join(root, 'a/b')],
    })
    expect(findInnerRepositories([root, '/nowhere'])).toMatchObject({ fixed, gap: undefined })
  })
})
