/** A disk that really is full or read-only: a small one of memory, where the system lets us make one. */
import { spawnSync } from 'node:child_process'
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { NO_USAGE } from '../../src/agents/adapter/token-usage.ts'
import { temporaryDirectoryForAll } from '../support/run-drover.ts'
import { portOf, serveDrover } from '../support/serve-drover.ts'
import { newSession, openStore } from '../support/session-store.ts'
import { ask } from '../support/start-server.ts'
import { until } from '../support/until.ts'

const disk = join(temporaryDirectoryForAll(), 'disk')
mkdirSync(disk)
const succeeds = (program: string, ...args: string[]) => spawnSync(program, args).status === 0
const remount = (mode: 'ro' | 'rw') => succeeds('mount', '-o', `remount,${mode}`, disk)
const isMounted = succeeds('mount', '-t', 'tmpfs', '-o', 'size=8m', 'tmpfs', disk)
const unavailable = (path: string, reason: string) =>
  expect.objectContaining({ code: 'session_store_unavailable', kind: 'unavailable', details: { path, reason } })

afterAll(() => void succeeds('umount', disk))

const filler = join(disk, 'filler')

/** Leaves no room, not even what a failed write gave back. */
function fill(): void {
  for (let bytes = 1 << 20; bytes >= 512; bytes /= 2) {
    try {
      for (;;) writeFileSync(filler, Buffer.alloc(bytes), { flag: 'a' })
    } catch {
      // As many as fit; now smaller ones.
    }
  }
}

describe.skipIf(!isMounted)('a disk that is full', () => {
  const path = join(disk, 'full', 'sessions.db')

  it('fails writes but not reads, loses nothing, and the end of a turn is saved once there is space', async () => {
    const store = await openStore({ path })
    const { id } = await store.create(newSession())
    fill()
    const full = unavailable(path, 'the disk is full')
    // Room that the file already has takes small writes; a large one needs more.
    await expect(store.create(newSession({ initial_prompt: 'x'.repeat(1 << 20) }))).rejects.toThrow(full)
    const errorMessage = 'y'.repeat(1 << 20)
    await expect(store.finishTurn(id, { outcome: 'error', usage: NO_USAGE, errorMessage })).rejects.toThrow(full)
    expect(await store.find(id)).toMatchObject({ status: 'active' })
    expect(await store.count()).toBe(1)
    rmSync(filler)
    expect(await store.count()).toBe(1)
    expect(await store.find(id)).toMatchObject({ status: 'error', error_message: errorMessage, turn_count: 1 })
  })
})

describe.skipIf(!isMounted)('the health of a server', () => {
  it('is 503 while its disk is full, although reading still works, and 200 again afterwards', async () => {
    const home = join(disk, 'served')
    mkdirSync(home, { mode: 0o700 })
    const serving = serveDrover(['--demo', '--port', '0'], { DROVER_HOME: home })
    const port = await portOf(serving)
    const becomes = async (status: number) =>
      await until(async () => (await ask({ port, path: '/health' })).status === status)
    await becomes(200)
    fill()
    await becomes(503)
    rmSync(filler)
    await becomes(200)
  })
})

describe.skipIf(!isMounted)('a disk that is read-only', () => {
  it('is reported when the store is opened', async () => {
    const path = join(disk, 'read-only', 'sessions.db')
    await (await openStore({ path })).close()
    expect(remount('ro')).toBe(true)
    try {
      await expect(openStore({ path })).rejects.toThrow(
        unavailable(
          path,
          'it cannot be opened; check the permissions of its directory, and whether its disk is read-only',
        ),
      )
    } finally {
      remount('rw')
    }
  })
})
