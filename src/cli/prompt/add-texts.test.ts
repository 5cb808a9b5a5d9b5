import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { addTexts, pathsAfterAt } from './read-prompt.ts'

describe('addTexts', () => {
  it('fences each text so that no line of it closes the fence', () => {
    const text = fc.string({ unit: fc.constantFrom('`', '\n', ' ', 'a', '~') })
    fc.assert(
      fc.property(text, (added) => {
        const [, , heading, fence = '', ...rest] = addTexts('p', [{ name: 'x', text: added }]).split('\n')
        expect(heading).toBe('Content of x:')
        expect(fence).toMatch(/^`{3,}$/)
        expect(rest.at(-1)).toBe(fence)
        expect(rest.slice(0, -1).filter((line) => line.includes(fence))).toEqual([])
        expect(rest.slice(0, -1).join('\n')).toBe(added.replace(/\n$/, ''))
      }),
    )
  })

  it('changes nothing when there is nothing to add', () => {
    expect(addTexts('p\n', [])).toBe('p\n')
  })
})

describe('pathsAfterAt', () => {
  it.each([
    ['@a.ts', ['a.ts']],
    ['see @src/a.ts, (@b) and "@c"', ['src/a.ts,', 'src/a.ts', 'b', 'c']],
    ['mail me@example.org', []],
    ['@ alone', []],
    ['no path', []],
  ])('finds in %j the paths %j', (prompt, paths) => {
    expect(pathsAfterAt(prompt)).toEqual(paths)
  })
})
