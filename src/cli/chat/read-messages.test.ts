import { describe, expect, it } from 'vitest'
import { collectLine, type Draft, parseMessage } from './read-messages.ts'

/** The messages that these lines make, and what is left. */
function collect(lines: readonly string[]) {
  const messages: string[] = []
  let draft: Draft | undefined
  for (const line of lines) {
    const collected = collectLine(draft, line)
    draft = collected.is === 'incomplete' ? collected.draft : undefined
    if (collected.is === 'complete') messages.push(collected.text)
  }
  return { messages, draft }
}

describe('collectLine', () => {
  it.each<[name: string, lines: readonly string[], messages: readonly string[]]>([
    ['one line is a message', ['hello'], ['hello']],
    ['a backslash continues it', ['one\\', 'two\\', 'three', 'next'], ['one\ntwo\nthree', 'next']],
    ['two backslashes do not', ['C:\\\\', 'next'], ['C:\\\\', 'next']],
    ['three do', ['C:\\\\\\', 'next'], ['C:\\\\\nnext']],
    ['a block keeps every line', ['"""', '  a\\', '', '/help', '"""', 'next'], ['  a\\\n\n/help', 'next']],
    ['the quotes of a block may stand beside text', ['"""a', 'b"""'], ['a\nb']],
    ['a block on one line', ['"""a"""'], ['a']],
    ['an empty block is empty', ['"""', '"""'], ['']],
    ['quotes inside a line do not start a block', ['say """hello"""'], ['say """hello"""']],
  ])('%s', (_name, lines, messages) => {
    expect(collect(lines)).toEqual({ messages, draft: undefined })
  })

  it('keeps an unfinished message', () => {
    expect(collect(['"""', 'a']).draft).toEqual({ lines: ['a'], isBlock: true })
    expect(collect(['a\\']).draft).toEqual({ lines: ['a'], isBlock: false })
  })
})

describe('parseMessage', () => {
  it.each<[text: string, message: object]>([
    ['hello there', { is: 'prompt', text: 'hello there' }],
    ['  hello', { is: 'prompt', text: '  hello' }],
    ['   ', { is: 'empty' }],
    ['/help', { is: 'command', name: 'help', argument: '' }],
    [' /backend  codex ', { is: 'command', name: 'backend', argument: 'codex' }],
    ['/compare tabs or spaces?', { is: 'command', name: 'compare', argument: 'tabs or spaces?' }],
    ['/', { is: 'command', name: '', argument: '' }],
    ['//review this', { is: 'prompt', text: '/review this' }],
    ['/etc/hosts: what is it?', { is: 'prompt', text: '/etc/hosts: what is it?' }],
    ['/help\nme', { is: 'prompt', text: '/help\nme' }],
  ])('understands %j', (text, message) => {
    expect(parseMessage(text)).toEqual(message)
  })
})
