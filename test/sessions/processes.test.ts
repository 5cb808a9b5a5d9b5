/** Several processes on one file of sessions, some of which are killed. */
import { type ChildProcessByStdio, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { createInterface, type Interface } from 'node:readline'
import type { Readable, Writable } from 'node:stream'
import { describe, expect, it, onTestFinished } from 'vitest'
import type { SessionStore } from '../../src/sessions/session-store.ts'
import { firstOf, IS_FULL } from '../support/full-counts.ts'
import { newSession, openStore, sessionsPath } from '../support/session-store.ts'

const PROGRAMS = join(import.meta.dirname, '..', 'programs')
const ABANDONED = 'the process that ran this turn ended before the agent did'

type Program = { child: ChildProcessByStdio<Writable, Readable, null>; lines: Interface }

function start(program: string, ...args: string[]): Program {
  const child = spawn(process.execPath, [join(PROGRAMS, program), ...args], { stdio: ['pipe', 'pipe', 'inherit'] })
  onTestFinished(() => void child.kill('SIGKILL'))
  return { child, lines: createInterface(child.stdout) }
}
async function firstLine({ lines }: Program): Promise<string> {
  const [line] = await once(lines, 'line')
  return line
}
/** All that a program says until it ends. */
async function allLines({ child, lines }: Program): Promise<string[]> {
  const said: string[] = []
  lines.on('line', (line) => said.push(line))
  const [[code]] = await Promise.all([once(child, 'exit'), once(lines, 'close')])
  expect(code).toBe(0)
  return said
}
/** The output of a program that is killed some time after it printed the given number of lines. */
async function killAfter({ child, lines }: Program, count: number): Promise<string[]> {
  const said: string[] = []
  lines.on('line', (line) => {
    said.push(line)
    if (said.length === count) child.kill('SIGKILL')
  })
  await Promise.all([once(child, 'exit'), once(lines, 'close')])
  return said
}
async function allIds(store: SessionStore): Promise<Set<string>> {
  const { sessions } = await store.list({}, { limit: 10_000, offset: 0 })
  return new Set(sessions.map(({ id }) => id))
}

describe('two processes', () => {
  it.runIf(IS_FULL)(
    'that write hundreds of sessions each at the same time lose none',
    async () => {
      const each = IS_FULL ? 1000 : 100
      const path = sessionsPath()
      const said = await Promise.all([
        allLines(start('session-work.ts', path, String(each), 'one')),
        allLines(start('session-work.ts', path, String(each), 'two')),
      ])
      const store = await openStore({ path })
      const ids = said.flatMap(([_owner, ...own]) => own)
      expect(await allIds(store)).toEqual(new Set(ids))
      const totals = (['one', 'two'] as const).map(
        async (tag) => (await store.list({ tag }, { limit: 1, offset: 0 })).total,
      )
      expect(await Promise.all([store.count(), ...totals])).toEqual([2 * each, each, each])
      expect(readdirSync(dirname(path)).toSorted()).toEqual([
        'owners',
        'sessions.db',
        'sessions.db-shm',
        'sessions.db-wal',
      ])
    },
    120_000,
  )
})

describe('a process that is killed while it writes', () => {
  it.each(firstOf([1, 10, 57]))('after %i answers has lost nothing that it reported as stored', async (count) => {
    const path = sessionsPath()
    const [owner = '', ...ids] = await killAfter(start('session-work.ts', path, 'forever'), count + 1)
    const store = await openStore({ path })
    const stored = await allIds(store)
    expect(ids.filter((id) => !stored.has(id))).toEqual([])
    const { total: active } = await store.list({ status: 'active' }, { limit: 1, offset: 0 })
    expect(await store.endAbandonedTurns()).toEqual({ ended: active, deadOwners: [owner] })
    expect((await store.list({ status: 'active' }, { limit: 1, offset: 0 })).total).toBe(0)
    expect(await store.find(ids[0] ?? '')).toMatchObject({ status: 'paused', error_message: ABANDONED, turn_count: 1 })
    expect(readdirSync(join(dirname(path), 'owners'))).toEqual([])
  })

  it('leaves sessions that can be resumed at once', async () => {
    const path = sessionsPath()
    const [, id = ''] = await killAfter(start('session-work.ts', path, 'forever'), 2)
    const store = await openStore({ path })
    expect((await store.reopen(id)).session).toMatchObject({ id, status: 'active', error_message: ABANDONED })
  })

  it('leaves turns that are ended once, even if several processes do it at the same time', async () => {
    const path = sessionsPath()
    const [owner = ''] = await killAfter(start('session-work.ts', path, 'forever'), 12)
    const store = await openStore({ path })
    const { total: active } = await store.list({ status: 'active' }, { limit: 1, offset: 0 })
    const processes = [1, 2, 3].map(() => start('end-abandoned-turns.ts', path))
    await Promise.all(processes.map(firstLine))
    const answers = processes.map(firstLine)
    for (const { child } of processes) child.stdin.end()
    const reports = (await Promise.all(answers)).map((line) => JSON.parse(line))
    expect(reports.reduce((sum, { ended }) => sum + ended, 0)).toBe(active)
    expect(new Set(reports.flatMap(({ deadOwners }) => deadOwners))).toEqual(new Set([owner]))
    const { sessions } = await store.list({ status: 'paused' }, { limit: 100, offset: 0 })
    expect(sessions.map(({ turn_count }) => turn_count)).toEqual(sessions.map(() => 1))
  })
})

describe('a process that lives', () => {
  it.runIf(IS_FULL)('keeps its turns when others end abandoned ones', async () => {
    const path = sessionsPath()
    const worker = start('session-work.ts', path, 'forever')
    const owner = await firstLine(worker)
    await firstLine(worker)
    const store = await openStore({ path, waitMs: 60_000 })
    worker.child.kill('SIGSTOP') // busy with something else for long: its lock, not its heartbeat, tells that it lives
    const { ended, deadOwners } = await store.endAbandonedTurns()
    expect({ ended, deadOwners }).toEqual({ ended: 0, deadOwners: [] })
    expect(readdirSync(join(dirname(path), 'owners'))).toEqual([`${owner}.lock`])
  })
})

describe('a file that another process has locked', () => {
  it('is waited for, and reported when that takes too long', async () => {
    const path = sessionsPath()
    const store = await openStore({ path, waitMs: 50 })
    const patient = await openStore({ path, waitMs: 60_000 })
    await Promise.all([store.owner(), patient.owner()])
    const holder = start('session-lock.ts', path)
    await firstLine(holder)
    await expect(store.create(newSession())).rejects.toThrow(
      `${path} is locked by another process, and drover waited 50 ms for it; try again later`,
    )
    const waiting = patient.create(newSession())
    expect(await store.count()).toBe(0)
    holder.child.stdin.end()
    const { id } = await waiting
    expect((await store.find(id)).id).toBe(id)
  })
})
