import { mkdirSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { PLAIN_ENV, type Repository } from '../../test/support/git-repository.ts'
import { createRepository } from '../../test/support/temporary-repository.ts'
import { locateGit } from './git.ts'
import { findUnseenConfiguration } from './unseen-configuration.ts'

const git = locateGit({ env: PLAIN_ENV, cwd: '/' })

const find = async ({ root }: Repository) => {
  const { paths, isCut } = await findUnseenConfiguration({ root, git, signal: new AbortController().signal })
  return { paths: paths.map(({ path, observation }) => `${path} ${observation}`), isCut }
}

it('finds settings of agents that git ignores or that are in another repository, and no others', async () => {
  const repository = createRepository()
  repository.write('.gitignore', 'build/\n*.toml\n.env\nnode_modules/\n')
  repository.write('.claude/settings.json', '{}')
  repository.commit()
  for (const path of ['build/a/.gemini/settings.json', 'build/b.txt', '.codex/config.toml', '.env', 'ü/.grok/x.toml']) {
    repository.write(path, 'x')
  }
  repository.write('AGENTS.md', 'not ignored')
  repository.write('node_modules/p/.vscode/settings.json', 'of a package')
  symlinkSync('/nowhere', join(repository.root, 'build', '.Cursor'))
  repository.git('init', '--quiet', 'inner')
  mkdirSync(join(repository.root, 'inner', '.pi'))
  repository.write('inner/.pi/settings.json', '{}')
  expect(await find(repository)).toEqual({
    paths: [
      '.codex/config.toml regular',
      '.env regular',
      'build/.Cursor symlink',
      'build/a/.gemini/settings.json regular',
      'inner/.pi/settings.json regular',
      'ü/.grok/x.toml regular',
    ],
    isCut: false,
  })
})

it.each([
  [500, false],
  [501, true],
])('says of %i files whether there may be more: %s', async (count, isCut) => {
  const repository = createRepository()
  repository.write('.gitignore', '.claude/\n')
  for (let at = 0; at < count; at += 1) repository.write(`.claude/${at}`, '')
  const found = await find(repository)
  expect([found.paths.length, found.isCut]).toEqual([500, isCut])
})
