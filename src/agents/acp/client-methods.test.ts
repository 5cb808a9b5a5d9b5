import { describe, expect, it } from 'vitest'
import type { ToolKind } from '../adapter/acp-profile.ts'
import type { JsonObject } from '../adapter/json-fields.ts'
import { ClientMethods } from './client-methods.ts'
import type { ClientTerminals } from './client-terminals.ts'
import type { Verdict } from './permissions.ts'

const RUN_MAKE = { kind: 'execute', rawInput: { command: 'make' } }

/** Lets the user decide about a call, then runs commands. Returns what the user was asked about. */
async function askedAbout(
  decided: { call: JsonObject; verdict: Verdict }[],
  commands: readonly string[],
): Promise<string[]> {
  const asked: string[] = []
  const methods = new ClientMethods({
    client: { files: true, terminal: true },
    terminals: { create: async () => ({}) } as unknown as ClientTerminals,
    workdir: '/work',
    permission: 'ask',
    ask: async (call) => {
      asked.push(String((call['rawInput'] as JsonObject)['command']))
      return 'deny'
    },
    onDenied: () => {},
  })
  for (const { call, verdict } of decided) methods.grant(call, { kind: call['kind'] as ToolKind, verdict })
  for (const command of commands) await methods.answer('terminal/create', { command: 'sh', args: ['-c', command] })
  return asked
}

describe('a command that the agent runs through drover', () => {
  it.each<[string, { call: JsonObject; verdict: Verdict }[], string[], string[]]>([
    ['allowed by its name', [{ call: RUN_MAKE, verdict: 'allow' }], ['make'], []],
    ['another one', [{ call: RUN_MAKE, verdict: 'allow' }], ['rm -r /'], ['sh -c rm -r /']],
    ['a second time', [{ call: RUN_MAKE, verdict: 'allow' }], ['make', 'make'], ['sh -c make']],
    ['allowed without a name', [{ call: { kind: 'execute' }, verdict: 'allow' }], ['make', 'ls'], ['sh -c ls']],
    ['for the session', [{ call: RUN_MAKE, verdict: 'allow_session' }], ['make', 'ls'], []],
    ['denied', [{ call: RUN_MAKE, verdict: 'deny' }], ['make'], ['sh -c make']],
    ['after an allowed fetch', [{ call: { kind: 'fetch' }, verdict: 'allow' }], ['make'], ['sh -c make']],
    [
      'after an allowed edit',
      [{ call: { kind: 'edit', rawInput: { path: 'a' } }, verdict: 'allow_session' }],
      ['make'],
      ['sh -c make'],
    ],
  ])('%s', async (_, decided, commands, asked) => {
    expect(await askedAbout(decided, commands)).toEqual(asked)
  })
})
