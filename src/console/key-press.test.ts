import { describe, expect, it } from 'vitest'
import { isForPage, type KeyPress } from './key-press.ts'

const PRESS: KeyPress = {
  key: 'a',
  ctrlKey: false,
  metaKey: false,
  altKey: false,
  isShifted: false,
  repeat: false,
  isComposing: false,
  isInField: false,
  isDialogOpen: false,
}

describe('a key', () => {
  it.each(['a', 'd', 'j', '/', '?'])('is for the page: %s', (key) => {
    expect(isForPage({ ...PRESS, key })).toBe(true)
  })

  it.each<[string, Partial<KeyPress>]>([
    ['that one types', { isInField: true }],
    ['in a dialog', { isDialogOpen: true }],
    ['that is a part of a character', { isComposing: true }],
    ['with Ctrl', { ctrlKey: true }],
    ['with Meta', { metaKey: true }],
    ['with Alt', { altKey: true }],
    ['with Shift, while Caps Lock is on', { isShifted: true }],
    ['that is held down', { repeat: true }],
  ])('%s is not', (_name, held) => {
    expect(isForPage({ ...PRESS, ...held })).toBe(false)
    expect(isForPage({ ...PRESS, key: 'd', ...held })).toBe(false)
  })

  it('may need Shift for a sign or have a name, and moves on while it is held down', () => {
    expect(isForPage({ ...PRESS, key: '?', isShifted: true })).toBe(true)
    expect(isForPage({ ...PRESS, key: 'Tab', isShifted: true })).toBe(true)
    expect(isForPage({ ...PRESS, key: 'j', repeat: true })).toBe(true)
  })
})
