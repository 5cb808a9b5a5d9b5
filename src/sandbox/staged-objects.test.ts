import { existsSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { createRepositoryAt } from '../../test/support/git-repository.ts'
import { temporaryDirectory } from '../../test/support/run-drover.ts'
import { StagedObjects } from './staged-objects.ts'

/** A repository with packs, and a clone that shares its objects, in which git has written a commit. */
function commitBeside(file: Readonly<Record<string, string>>) {
  const [origin, root] = [createRepositoryAt(join(temporaryDirectory(), 'repository')), temporaryDirectory()]
  for (const name of ['one', 'two', 'three']) origin.write(`folder/${name}`, name)
  origin.commit()
  origin.git('gc', '--quiet')
  origin.git('clone', '--quiet', '--shared', origin.root, root)
  const git = (...args: string[]) => origin.git('-C', root, ...args).trim()
  const hash = (text: string) => {
    origin.write('beside', text)
    return git('hash-object', '-w', join(origin.root, 'beside'))
  }
  for (const [name, text] of Object.entries(file))
    git('update-index', '--add', '--cacheinfo', `100644,${hash(text)},${name}`)
  const tree = git('write-tree')
  const tip = git('commit-tree', '-p', 'HEAD', '-m', 'Inside', tree)
  const places = { staged: join(root, '.git', 'objects'), real: join(origin.root, '.git', 'objects') }
  return { origin, tip, hash, places, tree }
}

const pathOf = (store: string, id: string) => join(store, id.slice(0, 2), id.slice(2))

describe('a commit that git has written inside', () => {
  it('is taken with all that it names, of which the rest is in a pack', () => {
    const { origin, tip, places } = commitBeside({ new: 'text' })
    expect(new StagedObjects(places).take([tip])).toBeUndefined()
    expect(origin.git('rev-list', '--objects', tip)).toContain('new')
    expect(origin.git('fsck', '--strict', tip)).toBe('')
  })

  it.each([
    [1000, true],
    [999, false],
  ])('with an object of 1000 bytes is taken if %i are allowed: %s', (limitBytes, isTaken) => {
    const header = 'blob 991\0'
    const { tip, places } = commitBeside({ big: 'x'.repeat(1000 - header.length) })
    expect(new StagedObjects(places, limitBytes).take([tip]) === undefined).toBe(isTaken)
    expect(existsSync(pathOf(places.real, tip))).toBe(isTaken)
  })

  it.each(['a blob', 'its tree', 'itself'])('is not taken without %s', (what) => {
    const { tip, tree, hash, places } = commitBeside({ new: 'text' })
    const id = { 'a blob': hash('text'), 'its tree': tree, itself: tip }[what] ?? ''
    rmSync(pathOf(places.staged, id))
    expect(new StagedObjects(places).take([tip])).toBe(`the object ${id} is missing`)
    expect(existsSync(pathOf(places.real, tip))).toBe(false)
  })
})
