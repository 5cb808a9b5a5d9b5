import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { PLAIN_ENV } from '../../../test/support/git-repository.ts'
import { createRepository } from '../../../test/support/temporary-repository.ts'
import { locateGit } from '../git.ts'
import { listMissingParts } from './prepare-worktree.ts'

const git = locateGit({ env: PLAIN_ENV, cwd: '/' })
const signal = new AbortController().signal

it('names submodules that the user has filled, and files of Git LFS that are only pointers', async () => {
  const [repository, user] = [createRepository(), createRepository()]
  repository.write('.gitattributes', '*.bin filter=lfs\n')
  repository.write('data/a.bin', 'version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 1\n')
  repository.commit()
  const head = repository.git('rev-parse', 'HEAD').trim()
  repository.git('update-index', '--add', '--cacheinfo', `160000,${head},lib`)
  mkdirSync(join(user.root, 'lib'))
  const places = { git, root: repository.root, userTree: user.root, signal }
  const pointers = 'files of Git LFS such as data/a.bin are pointers; install git-lfs, or set up with: git lfs pull'
  expect(await listMissingParts(places)).toEqual([pointers])
  writeFileSync(join(user.root, 'lib', 'file'), '')
  const submodule = 'the submodule lib is empty; to fill it, set up with: git submodule update --init lib'
  expect(await listMissingParts(places)).toEqual([submodule, pointers])
})
