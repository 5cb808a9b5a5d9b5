import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, mkdirSync, readdirSync, readFileSync, statSync, truncateSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, expect, it } from 'vitest'
import { newSession, openStore, sessionsPath } from '../../test/support/session-store.ts'
import { program } from '../../test/support/test-command.ts'
import { openStores } from '../executions/store/open-stores.ts'
import { systemClock } from '../kit/clock.ts'
import { randomIds } from '../kit/ids.ts'
import { inspectStore } from './inspect-store.ts'
import { MIGRATIONS } from './migrations.ts'

/** The file of a store that was used and closed. */
async function usedStore(): Promise<string> {
  const path = sessionsPath()
  const { sessions: store } = await openStores({ path, clock: systemClock, ids: randomIds })
  for (let at = 0; at < 40; at++) await store.create(newSession({ initial_prompt: `${at} ${'x'.repeat(2_000)}` }))
  await store.close()
  return path
}

const NO_OWNERS = { alive: 0, dead: 0 }

/** Everything about the files of a directory that inspecting must not change. */
function snapshot(directory: string) {
  return readdirSync(directory, { recursive: true, encoding: 'utf8' })
    .toSorted()
    .map((name) => {
      const { mode, size, mtimeMs } = statSync(join(directory, name))
      return { name, mode, size, mtimeMs }
    })
}

describe('inspectStore', () => {
  it('finds no store and creates none', async () => {
    const path = sessionsPath()
    expect(await inspectStore(path)).toEqual({ store: undefined, owners: NO_OWNERS })
    expect(readdirSync(dirname(dirname(path)))).toEqual([])
  })

  it('does not change a store that no process has open', async () => {
    const path = await usedStore()
    const before = snapshot(dirname(path))
    expect(await inspectStore(path)).toEqual({
      store: {
        bytes: statSync(path).size,
        sessions: 40,
        form: MIGRATIONS.length,
        known: MIGRATIONS.length,
        damage: [],
        isExposed: false,
      },
      owners: NO_OWNERS,
    })
    expect(snapshot(dirname(path))).toEqual(before)
  })

  it('sees sessions in the write-ahead log, and the processes that use them', async () => {
    const store = await openStore({ path: sessionsPath() })
    const path = sessionsPath()
    const used = await openStore({ path })
    await used.create(newSession())
    await store.owner()
    const { store: found, owners } = await inspectStore(path)
    expect(found).toMatchObject({ sessions: 1, damage: [] })
    expect(found?.bytes).toBe(statSync(path).size + statSync(`${path}-wal`).size)
    expect(owners).toEqual({ alive: 1, dead: 0 })
  })

  it('counts the processes that died during a turn', async () => {
    const path = sessionsPath()
    const child = spawn(process.execPath, [program('session-work.ts'), path, 'forever'], {
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    await once(child.stdout, 'data')
    child.kill('SIGKILL')
    await once(child, 'close')
    const { store, owners } = await inspectStore(path)
    expect(store?.damage).toEqual([])
    expect(owners).toEqual({ alive: 0, dead: 1 })
  })

  it('reports that other users have access', async () => {
    const path = await usedStore()
    chmodSync(path, 0o640)
    expect((await inspectStore(path)).store?.isExposed).toBe(true)
    expect(statSync(path).mode & 0o777).toBe(0o640)
  })

  it('does not change an empty file', async () => {
    const path = sessionsPath()
    mkdirSync(dirname(path))
    writeFileSync(path, '', { mode: 0o600 })
    expect((await inspectStore(path)).store).toMatchObject({ bytes: 0, sessions: 0, form: 0 })
    expect(readdirSync(dirname(path))).toEqual(['sessions.db'])
  })
})

describe('a problem with the store', () => {
  it('is found in a file that can still be opened', async () => {
    const path = await usedStore()
    const bytes = readFileSync(path)
    // How many pages are free, which is none.
    bytes.writeUInt32BE(5, 36)
    writeFileSync(path, bytes)
    const { store } = await inspectStore(path)
    expect(store?.damage).toEqual([expect.stringMatching(/^Freelist: .*5$/)])
    expect(store?.sessions).toBe(40)
  })

  it.each([
    ['a file cut short', (path: string) => truncateSync(path, 5_000), 'session_store_invalid'],
    ['no database', (path: string) => writeFileSync(path, 'x'.repeat(8_192)), 'session_store_invalid'],
    [
      'the database of another program',
      (path: string) => new DatabaseSync(path).exec('PRAGMA application_id = 7'),
      'session_store_invalid',
    ],
    [
      'one of a newer drover',
      (path: string) => new DatabaseSync(path).exec('PRAGMA user_version = 99'),
      'session_store_newer',
    ],
  ])('is thrown: %s', async (_name, spoil, code) => {
    const path = await usedStore()
    spoil(path)
    await expect(inspectStore(path)).rejects.toMatchObject({ code })
  })

  it('is thrown for a directory', async () => {
    const path = sessionsPath()
    mkdirSync(path, { recursive: true })
    await expect(inspectStore(path)).rejects.toMatchObject({ code: 'session_store_invalid' })
  })
})
