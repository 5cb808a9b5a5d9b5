import { chmodSync, existsSync, lstatSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { PLAIN_ENV } from '../../../test/support/git-repository.ts'
import { temporaryDirectory } from '../../../test/support/run-drover.ts'
import { createRepository } from '../../../test/support/temporary-repository.ts'
import { discoverWorkspace } from '../discover-workspace.ts'
import { locateGit } from '../git.ts'
import { puttingBack } from './put-back.ts'

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
  const around = async (work: () => void) =>
    await puttingBack({ git, workspace, signal }, async () => {
      work()
      return 'done'
    })
  const place = (path: string) => join(repository.root, path)
  return { ...repository, around, place, read: (path: string) => readFileSync(place(path), 'utf8') }
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

it('changes nothing if nothing was changed', async () => {
  const { around, place, git: ask } = await open()
  const before = [ask('status', '--porcelain'), lstatSync(place('kept')).mtimeMs]
  expect(await around(() => undefined)).toEqual({ result: 'done', paths: [] })
  expect([ask('status', '--porcelain'), lstatSync(place('kept')).mtimeMs]).toEqual(before)
})
