import { expect, it } from 'vitest'
import type { DriveCaller } from '../../drive/service/client-rules.ts'
import type { ServerContext } from '../context/server-context.ts'
import { workPromptsFor } from './prompts-of.ts'

const ceilings = { sandbox: { mode: 'workspace', setting: 'max_sandbox_mode of the key ada' } } as const

it.each<[DriveCaller, object | undefined]>([
  [{ is: 'user' }, { caller: 'operator' }],
  [
    { is: 'client', key: 'ada', keyId: 'key_1', ceilings },
    { caller: 'client', client: { id: 'key_1', name: 'ada' }, ceilings },
  ],
  [
    { is: 'client', key: undefined, ceilings: {} },
    { caller: 'client', client: undefined, ceilings: {} },
  ],
  // What a server allowed is not known.
  [{ is: 'client', key: 'ada' }, undefined],
])('a worker goes on with a run of %j as %j', (caller, expected) => {
  const context = { prompts: {} } as unknown as ServerContext
  const prompts = workPromptsFor(context)(caller)
  if (expected === undefined) expect(prompts).toBeUndefined()
  else expect(prompts).toMatchObject(expected)
})
