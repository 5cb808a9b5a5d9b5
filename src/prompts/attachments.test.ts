import { describe, expect, it } from 'vitest'
import { GIF, JPEG, PDF, PNG, WEBP } from '../../test/support/sample-files.ts'
import { digest } from '../kit/digest.ts'
import { ATTACHMENT_LIMITS, areFew, readAttachments } from './attachments.ts'

const base64 = (bytes: Buffer) => bytes.toString('base64')
const png = { data: base64(PNG) }
const pngOf = (size: number) => ({ data: base64(Buffer.concat([PNG, Buffer.alloc(size - PNG.length)])) })
const { count, bytesEach, bytesTotal } = ATTACHMENT_LIMITS

describe('readAttachments', () => {
  it.each([
    ['image/png', PNG],
    ['image/jpeg', JPEG],
    ['image/gif', GIF],
    ['image/webp', WEBP],
    ['application/pdf', PDF],
  ])('knows %s by its content', (mediaType, bytes) => {
    const file = { mediaType, data: base64(bytes), size: bytes.length, digest: digest(bytes), name: undefined }
    expect(readAttachments([{ data: base64(bytes) }])).toEqual([file])
    expect(readAttachments([{ data: base64(bytes), media_type: mediaType, name: 'a' }])).toEqual([
      { ...file, name: 'a' },
    ])
  })

  it('takes another name of a type', () => {
    expect(readAttachments([{ data: base64(JPEG), media_type: 'image/JPG' }])).toMatchObject([
      { mediaType: 'image/jpeg' },
    ])
  })

  it.each([
    [
      { data: base64(JPEG), media_type: 'image/png' },
      'number 1 is image/jpeg by its content, but media_type says image/png',
    ],
    [{ data: base64(Buffer.from('<svg/>')) }, 'number 1 is neither a PNG, JPEG, GIF or WebP image nor a PDF document'],
    [{ data: 'not base64!' }, 'number 1 is not base64'],
    [{ data: 'abcde' }, 'number 1 is not base64'],
    [{ data: '====' }, 'number 1 is not base64'],
  ])('refuses %j', (given, problem) => {
    expect(() => readAttachments([given])).toThrow(problem)
  })

  it('takes files up to each limit, and refuses one more', () => {
    expect(readAttachments([pngOf(bytesEach)])).toHaveLength(1)
    expect(() => readAttachments([png, pngOf(bytesEach + 1)])).toThrow(`number 2 has ${bytesEach + 1} bytes`)
    expect(readAttachments(Array.from({ length: count }, () => png))).toHaveLength(count)
    expect(() => readAttachments(Array.from({ length: count + 1 }, () => png))).toThrow(`there are ${count + 1}`)
    const full = Array.from({ length: bytesTotal / bytesEach }, () => pngOf(bytesEach))
    expect(readAttachments(full)).toHaveLength(full.length)
    expect(() => readAttachments([...full, png])).toThrow(`together they have ${bytesTotal + PNG.length} bytes`)
    expect([areFew(full), areFew([...full, png])]).toEqual([true, false])
  })
})
