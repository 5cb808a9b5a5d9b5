import { describe, expect, it } from 'vitest'
import type { Key } from '../key-reader.ts'
import { formatMore, pageHeight, toPagerKey } from './ask-approval.ts'

const key = (name: string, fields: Partial<Key> = {}): Key => ({ name, isCtrl: false, text: '', ...fields })

describe('a page', () => {
  it.each([
    [24, 22],
    [3, 1],
    [1, 1],
  ])('of a screen with %d rows has %d lines', (rows, lines) => {
    expect(pageHeight({ rows })).toBe(lines)
  })

  it.each([80, 20, 4])('ends with a line that fits into %d columns', (columns) => {
    expect(formatMore({ shown: 22, total: 3000 }, columns).length).toBeLessThan(columns)
  })
})

describe('a key before the end', () => {
  it.each<[string, Key | undefined, string | undefined]>([
    ['Space', key('space', { text: ' ' }), 'page'],
    ['Page Down', key('pagedown'), 'page'],
    ['Enter', key('return'), 'line'],
    ['the arrow down', key('down'), 'line'],
    ['n', key('n', { text: 'n' }), 'deny'],
    ['N', key('n', { text: 'N' }), 'deny'],
    ['Esc', key('escape'), 'deny'],
    ['Ctrl-D', key('d', { isCtrl: true }), 'deny'],
    ['Ctrl-C', key('c', { isCtrl: true }), 'cancel'],
    ['the end of the input', undefined, 'deny'],
    ['y', key('y', { text: 'y' }), undefined],
    ['a', key('a', { text: 'a' }), undefined],
    ['Ctrl-N', key('n', { isCtrl: true }), undefined],
  ])('%s', (_name, pressed, step) => {
    expect(toPagerKey(pressed)).toBe(step)
  })
})
