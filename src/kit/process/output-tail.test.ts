import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { OutputTail } from './output-tail.ts'

describe('OutputTail', () => {
  it.each([
    ['nothing', [], ''],
    ['less than the limit', ['abc'], 'abc'],
    ['just the limit', ['abc', 'de'], 'abcde'],
    ['one byte more', ['abc', 'def'], 'bcdef'],
    ['many times the limit', ['abc', 'def', 'ghi', 'jkl', 'mnopqrstuv'], 'rstuv'],
    ['a character cut in two', ['a😀bcd'], 'bcd'],
    ['a character that just fits', ['a😀b'], '😀b'],
    ['bytes that are not UTF-8', [Buffer.from([0x61, 0xff])], 'a\ufffd'],
    ['bytes that only continue characters', [Buffer.alloc(9, 0x80)], '\ufffd\ufffd'],
    ['bytes that continue nothing, uncut', [Buffer.alloc(2, 0x80)], '\ufffd\ufffd'],
  ])('keeps the last 5 bytes of %s', (_name, chunks, text) => {
    const tail = new OutputTail(5)
    for (const chunk of chunks) tail.add(Buffer.from(chunk))
    expect(tail.text()).toBe(text)
  })

  it('keeps nothing if nothing is allowed', () => {
    const tail = new OutputTail(0)
    tail.add(Buffer.from('abc'))
    expect(tail.text()).toBe('')
  })

  it('does not retain a chunk of which it needs only the end', () => {
    const tail = new OutputTail(5)
    const chunk = Buffer.from('abcdefghijk')
    tail.add(chunk)
    chunk.fill('x')
    expect(tail.text()).toBe('ghijk')
  })

  it('keeps the longest possible end of a text, however it is split into chunks', () => {
    const texts = fc.array(fc.constantFrom('a', 'é', '漢', '😀'), { maxLength: 8 }).map((parts) => parts.join(''))
    const chunkLists = fc.array(texts.map((text) => Buffer.from(text)))
    fc.assert(
      fc.property(chunkLists, fc.integer({ min: 0, max: 20 }), (chunks, limitBytes) => {
        const tail = new OutputTail(limitBytes)
        for (const chunk of chunks) tail.add(chunk)
        const characters = [...Buffer.concat(chunks).toString()]
        while (Buffer.byteLength(characters.join('')) > limitBytes) characters.shift()
        expect(tail.text()).toBe(characters.join(''))
      }),
    )
  })
})
