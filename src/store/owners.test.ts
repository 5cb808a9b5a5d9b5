import { existsSync, lstatSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { temporaryDirectory } from '../../test/support/run-drover.ts'
import { randomIds } from '../kit/ids.ts'
import { FileOwners } from './owners.ts'

const UNKNOWN_OWNER = '0'.repeat(32)

let directory: string
beforeEach(() => {
  directory = join(temporaryDirectory(), 'owners')
})

function process(): FileOwners {
  const owners = new FileOwners({
    directory,
    ids: randomIds,
    findOwners: async () => [],
    endAgentsOf: async () => {},
    endWorkOf: async () => 0,
  })
  onTestFinished(() => owners.release())
  return owners
}
/** Whether `one` finds the process of that name dead, and how often it then did the work. */
async function checkDead(one: FileOwners, name: string): Promise<{ isDead: boolean; done: number }> {
  let done = 0
  const isDead = await one.ifDead({ name, waitMs: 0 }, async () => {
    done += 1
  })
  return { isDead, done }
}

describe('the name of a process', () => {
  it('is created on first use, and stays', async () => {
    const owners = process()
    expect(await owners.takenName()).toBeUndefined()
    expect(existsSync(directory)).toBe(false)
    const names = await Promise.all([owners.name(), owners.name()])
    expect(names).toEqual([await owners.takenName(), await owners.takenName()])
    expect(names[0]).toMatch(/^[0-9a-f]{32}$/)
    expect(readdirSync(directory)).toEqual([`${names[0]}.lock`])
    expect(lstatSync(directory).mode).toBe(0o040700)
  })

  it('can be created after an earlier attempt failed', async () => {
    writeFileSync(directory, '')
    const owners = process()
    await expect(owners.name()).rejects.toThrow(expect.objectContaining({ code: 'directory_unusable' }))
    expect(await owners.takenName()).toBeUndefined()
  })

  it('is removed when it is released', async () => {
    const owners = process()
    await owners.name()
    await owners.release()
    expect(readdirSync(directory)).toEqual([])
  })
})

describe('ifDead', () => {
  it('reports no holder of a lock as dead, not even itself', async () => {
    const [one, other] = [process(), process()]
    expect(await checkDead(one, await one.name())).toEqual({ isDead: false, done: 0 })
    expect(await checkDead(one, await other.name())).toEqual({ isDead: false, done: 0 })
    expect(readdirSync(directory)).toHaveLength(2)
  })

  it('reports a process without a lock as dead, and removes its lock file', async () => {
    const [one, other] = [process(), process()]
    const name = await other.name()
    await other.release()
    writeFileSync(join(directory, `${UNKNOWN_OWNER}.lock`), '')
    expect(await checkDead(one, name)).toEqual({ isDead: true, done: 1 })
    expect(await checkDead(one, UNKNOWN_OWNER)).toEqual({ isDead: true, done: 1 })
    expect(readdirSync(directory)).toEqual([])
  })

  it('keeps the lock file until the work succeeded', async () => {
    mkdirSync(directory)
    writeFileSync(join(directory, `${UNKNOWN_OWNER}.lock`), '')
    const failure = new Error('no')
    const one = process()
    await expect(one.ifDead({ name: UNKNOWN_OWNER, waitMs: 0 }, () => Promise.reject(failure))).rejects.toBe(failure)
    expect(readdirSync(directory)).toEqual([`${UNKNOWN_OWNER}.lock`])
    expect(await checkDead(one, UNKNOWN_OWNER)).toEqual({ isDead: true, done: 1 })
  })

  it('assumes that a process of unknown status is alive', async () => {
    mkdirSync(directory)
    writeFileSync(join(directory, `${UNKNOWN_OWNER}.lock`), 'not a lock')
    expect(await checkDead(process(), UNKNOWN_OWNER)).toEqual({ isDead: false, done: 0 })
    expect(readdirSync(directory)).toEqual([`${UNKNOWN_OWNER}.lock`])
  })

  it('waits for another process that does the same', async () => {
    const one = process()
    let finish = () => {}
    const begun = new Promise<void>((begin) => {
      onTestFinished(() => finish())
      void one.ifDead({ name: UNKNOWN_OWNER, waitMs: 0 }, () => {
        begin()
        return new Promise<void>((resolve) => {
          finish = resolve
        })
      })
    })
    await begun
    expect(await checkDead(one, UNKNOWN_OWNER)).toEqual({ isDead: false, done: 0 })
    const waiting = one.ifDead({ name: UNKNOWN_OWNER, waitMs: 20_000 }, async () => undefined)
    finish()
    expect(await waiting).toBe(true)
    expect(readdirSync(directory)).toEqual([])
  })
})

describe('list', () => {
  it('returns the names of lock files, and ignores other files', async () => {
    const one = process()
    expect(one.list()).toEqual([])
    const name = await one.name()
    for (const file of ['notes.txt', 'abc.lock', `${UNKNOWN_OWNER}.lock.old`]) writeFileSync(join(directory, file), '')
    expect(one.list()).toEqual([name])
  })
})
