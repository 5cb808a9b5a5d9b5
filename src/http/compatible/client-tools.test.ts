import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { toConversation, type WireMessage } from '../../prompts/chat-messages.ts'
import { ignoreToolCalls, ignoreTools } from './client-tools.ts'

const TOOLS = [{ name: 'ls' }]

describe('offered tools', () => {
  it.each<[Record<string, unknown[] | null | undefined>, string[]]>([
    [{ tools: undefined, functions: null }, []],
    [{ tools: [], functions: [] }, []],
    [{ tools: TOOLS, functions: [] }, ['tools']],
    [{ tools: [], functions: TOOLS }, ['functions']],
    [{ tools: TOOLS, mcp_servers: TOOLS }, ['tools', 'mcp_servers']],
  ])('of %j are ignored as %j, or refused', (offered, names) => {
    expect(ignoreTools(offered, 'ignore')).toEqual(names)
    const refuse = () => ignoreTools(offered, 'refuse')
    if (names.length === 0) expect(refuse()).toEqual([])
    else expect(refuse).toThrow(`${names[0]}: not supported: tools; agents use their own tools`)
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
    const image = { role: 'user', content: [{ type: 'tool_result' }, { type: 'image' }] }
    const { messages } = ignoreToolCalls([user, image], 'ignore')
    expect(() => toConversation(messages)).toThrow('messages[1].content[0]: not supported: content of type image')
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
