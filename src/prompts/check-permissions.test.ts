import { describe, expect, it } from 'vitest'
import { chooseSandbox } from './check-permissions.ts'

const NOTHING = {
  ...({ asked: undefined, setting: 'off', stored: undefined, approvalMode: 'default', ceiling: undefined } as const),
}

type Wishes = Parameters<typeof chooseSandbox>[0]

describe('whether an agent runs in a sandbox', () => {
  it.each<[string, Partial<Wishes>, ReturnType<typeof chooseSandbox>]>([
    ['is off without a wish', {}, 'off'],
    ['follows the settings', { setting: 'on' }, 'on'],
    ['follows the request before the settings', { asked: 'off', setting: 'on' }, 'off'],
    ['follows the session before the settings', { stored: 'required', setting: 'off' }, 'required'],
    ['follows the request before the session', { asked: 'off', stored: 'required' }, 'off'],
    ['is required by the settings, whatever the request wants', { asked: 'on', setting: 'required' }, 'required'],
    ['is required by the approval mode', { approvalMode: 'sandboxed' }, 'required'],
    ['is required by a ceiling', { asked: 'on', ceiling: 'a key' }, 'required'],
  ])('%s', (_, wishes, use) => {
    expect(chooseSandbox({ ...NOTHING, ...wishes })).toBe(use)
  })

  it.each<[string, Partial<Wishes>]>([
    ['sandbox.mode', { setting: 'required' }],
    ['the approval mode sandboxed', { approvalMode: 'sandboxed' }],
    ['requires_sandbox of the key ci', { ceiling: 'requires_sandbox of the key ci' }],
  ])('cannot be turned off if it is required by %s', (by, wishes) => {
    expect(() => chooseSandbox({ ...NOTHING, ...wishes, asked: 'off' })).toThrow(
      `the sandbox cannot be turned off: ${by} requires it`,
    )
  })
})
