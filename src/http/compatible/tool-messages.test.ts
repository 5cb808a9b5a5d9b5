import { describe, expect, it } from 'vitest'
import { PDF, PNG } from '../../../test/support/sample-files.ts'
import { toConversation, type WireMessage } from '../../prompts/chat-messages.ts'
import { readSaid, readToolItem, toConversationWithTools } from './tool-messages.ts'

const read = (messages: readonly object[]) =>
  toConversationWithTools(readSaid(messages as WireMessage[]), { hasCalls: true })

const data = PNG.toString('base64')
const withResult = (part: object) => [
  user,
  { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'c', content: [part] }] },
]
const user = { role: 'user', content: 'hello' }
const chatCall = { id: 'c1', type: 'function', function: { name: 'ls', arguments: '{"a":1}' } }
const chat = [
  user,
  { role: 'assistant', content: null, tool_calls: [chatCall] },
  { role: 'tool', tool_call_id: 'c1', content: 'a.txt' },
]
const message = [
  user,
  {
    role: 'assistant',
    content: [
      { type: 'thinking', thinking: 'hm' },
      { type: 'tool_use', id: 'c1', name: 'ls', input: { a: 1 } },
    ],
  },
  { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'c1', content: 'a.txt' }] },
]
const QUOTED = [
  { role: 'user', content: 'hello' },
  { role: 'assistant', content: '[calls the tool ls, with these arguments]\n{"a":1}' },
  { role: 'user', content: '[result of the tool ls]\na.txt' },
]
const TEXT = { content: [{ type: 'text', text: 'a.txt' }] }

describe('calls and results', () => {
  it.each([
    ['chat completions', chat],
    ['messages', message],
  ])('are read as %s have them', (_, messages) => {
    const { messages: quoted, answer, said } = read(messages)
    expect(quoted.map(({ role, content }) => ({ role, content }))).toMatchObject(QUOTED)
    expect(answer).toEqual({ callId: 'c1', replies: new Map([['c1', TEXT]]), said: ['hello'] })
    expect(said).toEqual(['hello'])
  })

  it('are read as responses have them', () => {
    const items = [
      readToolItem({ type: 'function_call', call_id: 'c1', name: 'ls', arguments: '{"a":1}' }, 'input[0]'),
      readToolItem({ type: 'function_call_output', call_id: 'c1', output: 'a.txt' }, 'input[1]'),
    ]
    expect(toConversationWithTools(items, { hasCalls: true }).answer?.replies).toEqual(new Map([['c1', TEXT]]))
    const [, result] = items
    const { answer } = toConversationWithTools(result === undefined ? [] : [result], { hasCalls: false })
    expect(answer).toMatchObject({ callId: 'c1', said: undefined })
  })

  it('before an answer are no results that a turn waits for', () => {
    expect(read([...chat, { role: 'assistant', content: 'done' }, user]).answer).toBeUndefined()
    expect(read([user]).answer).toBeUndefined()
  })

  it('take along what the user adds', () => {
    const { answer } = read([...chat, { role: 'user', content: 'be quick' }])
    const added = { type: 'text', text: 'The user adds:\nbe quick' }
    expect(answer?.replies.get('c1')?.content).toEqual([...TEXT.content, added])
  })

  it('may be errors and images', () => {
    const png = { type: 'image', data, mimeType: 'image/png' }
    const parts = [
      { type: 'image', source: { type: 'base64', media_type: 'image/png', data } },
      { type: 'image_url', image_url: { url: `data:image/png;base64,${data}` } },
      { type: 'input_image', image_url: `data:image/png;base64,${data}` },
    ]
    const result = { type: 'tool_result', tool_use_id: 'c1', is_error: true, content: parts }
    const { answer, messages } = read([...message.slice(0, 2), { role: 'user', content: [result] }])
    expect(answer?.replies.get('c1')).toEqual({ isError: true, content: [png, png, png] })
    expect(messages.at(-1)?.content).toContain('[error of the tool ls]\n[an image, image/png]')
  })

  it.each<[string, object[], string]>([
    [
      'without a call',
      [user, { role: 'tool', tool_call_id: 'c2', content: '' }],
      '$.messages[1] must be the result of',
    ],
    ['without an id', [user, { role: 'tool', content: '' }], '$.messages[1].tool_call_id is required'],
    [
      'of another type',
      [user, { role: 'tool', tool_call_id: 'c', content: 1 }],
      '$.messages[1].content must be a text',
    ],
    [
      'with a PDF document',
      withResult({ type: 'document', source: { type: 'base64', data: PDF.toString('base64') } }),
      '$.messages[1].content[0].content[0] must be a text, or an image',
    ],
    [
      'with an image that is none',
      withResult({ type: 'image', source: { type: 'base64', data: 'AAAA' } }),
      '$.messages[1].content[0].content[0] is neither a PNG, JPEG, GIF or WebP image',
    ],
    [
      'with an image of another type than it says',
      withResult({ type: 'image_url', image_url: { url: `data:image/gif;base64,${data}` } }),
      'is image/png by its content, but media_type says image/gif',
    ],
    [
      'with an address',
      withResult({ type: 'image', source: { type: 'url', url: 'https://a.example/b' } }),
      'fetch_images',
    ],
    ['that is a nameless call', [user, { role: 'assistant', tool_calls: [{ id: 'c' }] }], '.function.name is required'],
    ['that is a call of nothing', [user, { role: 'assistant', tool_calls: [1] }], '$.messages[1].tool_calls[0].id is'],
  ])('%s are invalid', (_, messages, problem) => {
    expect(() => read(messages)).toThrow(problem)
  })

  it('leave other messages as they are', () => {
    const parts = {
      role: 'user',
      content: [
        { type: 'text', text: 'a' },
        { type: 'text', text: 'b' },
      ],
    }
    const plain = [{ role: 'system', content: 's' }, parts, { role: 'assistant', content: 'c' }, user]
    expect(toConversation(read(plain).messages)).toEqual(toConversation(plain))
    expect(() => toConversation(read([{ role: 'user' }]).messages)).toThrow('$.messages[0].content is required')
    const image = { role: 'user', content: [{ type: 'input_audio' }] }
    expect(() => toConversation(read([user, image]).messages)).toThrow('messages[1].content[0]: not supported')
  })
})
