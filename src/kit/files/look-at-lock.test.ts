import { mkdirSync, readdirSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { temporaryDirectory } from '../../../test/support/run-drover.ts'
import { takeLock } from './lock.ts'
import { lookAtLock } from './look-at-lock.ts'

function open() {
  const directory = temporaryDirectory()
  return { directory, path: join(directory, 'x.lock') }
}

describe('looking at a lock', () => {
  it('makes none where there is none', async () => {
    const { directory, path } = open()
    expect(await lookAtLock(path)).toEqual({ is: 'absent' })
    expect(readdirSync(directory)).toEqual([])
  })

  it('tells one that is held from one that is free, and changes neither', async () => {
    const { directory, path } = open()
    const lock = await takeLock({ path, mode: 'exclusive' })
    expect(await lookAtLock(path)).toEqual({ is: 'held' })
    lock.release()
    const before = statSync(path)
    expect(await lookAtLock(path)).toEqual({ is: 'free' })
    expect(statSync(path).mtimeMs).toBe(before.mtimeMs)
    expect(readdirSync(directory)).toEqual(['x.lock'])
  })

  it('takes one that is held for reading for a free one', async () => {
    const { path } = open()
    writeFileSync(path, '')
    using _lock = await takeLock({ path, mode: 'shared' })
    expect(await lookAtLock(path)).toEqual({ is: 'free' })
  })

  it.each([
    ['a directory', (path: string) => mkdirSync(path), 'it is a directory'],
    ['a file with something in it', (path: string) => writeFileSync(path, 'x'), 'it is not empty'],
  ])('says that %s is no lock', async (_name, make, problem) => {
    const { path } = open()
    make(path)
    expect(await lookAtLock(path)).toEqual({ is: 'unusable', problem })
  })
})
