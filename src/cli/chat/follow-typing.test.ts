import { describe, expect, it } from 'vitest'
import type { Typed } from '../line-editor.ts'
import { followTyping, NOTHING_TYPED } from './read-messages.ts'

const line = (text: string): Typed => ({ is: 'lines', lines: [text], isPasted: false })
const paste = (...lines: [string, ...string[]]): Typed => ({ is: 'lines', lines, isPasted: true })
const END: Typed = { is: 'end' }
const [CLEAR, CTRL_C]: [Typed, Typed] = [
  { is: 'interrupted', wasEmpty: false },
  { is: 'interrupted', wasEmpty: true },
]

/** The messages, and `end` if the conversation ended. */
function follow(typed: readonly Typed[]): string[] {
  const seen: string[] = []
  let state = NOTHING_TYPED
  for (const each of typed) {
    const step = followTyping(state, each)
    state = step.is === 'ask' ? step.state : NOTHING_TYPED
    if (step.is === 'end') return [...seen, 'end']
    if (step.is === 'message') seen.push(step.text)
  }
  return seen
}

describe('followTyping', () => {
  it.each<[name: string, typed: readonly Typed[], seen: readonly string[]]>([
    ['a line is a message', [line('a')], ['a']],
    ['Ctrl-D ends', [END], ['end']],
    ['Ctrl-D ends with a message half typed', [line('"""'), END], ['end']],
    ['Ctrl-C once on an empty line does not end', [CTRL_C, line('a')], ['a']],
    ['Ctrl-C twice on an empty line ends', [CTRL_C, CTRL_C], ['end']],
    ['Ctrl-C clears a line first', [CLEAR, CTRL_C, line('a')], ['a']],
    ['Ctrl-C after a line starts again', [CTRL_C, line('a\\'), CTRL_C, CTRL_C, line('b')], ['b']],
    ['Ctrl-C drops a message half typed', [line('"""'), line('a'), CTRL_C, line('b')], ['b']],
    ['a paste is one message', [paste('/help', '"""', 'b\\')], ['/help\n"""\nb\\']],
    ['a paste continues a line', [line('a\\'), paste('b', 'c')], ['a\nb\nc']],
    ['a paste in a block does not end it', [line('"""'), paste('a', '"""'), line('b'), line('"""')], ['a\n"""\nb']],
  ])('%s', (_name, typed, seen) => {
    expect(follow(typed)).toEqual(seen)
  })
})
