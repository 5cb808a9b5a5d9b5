import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { newSession, openStore, sessionsPath } from '../../test/support/session-store.ts'
import { NO_USAGE } from '../agents/adapter/token-usage.ts'
import { openDatabase } from '../store/database.ts'
import { MIGRATIONS } from '../store/migrations.ts'
import { firstCharacters, splitText } from './session-texts.ts'

/** Long enough for several groups of pieces. Every place where it might be cut has a character of two units. */
const LONG = '🐑'.repeat(700_000)
const START = '🐑'.repeat(200)

describe('firstCharacters', () => {
  it.each([
    ['a short text', 'abc', 'abc'],
    ['200 characters', 'x'.repeat(200), 'x'.repeat(200)],
    ['201 characters', 'x'.repeat(201), 'x'.repeat(200)],
    ['characters of two units', LONG, START],
  ])('returns at most 200 characters of %s', (_name, text, start) => {
    expect(firstCharacters(text)).toBe(start)
  })
})

describe('splitText', () => {
  it('splits between characters, into pieces of at most the length', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 40 }), fc.integer({ min: 2, max: 9 }), (text, length) => {
        const pieces = splitText(text, length)
        expect(pieces.join('')).toBe(text)
        for (const piece of pieces) {
          expect(piece.length).toBeLessThanOrEqual(length)
          expect(piece.isWellFormed()).toBe(true)
        }
      }),
    )
  })
})

describe('long prompts', () => {
  it('are whole in a single session, and cut to 200 characters in a page', async () => {
    const store = await openStore()
    const { id } = await store.create(newSession({ initial_prompt: LONG, system_prompt: `${LONG}!` }))
    expect(await store.find(id)).toMatchObject({ initial_prompt: LONG, system_prompt: `${LONG}!` })
    expect((await store.edit(id, { title: 'Sheep' })).initial_prompt).toBe(LONG)
    const { sessions } = await store.list({}, { limit: 1, offset: 0 })
    expect(sessions).toMatchObject([{ initial_prompt: START, system_prompt: START, title: 'Sheep' }])
  })

  it('stay searchable when the title changes', async () => {
    const store = await openStore()
    const { id } = await store.create(newSession({ initial_prompt: `${'x'.repeat(3_000)} Needle` }))
    const found = async (search: string) => (await store.list({ search }, { limit: 1, offset: 0 })).total
    await store.edit(id, { title: 'First' })
    await store.edit(id, { title: 'Second' })
    expect([await found('needle'), await found('first'), await found('second')]).toEqual([1, 0, 1])
    await store.edit(id, { title: null })
    expect([await found('needle'), await found('second')]).toEqual([1, 0])
  })

  it('are deleted with their session, piece by piece, even if the process dies meanwhile', async () => {
    const path = sessionsPath()
    const store = await openStore({ path })
    const database = await openDatabase({ path, waitMs: 0 })
    const count = (table: string) => database.get(`SELECT count(*) AS count FROM ${table}`)?.['count']
    const ids = [await addFinished(store, LONG), await addFinished(store, LONG)]
    await store.delete(ids[0] ?? '')
    const left = Number(count('session_texts'))
    expect([left > 4, count('unwanted_texts')]).toEqual([true, 0])
    // What is left when a process dies after it deleted the session.
    database.exec(`DELETE FROM sessions; INSERT INTO unwanted_texts VALUES ('${ids[1]}')`)
    await store.endAbandonedTurns()
    expect([count('session_texts'), count('unwanted_texts')]).toEqual([0, 0])
    database.close()
  })

  it('of a store that an earlier version wrote are moved, and nothing is lost', async () => {
    const path = sessionsPath()
    const old = await openDatabase({ path, waitMs: 0, migrations: MIGRATIONS.slice(0, 1) })
    const prompts = ['short', LONG, `${'é'.repeat(200)}`, `${'é'.repeat(201)}`]
    for (const [at, prompt] of prompts.entries()) addOldRow(old, { id: `${at}`.repeat(32), prompt })
    old.close()
    const store = await openStore({ path })
    for (const [at, prompt] of prompts.entries()) {
      expect(await store.find(`${at}`.repeat(32))).toMatchObject({
        initial_prompt: prompt,
        system_prompt: `${prompt}!`,
      })
    }
    const { sessions } = await store.list({}, { limit: 10, offset: 0 })
    expect(sessions.map(({ initial_prompt: prompt }) => prompt)).toEqual(prompts.map(firstCharacters).toReversed())
  })
})

async function addFinished(store: Awaited<ReturnType<typeof openStore>>, prompt: string): Promise<string> {
  const { id } = await store.create(newSession({ initial_prompt: prompt }))
  await store.finishTurn(id, { outcome: 'completed', usage: NO_USAGE })
  return id
}

function addOldRow(database: Awaited<ReturnType<typeof openDatabase>>, row: { id: string; prompt: string }): void {
  const sql = `INSERT INTO sessions (id, backend, status, created_at, last_used, working_dir, turn_count, input_tokens,
    output_tokens, cached_tokens, reasoning_tokens, tags, metadata, policy, initial_prompt, system_prompt)
    VALUES (?, 'claude', 'completed', '', '', '/w', 1, 0, 0, 0, 0, '[]', '{}', '{}', ?, ?)`
  database.all(sql, row.id, row.prompt, `${row.prompt}!`)
}
