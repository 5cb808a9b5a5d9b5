import { existsSync, realpathSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { temporaryDirectory } from '../../../test/support/run-drover.ts'
import type { ToolKind } from '../adapter/acp-profile.ts'
import type { Denial } from '../adapter/agent.ts'
import type { JsonRecord } from '../adapter/json-fields.ts'
import type { Permission } from '../adapter/permission.ts'
import { ClientMethods } from './client-methods.ts'
import type { ClientTerminals } from './client-terminals.ts'
import type { Verdict } from './permissions.ts'

/** The agent does not take its request back. */
const WANTED = new AbortController().signal
const RUN_MAKE = { kind: 'execute', rawInput: { command: 'make' } }

/** Lets the user decide about a call, then runs commands. Returns what the user was asked about. */
async function askedAbout(
  decided: { call: JsonRecord; verdict: Verdict }[],
  commands: readonly string[],
): Promise<string[]> {
  const asked: string[] = []
  const methods = new ClientMethods({
    client: { files: true, terminal: true },
    terminals: { create: async () => ({}) } as unknown as ClientTerminals,
    workdir: '/work',
    permission: 'ask',
    ask: async (call) => {
      asked.push(String((call['rawInput'] as JsonRecord)['command']))
      return 'deny'
    },
    onDenied: () => {},
  })
  for (const { call, verdict } of decided) methods.grant(call, { kind: call['kind'] as ToolKind, verdict })
  for (const command of commands)
    await methods.answer('terminal/create', { command: 'sh', args: ['-c', command] }, WANTED)
  return asked
}

describe('a command that the agent runs through drover', () => {
  it.each<[string, { call: JsonRecord; verdict: Verdict }[], string[], string[]]>([
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

describe('a command that the caller allows', () => {
  const denials = async (permission: Permission, params: JsonRecord) => {
    const denied: Denial[] = []
    const methods = new ClientMethods({
      client: { files: true, terminal: true },
      terminals: { create: async () => ({}) } as unknown as ClientTerminals,
      workdir: '/work',
      permission,
      allowedCommands: ['npm test'],
      ask: async () => 'deny',
      onDenied: (denial) => denied.push(denial),
    })
    await methods.answer('terminal/create', params, WANTED)
    return denied.length
  }

  it.each<[JsonRecord, Permission, number]>([
    [{ command: 'npm test' }, 'edit', 0],
    [{ command: 'npm', args: ['test'] }, 'edit', 0],
    [{ command: '/bin/bash', args: ['-lc', 'npm test'] }, 'edit', 0],
    [{ command: 'git diff' }, 'edit', 0],
    [{ command: 'npm test' }, 'ask', 1],
    [{ command: 'npm test' }, 'read-only', 1],
    [{ command: 'npm test; rm -rf .' }, 'edit', 1],
    [{ command: 'sh', args: ['-c', 'npm test; rm -rf .'] }, 'edit', 1],
    [{ command: 'sh', args: ['-c', 'npm test', 'x'] }, 'edit', 1],
    [{ command: './sh', args: ['-c', 'npm test'] }, 'edit', 1],
    [{ command: 'npm test', env: [{ name: 'PATH', value: '.' }] }, 'edit', 1],
  ])('%j with the permission %s', async (params, permission, count) => {
    expect(await denials(permission, params)).toBe(count)
  })
})

describe('what the agent asks of drover', () => {
  it('runs if the user allows it when asked, and reaches the terminals', async () => {
    const called: string[] = []
    const terminals = new Proxy({}, { get: (_, name) => async () => ({ called: called.push(String(name)) }) })
    const methods = new ClientMethods({
      client: { files: true, terminal: true },
      terminals: terminals as ClientTerminals,
      workdir: realpathSync(temporaryDirectory()),
      permission: 'ask',
      ask: async () => 'allow',
      onDenied: () => called.push('denied'),
    })
    for (const method of ['create', 'output', 'wait_for_exit', 'kill', 'release']) {
      await methods.answer(`terminal/${method}`, { command: 'make' }, WANTED)
    }
    expect(called).toEqual(['create', 'output', 'waitForExit', 'kill', 'release'])
    await expect(methods.answer('fs/read_text_file', { path: 'a' }, WANTED)).rejects.toThrow('must be absolute')
  })
})

describe('a file that the agent writes through drover', () => {
  /** What the user answers, about which path each time, and what was denied. */
  function setUp(permission: Permission | undefined, verdicts: Verdict[] = []) {
    const workdir = realpathSync(temporaryDirectory())
    const asked: string[] = []
    const denied: Denial[] = []
    const methods = new ClientMethods({
      client: { files: true },
      terminals: {} as ClientTerminals,
      workdir,
      permission,
      ask: async (call) => {
        asked.push(String((call['rawInput'] as JsonRecord)['path']))
        return verdicts.shift() ?? 'deny'
      },
      onDenied: (denial) => denied.push(denial),
    })
    const write = async (name: string) => {
      const path = join(workdir, name)
      await methods.answer('fs/write_text_file', { path, content: '' }, WANTED)?.catch(() => undefined)
      return existsSync(path)
    }
    return { methods, workdir, write, asked, denied }
  }

  it('is not written after the user has denied it, and each time asked about again', async () => {
    const { workdir, write, asked, denied } = setUp('ask')
    expect([await write('a'), await write('a')]).toEqual([false, false])
    const path = join(workdir, 'a')
    expect(asked).toEqual([path, path])
    expect(denied).toEqual([path, path].map((subject) => ({ tool: 'edit', subject, needs: 'edit' })))
  })

  it('is written once after the user has allowed it, and more after a grant for the session', async () => {
    const { write, asked, denied } = setUp('ask', ['allow', 'deny', 'allow_session'])
    expect([await write('a'), await write('b'), await write('c'), await write('d')]).toEqual([true, false, true, true])
    expect([asked.length, denied.length]).toEqual([3, 1])
  })

  it('is covered by a call for it, named in any way, and not by one for another', async () => {
    const { methods, workdir, write, asked } = setUp('ask')
    const grant = (path: string) =>
      methods.grant({ kind: 'edit', locations: [{ path }] }, { kind: 'edit', verdict: 'allow' })
    grant('./x/../a')
    expect([await write('b'), await write('a')]).toEqual([false, true])
    for (const path of ['d', 'e']) grant(path)
    expect([await write('d'), await write('e'), asked.length]).toEqual([true, true, 1])
    const locations = [{ path: 'f' }, { path: 'g' }]
    methods.grant({ kind: 'move', locations }, { kind: 'move', verdict: 'allow' })
    expect(await write('g')).toBe(true)
    grant(join(workdir, 'ab'))
    expect([await write('c'), asked.length]).toEqual([false, 2])
  })

  it.each<[Permission | undefined, boolean]>([
    ['read-only', false],
    ['edit', true],
    ['everything', true],
    [undefined, true],
  ])('needs no question with the permission %s', async (permission, isWritten) => {
    const { write, asked, denied } = setUp(permission, ['allow'])
    expect([await write('a'), asked, denied.length]).toEqual([isWritten, [], isWritten ? 0 : 1])
  })

  it('is not written when the turn is over, not even if the user allows it then', async () => {
    const { methods, workdir, write } = setUp('edit')
    methods.close()
    await expect(methods.answer('fs/write_text_file', {}, WANTED)).rejects.toThrow('the turn is over')
    expect(methods.answer('fs/unknown', {}, WANTED)).toBeUndefined()
    expect(await write('a')).toBe(false)
    const decided = Promise.withResolvers<Verdict>()
    const client = { files: true } as const
    const options = { client, terminals: {} as ClientTerminals, workdir, permission: 'ask' } as const
    const late = new ClientMethods({ ...options, ask: () => decided.promise, onDenied: () => {} })
    const written = late.answer('fs/write_text_file', { path: join(workdir, 'b'), content: '' }, WANTED)
    late.close()
    decided.resolve('allow')
    await expect(written).rejects.toThrow('the turn is over')
    expect(existsSync(join(workdir, 'b'))).toBe(false)
  })

  it('needs a client that offers it', () => {
    const options = { terminals: {} as ClientTerminals, workdir: '/', permission: undefined, onDenied: () => {} }
    const methods = new ClientMethods({ ...options, client: undefined, ask: async () => 'allow' })
    for (const method of ['fs/write_text_file', 'fs/read_text_file', 'terminal/create', 'constructor']) {
      expect(methods.answer(method, {}, WANTED)).toBeUndefined()
    }
  })
})
