import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { thrownFault } from '../../../test/support/thrown-fault.ts'
import { readInput, toCompacted, toStoredMessages } from './response-input.ts'

const read = (input: Parameters<typeof readInput>[0], clientTools: 'refuse' | 'ignore' = 'refuse') =>
  readInput(input, { clientTools })

const problemIn = (input: Parameters<typeof readInput>[0], clientTools: 'refuse' | 'ignore' = 'refuse') =>
  thrownFault(() => read(input, clientTools))?.message

describe('an input', () => {
  it('that is a text is a message of the user', () => {
    expect(read('hello')).toEqual({ entries: [{ role: 'user', content: 'hello', place: 'input' }], ignored: [] })
  })

  it('keeps the order and the places of its messages', () => {
    const input = [
      { role: 'developer', content: 'be brief' },
      { type: 'reasoning', id: 'rs_1' },
      { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'yes' }] },
      { type: 'item_reference', id: 'msg_1' },
      { type: null, role: 'user', content: [{ type: 'input_text', text: 'say more' }] },
    ]
    expect(read(input).entries).toEqual([
      { role: 'developer', content: 'be brief', place: 'input[0]' },
      { role: 'assistant', content: [{ type: 'output_text', text: 'yes' }], place: 'input[2]' },
      { reference: 'msg_1', place: 'input[3]' },
      { role: 'user', content: [{ type: 'input_text', text: 'say more' }], place: 'input[4]' },
    ])
  })

  const TOOL_ITEMS = [
    ...['function_call', 'function_call_output', 'custom_tool_call', 'custom_tool_call_output', 'web_search_call'],
    ...['local_shell_call', 'local_shell_call_output', 'shell_call_output', 'apply_patch_call', 'computer_call_output'],
    ...['file_search_call', 'code_interpreter_call', 'image_generation_call', 'mcp_call', 'mcp_list_tools'],
    ...['mcp_approval_request', 'mcp_approval_response', 'tool_search_call', 'tool_search_output'],
  ]

  it.each(TOOL_ITEMS)('with an item %s is refused, or read without it', (type) => {
    expect(problemIn([{ type }])).toContain(`input[0].type: not supported: items of type ${type}; agents use their own`)
    const { entries, ignored } = read([{ type }, { role: 'user', content: 'x' }, { type }], 'ignore')
    expect(entries).toEqual([{ role: 'user', content: 'x', place: 'input[1]' }])
    expect(ignored).toEqual([type])
  })

  it.each(['refuse', 'ignore'] as const)('with an unknown item is refused, with client_tools: %s', (clientTools) => {
    const input = [{ role: 'user', content: 'x' }, { type: 'hologram' }]
    expect(problemIn(input, clientTools)).toBe(
      'input[1].type: not supported: items of type hologram; send messages only',
    )
  })

  it.each<[object, string]>([
    [{ type: 'message', content: 'x' }, '$.input[0].role is required'],
    [{ role: 'user' }, '$.input[0].content is required'],
    [{ role: 'user', content: null }, '$.input[0].content is required'],
    [{ type: 'item_reference' }, '$.input[0].id is required'],
  ])('with %j is invalid', (item, problem) => {
    expect(problemIn([item])).toContain(problem)
  })

  it('is never read partly: every item is a message, a reference, ignored, or an error', () => {
    const type = fc.oneof(fc.constantFrom('message', 'item_reference', 'reasoning', ...TOOL_ITEMS), fc.string())
    const content = fc.option(fc.oneof(fc.string(), fc.constant([{ type: 'input_text', text: 'x' }])), {
      nil: undefined,
    })
    const role = fc.option(fc.string(), { nil: undefined })
    const item = fc.record({ type, role, content, id: fc.option(fc.string(), { nil: undefined }) })
    fc.assert(
      fc.property(fc.array(item, { minLength: 1 }), fc.constantFrom('refuse', 'ignore'), (items, clientTools) => {
        if (problemIn(items, clientTools) !== undefined) return
        const { entries, ignored } = read(items, clientTools)
        const left = items.filter((each) => each.type === 'reasoning' || each.type === 'compaction')
        const dropped = items.filter((each) => ignored.includes(each.type))
        expect(entries).toHaveLength(items.length - left.length - dropped.length)
      }),
    )
  })
})

describe('stored messages', () => {
  it('have their texts, and nothing that is not a text', () => {
    const parts = [
      { type: 'input_text', text: 'a' },
      { type: 'text', text: 'b' },
    ]
    expect(toStoredMessages([{ role: 'user', content: parts }])).toEqual([{ role: 'user', text: 'a\nb' }])
    expect(() => toStoredMessages([{ role: 'user', content: [{ type: 'input_audio' }], place: 'input[3]' }])).toThrow(
      'input[3].content[0]: not supported',
    )
  })
})

it('takes a compacted conversation of drover as a message, and no item of a vendor', () => {
  const item = (content: string) => ({ type: 'compaction', encrypted_content: content })
  const { entries } = read([item('gAAAA'), item(toCompacted('it is réd'))])
  expect(entries).toEqual([{ role: 'user', content: 'it is réd', place: 'input[1]' }])
})
