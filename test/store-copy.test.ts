import { spawn } from 'node:child_process'
import { on, once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, expect, it } from 'vitest'
import { openStores } from '../src/executions/store/open-stores.ts'
import { systemClock } from '../src/kit/clock.ts'
import { randomIds } from '../src/kit/ids.ts'
import type { OutboxEntry } from '../src/store/outbox.ts'
import { firstOf, IS_FULL } from './support/full-counts.ts'
import { createPostgresDatabase, POSTGRES_PROGRAMS, runSql } from './support/postgres.ts'
import { DROVER, ending, runDrover, temporaryDirectory } from './support/run-drover.ts'

const ENV = { DROVER_EXECUTIONS_KEEP: 'events', DROVER_STORE_MACHINE: 'here' }
const open = { clock: systemClock, ids: randomIds }

describe.skipIf(POSTGRES_PROGRAMS === undefined)('drover store copy', () => {
  it.runIf(IS_FULL)('copies sessions, executions, events and usage, once', async () => {
    const [home, url] = [temporaryDirectory(), await createPostgresDatabase()]
    const long = 'a long prompt '.repeat(8_000)
    for (const prompt of ['hello', long, '漢字']) {
      expect((await runDrover(['prompt', '--demo', prompt], { home, env: ENV })).code).toBe(0)
    }
    const file = await openStores({ ...open, path: join(home, '.drover', 'sessions.db') })
    const [first] = (await file.sessions.list({}, { limit: 1, offset: 0 })).sessions
    await file.sessions.edit(first?.id ?? '', { shared: true })
    const sent = { sent_at: '2026-11-18T10:00:00.000Z', by: { via: 'terminal' } } as const
    await file.sessions.messages.add(first?.id ?? '', { message_id: 'one', text: 'in knots', ...sent })
    await file.sessions.close()
    const database = new DatabaseSync(join(home, '.drover', 'sessions.db'))
    for (const table of ['sessions', 'executions', 'usage']) database.exec(`UPDATE ${table} SET key_id = 'key_ada'`)
    database.close()
    const copy = () => runDrover(['store', 'copy', 'sqlite:', url], { home, env: ENV })
    expect(await copy()).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('copied 3 sessions and 3 executions'),
    })
    const from = await openStores({ ...open, path: join(home, '.drover', 'sessions.db') })
    const to = await openStores({ ...open, postgres: { url, machine: 'here', deadAfterMs: 20_000 } })
    const { sessions } = await from.sessions.list({}, { limit: 9, offset: 0 })
    for (const { id } of sessions) expect(await to.sessions.find(id)).toEqual(await from.sessions.find(id))
    // What waits for the next turn still does, and more can be added.
    await to.sessions.messages.add(first?.id ?? '', { message_id: 'two', text: 'rounded', ...sent })
    expect((await to.sessions.messages.list(first?.id ?? '')).map(({ text }) => text)).toEqual(['in knots', 'rounded'])
    expect((await to.sessions.list({ search: 'LONG PROMPT' }, { limit: 9, offset: 0 })).total).toBe(1)
    const { executions } = await from.executions.list({}, { limit: 9 })
    for (const { id } of executions) {
      expect(await to.executions.find(id)).toEqual(await from.executions.find(id))
      const all = { after: 0, limit: 999 }
      expect(await to.executions.events(id, all)).toEqual(await from.executions.events(id, all))
    }
    expect(await to.executions.usage({})).toEqual(await from.executions.usage({}))
    expect((await to.sessions.seenBy('key_ada').list({}, { limit: 9, offset: 0 })).total).toBe(3)
    expect((await to.sessions.seenBy('key_bob').list({}, { limit: 9, offset: 0 })).total).toBe(1)
    expect((await to.executions.list({ keyId: 'key_ada' }, { limit: 9 })).executions).toHaveLength(3)
    expect((await to.executions.usage({ visibleTo: 'key_ada' })).totals.executions).toBe(3)
    await from.sessions.close()
    await to.sessions.close()
    expect(await copy()).toMatchObject({ stderr: expect.stringContaining('already has sessions') })
    const shown = await runDrover(['sessions', 'list', '--json'], { home, env: { ...ENV, DROVER_STORE_URL: url } })
    expect(JSON.parse(shown.stdout)).toMatchObject({ total: 3 })
  })

  it.runIf(IS_FULL)(
    'copies notifications: what waits is delivered in its order, and what was delivered is not sent again',
    async () => {
      const [home, url] = [temporaryDirectory(), await createPostgresDatabase()]
      const toEntry = (id: string) => ({ id, target: 'hook', stream: 'run', body: `about ${id}` })
      const known = ['sent', 'waiting', 'waiting too'].map(toEntry)
      const from = await openStores({ ...open, path: join(home, '.drover', 'sessions.db') })
      await from.outbox.add(known)
      await from.outbox.delivered((await from.outbox.take('hook')) as OutboxEntry)
      await from.sessions.close()
      expect(await runDrover(['store', 'copy', 'sqlite:', url], { home, env: ENV })).toMatchObject({ code: 0 })
      const to = await openStores({ ...open, postgres: { url, machine: 'here', deadAfterMs: 20_000 } })
      await to.outbox.add([...known, toEntry('new')])
      expect(await to.outbox.count()).toEqual([{ target: 'hook', waiting: 3, failed: 0 }])
      for (const id of ['waiting', 'waiting too', 'new']) {
        const next = (await to.outbox.take('hook')) as OutboxEntry
        expect(next).toMatchObject({ id, body: `about ${id}` })
        await to.outbox.delivered(next)
      }
      await to.sessions.close()
    },
  )
})

describe('a PostgreSQL store', () => {
  it.each(
    firstOf([
      ['that nothing listens at', 'postgres://drover:secret@127.0.0.1:1/drover', 'nothing listens at this address'],
      [
        'with an @ in its password',
        'postgres://drover:se@cret@127.0.0.1:1/drover',
        'postgres://127.0.0.1:1/drover cannot be used',
      ],
      ['with an address that is none', 'mysql://x', 'must be sqlite: or an address'],
    ]),
  )('%s is reported without its password', async (_, url, message) => {
    const ran = await runDrover(['sessions', 'list'], { env: { DROVER_STORE_URL: url } })
    expect([ran.code, ran.stderr]).toEqual([1, expect.stringContaining(message)])
    expect(ran.stdout + ran.stderr).not.toMatch(/secret|cret@/)
  })

  it.skipIf(POSTGRES_PROGRAMS === undefined)('of a newer drover is refused, with one sentence', async () => {
    const url = await createPostgresDatabase()
    await runSql(url, 'UPDATE schema_version SET version = 99, works_from = 98')
    const ran = await runDrover(['sessions', 'list'], { env: { DROVER_STORE_URL: url } })
    expect([ran.code, ran.stdout]).toEqual([1, ''])
    expect(ran.stderr).toMatch(/^drover: [^\n]*newer[^\n]*\n$/)
  })

  it.each([
    ['--store', ['serve', '--store', 'postgres://drover:hunter2@127.0.0.1:1/drover']],
    ['--store', ['work', '--store', 'postgres://127.0.0.1:1/drover?password=hunter2']],
    ['to', ['store', 'copy', 'sqlite:', 'postgres://drover:hunter2@127.0.0.1:1/drover']],
    ['to', ['store', 'copy', 'sqlite:', 'postgres://drover:x@hunter2@127.0.0.1:1/drover']],
  ])('has no password on the command line, where others can read it: %s', async (argument, args) => {
    const ran = await runDrover(args)
    expect([ran.code, ran.stdout]).toEqual([expect.any(Number), ''])
    expect(ran.stderr).toContain(
      `${argument} has a password, and other users and agents can read a program's arguments`,
    )
    expect([ran.code === 0, ran.stderr.includes('hunter2')]).toEqual([false, false])
  })

  it('gets the password of DROVER_STORE_URL if a copy names the same address', async () => {
    const server = createServer((socket) => {
      socket.on('error', () => {})
      // It asks for a password.
      socket.once('data', () => socket.write(Buffer.from('R\0\0\0\x08\0\0\0\x03', 'latin1')))
      socket.on('data', (message) => server.emit('message', message.toString()))
    }).listen(0, '127.0.0.1')
    await once(server, 'listening')
    const place = `127.0.0.1:${(server.address() as AddressInfo).port}/drover`
    const env = { HOME: temporaryDirectory(), DROVER_STORE_URL: `postgres://drover:pa55word@${place}` }
    const argv = [DROVER, 'store', 'copy', 'sqlite:', `postgres://drover@${place}`]
    const child = spawn(process.execPath, argv, { env })
    const ended = ending(child)
    const messages = on(server, 'message')
    await messages.next()
    expect((await messages.next()).value).toEqual(['p\0\0\0\rpa55word\0'])
    child.kill('SIGKILL')
    server.close()
    await ended
  })

  it('has no password in the settings that are shown', async () => {
    const env = { DROVER_STORE_URL: 'postgres://drover:pa55word@127.0.0.1:1/drover' }
    const ran = await runDrover(['config', 'show'], { env })
    expect(ran.stdout).toContain('postgres://drover:********@127.0.0.1:1/drover')
    expect(ran.stdout).not.toContain('pa55word')
  })
})
