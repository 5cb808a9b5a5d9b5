import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, expect, it } from 'vitest'
import { temporaryDirectory } from '../../../test/support/run-drover.ts'
import { removeTree } from './remove-tree.ts'

let folder: string
let tree: string

beforeEach(() => {
  folder = temporaryDirectory()
  tree = join(folder, 'tree')
  mkdirSync(join(tree, 'one', 'two'), { recursive: true })
  for (const name of ['a', 'one/b', 'one/two/c']) writeFileSync(join(tree, name), name)
})

it('removes a directory with everything in it, and what links lead to stays', async () => {
  const outside = join(folder, 'outside')
  mkdirSync(outside)
  writeFileSync(join(outside, 'file'), 'kept')
  symlinkSync(outside, join(tree, 'one', 'link'))
  await removeTree(tree)
  expect([existsSync(tree), readFileSync(join(outside, 'file'), 'utf8')]).toEqual([false, 'kept'])
})

it('removes a link, not the directory that it leads to', async () => {
  symlinkSync(tree, join(folder, 'link'))
  await removeTree(join(folder, 'link'))
  expect([existsSync(join(folder, 'link')), existsSync(join(tree, 'a'))]).toEqual([false, true])
})

it('does nothing if there is nothing, and throws if something cannot be removed', async () => {
  await expect(removeTree(join(folder, 'missing'))).resolves.toBeUndefined()
  await expect(removeTree(join(tree, 'a', 'below'))).rejects.toThrow('ENOTDIR')
})

it('lets other work run in between', async () => {
  for (let at = 0; at < 40; at += 1) writeFileSync(join(tree, `file-${at}`), '')
  const seen: boolean[] = []
  setImmediate(() => seen.push(existsSync(tree)))
  await removeTree(tree)
  expect([seen, existsSync(tree)]).toEqual([[true], false])
})
