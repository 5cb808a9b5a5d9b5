import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { toConversation, type WireMessage } from '../../prompts/chat-messages.ts'
import { ignoreToolCalls, readTextInput, readTools } from './client-tools.ts'

const LS = { type: 'function', function: { name: 'ls', parameters: { type: 'object' } } }
const WEB = { type: 'web_search' }

describe('offered tools', () => {
  it.each<[Parameters<typeof readTools>[0], string[]]>([
    [{ tools: undefined, others: { functions: null } }, []],
    [{ tools: [], others: { functions: [] } }, []],
    [{ tools: [LS], others: { functions: [] } }, ['tools']],
    [{ tools: [], others: { functions: [LS] } }, ['functions']],
    [{ tools: [LS], others: { mcp_servers: [LS] } }, ['tools', 'mcp_servers']],
  ])('of %j are ignored as %j, or refused', (offered, names) => {
    expect(readTools(offered, 'ignore')).toMatchObject({ tools: [], ignored: names })
    const refuse = () => readTools(offered, 'refuse')
    if (names.length === 0) expect(refuse()).toMatchObject({ tools: [], ignored: [] })
    else expect(refuse).toThrow(`${names[0]}: not supported: tools; agents use their own tools`)
  })

  it.each<[string, object]>([
    ['chat completions', { type: 'function', function: { name: 'ls', description: 'd', parameters: { a: 1 } } }],
    ['messages', { name: 'ls', description: 'd', input_schema: { a: 1 } }],
    ['messages, with a type', { type: 'custom', name: 'ls', description: 'd', input_schema: { a: 1 } }],
    ['responses', { type: 'function', name: 'ls', description: 'd', parameters: { a: 1 } }],
  ])('are read as %s have them', (_, tool) => {
    const ls = { name: 'ls', description: 'd', parameters: { a: 1 } }
    const read = readTools({ tools: [tool, WEB] }, 'bridge')
    expect(read).toMatchObject({ tools: [ls], ignored: ['tools of type web_search'] })
  })

  it.each<[string, unknown[], string]>([
    ['that are no objects', [1], '$.tools[0] must be an object'],
    ['without a name', [{ ...LS, function: {} }], '$.tools[0].function.name must be a name of 1 to 128'],
    ['with a long name', [{ type: 'function', name: 'x'.repeat(129) }], '$.tools[0].name must be a name'],
    ['with a bad name', [{ type: 'function', name: 'a b' }], '$.tools[0].name must be a name'],
    ['with bad parameters', [{ type: 'function', name: 'x', parameters: 1 }], '$.tools[0].parameters must be'],
    ['with one name', [LS, LS], '$.tools must not have two functions with the name ls'],
    ['that are too many', Array.from({ length: 513 }, () => WEB), '$.tools must have at most 512 entries'],
  ])('%s are invalid', (_, tools, problem) => {
    expect(() => readTools({ tools }, 'bridge')).toThrow(problem)
  })

  const named = { type: 'function', name: 'ls' }
  const free = { must: false }
  const one = { must: true, only: ['ls'] }

  it.each<[unknown, number, object]>([
    [undefined, 1, free],
    [null, 1, free],
    ['auto', 1, free],
    [{ type: 'auto' }, 1, free],
    ['none', 0, { must: false, only: [] }],
    [{ type: 'none' }, 0, { must: false, only: [] }],
    ['required', 1, { must: true }],
    [{ type: 'any' }, 1, { must: true }],
    [{ type: 'function', function: { name: 'ls' } }, 1, one],
    [named, 1, one],
    [{ type: 'tool', name: 'ls' }, 1, one],
    [{ type: 'allowed_tools', mode: 'required', tools: [named] }, 1, one],
    [{ type: 'allowed_tools', allowed_tools: { mode: 'auto', tools: [named] } }, 1, { ...one, must: false }],
  ])('with the choice %j are %i, and the agent gets %j', (choice, count, read) => {
    const { tools, choice: chosen } = readTools({ tools: [LS], tool_choice: choice }, 'bridge')
    expect([tools.length, chosen]).toEqual([count, read])
  })

  it.each<[unknown, unknown[], string]>([
    ['required', [], 'must be auto or none, because tools has no function'],
    [{ type: 'any' }, [WEB], 'must be auto or none, because tools has no function'],
    [{ type: 'tool', name: 'rm' }, [LS], 'must name functions in tools; rm is none of them'],
    [{ type: 'web_search' }, [LS], 'must be auto, none, required, or name functions in tools'],
    [7, [LS], 'must be auto, none, required, or name functions in tools'],
  ])('with the choice %j are refused', (choice, tools, problem) => {
    expect(() => readTools({ tools, tool_choice: choice }, 'bridge')).toThrow(`$.tool_choice ${problem}`)
  })

  it.each(['required', { type: 'any' }, { type: 'function', function: { name: 'ls' } }])(
    'of which one must be called, by %j, are not ignored but refused',
    (choice) => {
      expect(() => readTools({ tools: [LS], tool_choice: choice }, 'ignore')).toThrow(
        'tool_choice: not supported: a call that is required',
      )
    },
  )

  it('that take a text are functions with one', () => {
    const format = { type: 'grammar', syntax: 'lark', definition: 'start: "x"' }
    const [tool] = readTools({ tools: [{ type: 'custom', name: 'patch', description: 'd', format }] }, 'bridge').tools
    expect(tool).toMatchObject({ name: 'patch', isText: true, parameters: { required: ['input'] } })
    expect(tool?.description).toBe('d\n\nThe input must match this grammar:\nstart: "x"')
    expect([readTextInput('{"input":"a"}'), readTextInput('{"x":1}')]).toEqual(['a', '{"x":1}'])
  })

  it('may have names of 128 characters, and be 512', () => {
    const many = Array.from({ length: 512 }, (_, at) => ({ type: 'function', name: `${at}`.padEnd(128, 'x') }))
    expect(readTools({ tools: many }, 'bridge').tools).toHaveLength(512)
  })

  it('that agents cannot be given are refused', () => {
    expect(() => readTools({ tools: [LS], others: { mcp_servers: [1] } }, 'bridge')).toThrow(
      'mcp_servers: not supported',
    )
    expect(() => readTools({ tools: [], others: { functions: [LS] } }, 'bridge')).toThrow('send functions in tools')
  })
})

const user = { role: 'user', content: 'hello' }

describe('tool calls in messages', () => {
  it.each<[string, WireMessage, string[]]>([
    ['a call', { role: 'assistant', content: null, tool_calls: [{ id: 'c' }] }, ['tool calls']],
    ['a call without content', { role: 'assistant', tool_calls: [{ id: 'c' }] }, ['tool calls']],
    ['a result', { role: 'tool', content: 'a.txt' }, ['tool results']],
    ['a result of a function', { role: 'function', content: 'a.txt' }, ['tool results']],
    ['a use', { role: 'assistant', content: [{ type: 'tool_use' }] }, ['tool_use']],
    ['a result as a part', { role: 'user', content: [{ type: 'tool_result' }] }, ['tool_result']],
    ['a tool of the vendor', { role: 'assistant', content: [{ type: 'server_tool_use' }] }, ['server_tool_use']],
    ['a thought', { role: 'assistant', content: [{ type: 'redacted_thinking' }] }, ['redacted_thinking']],
  ])('are ignored: %s', (_, message, ignored) => {
    const kept = ignoreToolCalls([message, user], 'ignore')
    expect(kept.ignored).toEqual(ignored)
    expect(toConversation(kept.messages)).toEqual({ prompt: 'hello' })
    expect(() => toConversation(ignoreToolCalls([message, user], 'refuse').messages)).toThrow()
  })

  it('leave other content, with its place in errors', () => {
    const image = { role: 'user', content: [{ type: 'tool_result' }, { type: 'input_audio' }] }
    const { messages } = ignoreToolCalls([user, image], 'ignore')
    expect(() => toConversation(messages)).toThrow('messages[1].content[0]: not supported: content of type input_audio')
    expect(() => toConversation(ignoreToolCalls([{ role: 'user' }], 'refuse').messages)).toThrow('is required')
  })

  it('never change what is said around them', () => {
    const text = fc.string({ minLength: 1 }).filter((each) => each.trim() !== '')
    const noise: fc.Arbitrary<WireMessage> = fc.constantFrom(
      { role: 'tool', content: 'x' },
      { role: 'assistant', content: null, tool_calls: [1] },
      { role: 'user', content: [{ type: 'tool_result' }] },
    )
    const said = text.map((content): WireMessage => ({ role: 'user', content }))
    fc.assert(
      fc.property(fc.array(fc.oneof(said, noise)), said, (messages, last) => {
        const all = [...messages, last]
        const onlySaid = all.filter(({ role, content }) => role === 'user' && typeof content === 'string')
        expect(toConversation(ignoreToolCalls(all, 'ignore').messages)).toEqual(toConversation(onlySaid))
      }),
    )
  })
})

describe('calls at the same time', () => {
  it.each([
    [{ parallel_tool_calls: false }, true],
    [{ tool_choice: { type: 'auto', disable_parallel_tool_use: true } }, true],
    [{ parallel_tool_calls: true }, undefined],
    [{ parallel_tool_calls: null }, undefined],
    [{}, undefined],
  ])('are not made with %j: %s', (asked, isSingle) => {
    expect(readTools({ tools: [LS], ...asked }, 'bridge').choice.isSingle).toBe(isSingle)
  })
})
