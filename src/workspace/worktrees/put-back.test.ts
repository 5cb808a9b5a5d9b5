import { chmodSync, existsSync, lstatSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { PLAIN_ENV, type Repository } from '../../../test/support/git-repository.ts'
import { temporaryDirectory } from '../../../test/support/run-drover.ts'
import { createRepository } from '../../../test/support/temporary-repository.ts'
import { discoverWorkspace } from '../discover-workspace.ts'
import { locateGit } from '../git.ts'
import { puttingBack, removeUntracked } from './put-back.ts'

const git = locateGit({ env: PLAIN_ENV, cwd: '/' })
const { signal } = new AbortController()

async function open() {
  const repository = createRepository()
  repository.write('.gitignore', 'cache\n')
  for (const name of ['kept', 'changed', 'deleted', 'program', 'replaced']) repository.write(name, `${name}\n`)
  repository.commit()
  // Changes from before: neither committed nor staged.
  repository.write('changed', 'by a person\n')
  repository.write('new/mine', 'mine\n')
  const workspace = await discoverWorkspace({ start: repository.root, git, signal })
  const around = async (work: () => void, what: { createdOnly?: true } = {}) =>
    await puttingBack({ git, workspace, signal, ...what }, async () => {
      work()
      return 'done'
    })
  const place = (path: string) => join(repository.root, path)
  const remove = async (path: string) => await removeUntracked({ git, workspace, signal }, () => [path])
  return { ...repository, around, remove, place, read: (path: string) => readFileSync(place(path), 'utf8') }
}

it('puts back what was changed, created and deleted, and keeps changes from before and ignored files', async () => {
  const { around, place, read, git: ask, write } = await open()
  const before = ask('status', '--porcelain')
  const outside = temporaryDirectory()
  writeFileSync(join(outside, 'file'), 'outside\n')
  const { result, paths } = await around(() => {
    for (const path of ['changed', 'new/mine', 'created', 'folder/created', 'cache']) write(path, 'by a check\n')
    rmSync(place('deleted'))
    chmodSync(place('program'), 0o755)
    rmSync(place('replaced'))
    mkdirSync(place('replaced'))
    write('replaced/inside', '')
    symlinkSync(outside, place('link'))
    writeFileSync(Buffer.concat([Buffer.from(place('')), Buffer.from([0xff])]), '')
    // With this rule, git would ignore a file that was created.
    write('.gitignore', 'cache\ncreated\n')
  })
  expect([result, ask('status', '--porcelain')]).toEqual(['done', before])
  expect(paths).toEqual(
    expect.arrayContaining([
      'changed',
      'deleted',
      'folder/created',
      'link',
      'new/mine',
      'program',
      'replaced',
      'created',
    ]),
  )
  expect(paths).not.toContain('kept')
  expect([read('changed'), read('new/mine'), read('deleted')]).toEqual(['by a person\n', 'mine\n', 'deleted\n'])
  expect([read('cache'), read('replaced'), lstatSync(place('program')).mode & 0o111]).toEqual([
    ...['by a check\n', 'replaced\n', 0],
  ])
  expect([existsSync(place('created')), readFileSync(join(outside, 'file'), 'utf8')]).toEqual([false, 'outside\n'])
})

it.each([
  ['staged', (ask: Repository['git']) => ask('add', '--all')],
  ['unstaged', (ask: Repository['git']) => ask('rm', '--cached', '--quiet', 'kept', 'program')],
])('puts back what was %s', async (_, change) => {
  const { around, git: ask, write, read } = await open()
  write('program', 'staged by a person\n')
  ask('add', 'program')
  const seen = () => [ask('status', '--porcelain'), ask('diff', '--cached')]
  const before = seen()
  await around(() => {
    write('changed', 'by a check\n')
    write('created', 'by a check\n')
    change(ask)
    expect(seen()).not.toEqual(before)
  })
  expect([...seen(), read('changed'), read('program')]).toEqual([...before, 'by a person\n', 'staged by a person\n'])
})

it.each([
  ['is replaced by a link', (index: string) => symlinkSync('/dev/null', index)],
  ['is replaced by a directory', (index: string) => mkdirSync(index)],
  ['is deleted', () => undefined],
])('puts the index back if it %s', async (_, replace) => {
  const { around, place, git: ask } = await open()
  const before = ask('status', '--porcelain')
  await around(() => {
    rmSync(place('.git/index'))
    replace(place('.git/index'))
  })
  expect(ask('status', '--porcelain')).toBe(before)
})

it('removes an index that was not there before', async () => {
  const { around, place, git: ask } = await open()
  rmSync(place('.git/index'))
  await around(() => void ask('add', '--all'))
  expect(existsSync(place('.git/index'))).toBe(false)
})

it('changes nothing if nothing was changed', async () => {
  const { around, place, git: ask } = await open()
  const before = [ask('status', '--porcelain'), lstatSync(place('kept')).mtimeMs]
  expect(await around(() => undefined)).toEqual({ result: 'done', paths: [] })
  expect([ask('status', '--porcelain'), lstatSync(place('kept')).mtimeMs]).toEqual(before)
})

it('removes only what was created, and unstages it', async () => {
  const { around, place, read, git: ask, write } = await open()
  const { paths } = await around(
    () => {
      for (const path of ['changed', 'new/mine', 'created', 'new/created', 'cache']) write(path, 'by a check\n')
      rmSync(place('deleted'))
      ask('add', 'created')
    },
    { createdOnly: true },
  )
  expect(paths).toEqual(['created', 'new/created'])
  expect([read('changed'), read('new/mine'), read('cache')]).toEqual(Array(3).fill('by a check\n'))
  expect(ask('status', '--porcelain').split('\n').sort().join('\n').trim()).toBe('D deleted\n M changed\n?? new/')
})

it('removes an untracked file that was chosen, and no tracked one', async () => {
  const { remove, place } = await open()
  expect(await remove('new/mine')).toEqual(['new/mine'])
  expect(existsSync(place('new/mine'))).toBe(false)
  expect(await remove('changed')).toEqual([])
  expect(existsSync(place('changed'))).toBe(true)
})
