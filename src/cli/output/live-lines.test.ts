import { describe, expect, it } from 'vitest'
import type { Channel } from '../terminal.ts'
import { fitLines, LiveLines, redraw } from './live-lines.ts'

const UP = (count: number) => `\u001b[${count}A`
const [END, BELOW] = ['\u001b[K', '\u001b[J']

describe('fitLines', () => {
  it('leaves a line for the cursor and keeps the last line', () => {
    expect(fitLines(['a', 'b', 'c', 'total'], { columns: 80, rows: 5 })).toEqual(['a', 'b', 'c', 'total'])
    expect(fitLines(['a', 'b', 'c', 'total'], { columns: 80, rows: 4 })).toEqual(['a', 'b', 'total'])
    expect(fitLines(['a', 'b', 'c', 'total'], { columns: 80, rows: 1 })).toEqual(['total'])
  })

  it('keeps lines shorter than the terminal, so that they do not wrap', () => {
    expect(fitLines(['abcdef', '漢字漢字'], { columns: 6, rows: 9 })).toEqual(['abcde', '漢字'])
  })

  it('keeps the colours of a line that fits, and takes them from one that does not', () => {
    const dim = (text: string) => `\u001b[2m${text}\u001b[22m`
    expect(fitLines([dim('abcde'), dim('abcdef')], { columns: 6, rows: 9 })).toEqual([dim('abcde'), 'abcde'])
  })
})

describe('redraw', () => {
  it('overwrites the previous lines and clears the rest', () => {
    expect(redraw(['a', 'b'], { heightBefore: 0, columns: 80 })).toBe(`\ra${END}\nb${END}\n${BELOW}`)
    expect(redraw(['c'], { heightBefore: 2, columns: 80 })).toBe(`${UP(2)}\rc${END}\n${BELOW}`)
    expect(redraw(['abc', 'd'], { heightBefore: 0, columns: 3 })).toBe(`\r${BELOW}abc\nd${END}\n${BELOW}`)
  })
})

describe('LiveLines', () => {
  it('moves up by the lines that it drew last, and clears them', async () => {
    let written = ''
    const channel = {
      columns: 20,
      rows: 3,
      write: async (text: string) => {
        written = text
        return 'written'
      },
    } as Channel
    const lines = new LiveLines(channel)
    await lines.clear()
    expect(written).toBe('')
    await lines.draw(['a', 'b', 'c'])
    await lines.draw(['d'])
    expect(written).toBe(`${UP(2)}\rd${END}\n${BELOW}`)
    await lines.draw(['e'], ['stays'])
    expect(written).toBe(`${UP(1)}\rstays${END}\ne${END}\n${BELOW}`)
    await lines.clear()
    expect(written).toBe(`${UP(1)}\r${BELOW}`)
    written = ''
    await lines.clear()
    expect(written).toBe('')
  })

  it('moves up by the rows that the lines take since the terminal became narrower', async () => {
    let written = ''
    const channel = {
      columns: 20,
      rows: 9,
      write: async (text: string) => {
        written = text
        return 'written'
      },
    } as Channel & { columns: number }
    const lines = new LiveLines(channel)
    await lines.draw(['a'.repeat(19), '漢字', ''])
    channel.columns = 8
    await lines.clear()
    expect(written).toBe(`${UP(3 + 1 + 1)}\r${BELOW}`)
  })
})
