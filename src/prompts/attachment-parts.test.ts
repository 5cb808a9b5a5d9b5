import { describe, expect, it } from 'vitest'
import { linkOf, readAttachmentPart, readTextDocument } from './attachment-parts.ts'

const url = 'data:image/png;base64,AAAA'
const png = { data: 'AAAA', media_type: 'image/png' }
const source = { type: 'base64', media_type: 'image/png', data: 'AAAA' }

describe('readAttachmentPart', () => {
  it.each([
    [{ type: 'image_url', image_url: { url } }, png],
    [{ type: 'image_url', image_url: url }, png],
    [{ type: 'image_url', image_url: { url: 'data:image/png;charset=x;base64,AAAA' } }, png],
    [{ type: 'input_image', image_url: url, detail: 'auto' }, png],
    [{ type: 'image', source }, png],
    [
      { type: 'document', source: { ...source, media_type: 'application/pdf' }, title: 'Report' },
      { data: 'AAAA', media_type: 'application/pdf', name: 'Report' },
    ],
    [
      { type: 'file', file: { file_data: url, filename: 'a.png' } },
      { ...png, name: 'a.png' },
    ],
    [
      { type: 'input_file', file_data: 'AAAA', filename: 'a.pdf' },
      { data: 'AAAA', name: 'a.pdf' },
    ],
    [{ type: 'text', text: 'hi' }, undefined],
  ])('reads %j', (part, attachment) => {
    expect(readAttachmentPart(part, 'at')).toEqual(attachment)
  })

  it.each([
    [
      { type: 'image_url', image_url: { url: 'https://a.example/b.png' } },
      'at.image_url: not supported: an image by its address',
    ],
    [{ type: 'image', source: { type: 'url', url: 'http://a.example/b.png' } }, 'at.source.url: not supported'],
    [{ type: 'image', source: { type: 'file', file_id: 'x' } }, 'at.source: not supported: a source of type file'],
    [{ type: 'image' }, 'at.source: not supported: a source of type unknown'],
    [{ type: 'input_image', file_id: 'x' }, 'at.image_url must be a data URL'],
    [{ type: 'input_file', file_id: 'x' }, 'at.file_data must be a data URL'],
    [{ type: 'image_url', image_url: { url: 'file:///etc/passwd' } }, 'at.image_url must be a data URL in base64'],
    [{ type: 'image_url', image_url: { url: 'data:image/png,AAAA' } }, 'at.image_url must be a data URL in base64'],
  ])('refuses %j', (part, problem) => {
    expect(() => readAttachmentPart(part, 'at')).toThrow(problem)
  })
})

it('readTextDocument reads a document that is a text', () => {
  expect(readTextDocument({ type: 'document', source: { type: 'text', data: 'hello' } })).toBe('hello')
  expect(readTextDocument({ type: 'document', source })).toBeUndefined()
})

it('linkOf finds the address in each format', () => {
  const link = 'https://a.example/b.png'
  expect(linkOf({ type: 'image_url', image_url: { url: link } })).toBe(link)
  expect(linkOf({ type: 'input_image', image_url: link })).toBe(link)
  expect(linkOf({ type: 'image', source: { type: 'url', url: link } })).toBe(link)
  expect(linkOf({ type: 'input_file', file_url: link })).toBe(link)
  expect(linkOf({ type: 'image_url', image_url: { url } })).toBeUndefined()
  expect(linkOf({ type: 'text', text: link })).toBeUndefined()
})
