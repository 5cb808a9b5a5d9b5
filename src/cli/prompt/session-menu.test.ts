import { describe, expect, it } from 'vitest'
import type { Session } from '../../sessions/session.shape.ts'
import type { Key } from '../key-reader.ts'
import { countColumns } from '../output/printable.ts'
import { followKey, formatMenu, type MenuState, matchingSessions } from './pick-session.ts'

const NOW = new Date('2026-03-10T12:00:00.000Z')

function sessionOf(at: number, fields: Partial<Session> = {}): Session {
  const id = String(at).padStart(8, '0').padEnd(32, 'f')
  const known = {
    id,
    backend: 'claude',
    initial_prompt: `prompt ${at}`,
    working_dir: '/work',
    last_used: NOW.toISOString(),
  }
  return { ...known, ...fields } as Session
}

const sessions = [
  sessionOf(1, { title: 'Fix the parser' }),
  sessionOf(2, { backend: 'codex', initial_prompt: 'Write tests of the parser' }),
  sessionOf(3, { working_dir: '/home/me/Parser' }),
]

const key = (name: string, { isCtrl = false, text = '' } = {}): Key => ({ name, isCtrl, text })
const [UP, DOWN, ENTER] = [key('up'), key('down'), key('return')]

describe('matchingSessions', () => {
  it.each([
    ['', [1, 2, 3]],
    ['parser', [1, 2, 3]],
    ['PARSER codex', [2]],
    ['0000000', [1, 2, 3]],
    ['00000003', [3]],
    ['  fix  ', [1]],
    ['nothing', []],
  ])('finds for %j the sessions %j', (filter, expected) => {
    expect(matchingSessions(sessions, filter).map(({ id }) => Number(id.slice(0, 8)))).toEqual(expected)
  })
})

describe('followKey', () => {
  const all: MenuState = { filter: '', selected: 0 }
  it.each<[string, MenuState, Key, MenuState]>([
    ['moves down', all, DOWN, { filter: '', selected: 1 }],
    ['stays at the end', { filter: '', selected: 2 }, DOWN, { filter: '', selected: 2 }],
    ['moves up', { filter: '', selected: 2 }, UP, { filter: '', selected: 1 }],
    ['stays at the start', all, UP, all],
    ['moves with Ctrl-N', all, key('n', { isCtrl: true }), { filter: '', selected: 1 }],
    ['moves with Ctrl-P', { filter: '', selected: 1 }, key('p', { isCtrl: true }), all],
    ['moves to the end', all, key('end'), { filter: '', selected: 2 }],
    ['moves a page', all, key('pagedown'), { filter: '', selected: 2 }],
    ['types', { filter: 'a', selected: 2 }, key('b', { text: 'b' }), { filter: 'ab', selected: 0 }],
    ['types what Node does not name', all, key('', { text: 'é' }), { filter: 'é', selected: 0 }],
    ['erases whole characters', { filter: 'a👍', selected: 1 }, key('backspace'), { filter: 'a', selected: 0 }],
    ['erases the filter with Ctrl-U', { filter: 'abc', selected: 1 }, key('u', { isCtrl: true }), all],
    ['erases the filter with Escape', { filter: 'abc', selected: 1 }, key('escape'), all],
    ['ignores other keys', { filter: 'a', selected: 0 }, key('f5'), { filter: 'a', selected: 0 }],
    ['does not choose from nothing', { filter: 'zzz', selected: 0 }, ENTER, { filter: 'zzz', selected: 0 }],
    ['does not move in nothing', { filter: 'zzz', selected: 0 }, DOWN, { filter: 'zzz', selected: 0 }],
  ])('%s', (_name, state, pressed, next) => {
    expect(followKey(state, pressed, sessions)).toEqual({ is: 'state', state: next })
  })

  it('chooses the selected session among those that match', () => {
    expect(followKey({ filter: 'codex', selected: 0 }, ENTER, sessions)).toEqual({ is: 'chosen', session: sessions[1] })
  })

  it.each([
    ['Escape without a filter', key('escape'), 'quit'],
    ['Ctrl-D', key('d', { isCtrl: true }), 'quit'],
    ['Ctrl-C', key('c', { isCtrl: true }), 'interrupted'],
  ])('ends with %s', (_name, pressed, is) => {
    expect(followKey(all, pressed, sessions)).toEqual({ is })
  })
})

describe('formatMenu', () => {
  const many = Array.from({ length: 100 }, (_, at) => sessionOf(at, { title: '漢字'.repeat(60) }))

  it.each([0, 1, 50, 98, 99])('shows session %i of 100 on 24 lines of 80 columns', (selected) => {
    const lines = formatMenu(many, { filter: '', selected }, { columns: 80, rows: 24, now: NOW })
    expect(lines).toHaveLength(23)
    expect(Math.max(...lines.map(countColumns))).toBeLessThan(80)
    expect(lines.filter((line) => line.startsWith('> '))).toEqual([
      expect.stringContaining(String(selected).padStart(8, '0')),
    ])
  })

  it('shows the filter and how many sessions match', () => {
    const lines = formatMenu(sessions, { filter: 'codex', selected: 0 }, { columns: 80, rows: 24, now: NOW })
    expect(lines).toEqual([
      '  ID        BACKEND  LAST USED  TITLE',
      '> 00000002  codex    just now   Write tests of the parser',
      '1 of 3 sessions, filter: codex',
      'Up and down choose, Enter resumes, typing filters, Esc quits',
    ])
  })

  it('fits a terminal of any size', () => {
    for (const rows of [1, 2, 5]) {
      const lines = formatMenu(many, { filter: 'a'.repeat(50), selected: 0 }, { columns: 20, rows, now: NOW })
      expect(lines.length).toBeGreaterThan(0)
    }
  })
})
