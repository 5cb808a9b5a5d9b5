import { describe, expect, it } from 'vitest'
import type { Session } from './session.ts'
import { editSession } from './session-edit.ts'
import type { SessionEdit } from './session-store.ts'

const edited = (before: Partial<Session>, change: SessionEdit) => {
  const session = { tags: [], metadata: { kept: 1 }, ...before } as unknown as Session
  return editSession(session, change)
}

describe('editSession', () => {
  it.each<[SessionEdit, Partial<Session>]>([
    [{}, { tags: ['a', 'b'], title: 'old' }],
    [{ title: 'new' }, { tags: ['a', 'b'], title: 'new' }],
    [{ title: null }, { tags: ['a', 'b'] }],
    [{ metadata: { more: 2 } }, { tags: ['a', 'b'], title: 'old', metadata: { kept: 1, more: 2 } }],
    [{ metadata: { kept: null } }, { tags: ['a', 'b'], title: 'old', metadata: { kept: null } }],
    [{ addTags: ['c', 'a'] }, { tags: ['a', 'b', 'c'], title: 'old' }],
    [{ removeTags: ['a', 'z'] }, { tags: ['b'], title: 'old' }],
    [
      { addTags: ['c'], removeTags: ['a', 'c'] },
      { tags: ['b'], title: 'old' },
    ],
  ])('%j gives %j', (change, after) => {
    expect(edited({ tags: ['a', 'b'], title: 'old' }, change)).toStrictEqual({ metadata: { kept: 1 }, ...after })
  })

  it.each<SessionEdit>([
    { title: '' },
    { addTags: ['A'] },
    { removeTags: ['A'] },
    { addTags: ['A'], removeTags: ['A'] },
  ])('refuses %j', (change) => {
    expect(() => edited({}, change)).toThrow(expect.objectContaining({ code: 'session_field_invalid' }))
  })

  it('counts the tags that are there afterwards', () => {
    const tags = Array.from({ length: 64 }, (_, at) => `t${at}`)
    expect(edited({ tags }, { addTags: ['x'], removeTags: ['t0'] }).tags).toHaveLength(64)
    expect(() => edited({ tags }, { addTags: ['x'] })).toThrow('at most 64')
  })
})
