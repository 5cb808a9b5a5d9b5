import { expect, it } from 'vitest'
import { ceilingsFor } from './ceilings-for.ts'

type Facts = Parameters<typeof ceilingsFor>[0]

const OPEN_SETTING = 'a server on a network address without API keys'

const UNSET: Facts = { server: { max_approval_mode: '', max_sandbox_mode: '' }, key: undefined, isOpen: false }
const LOW = { max_approval_mode: 'auto', max_sandbox_mode: 'workspace' } as const
const HIGH = { max_approval_mode: 'none', max_sandbox_mode: 'full' } as const

it.each<[string, Partial<Facts>, ReturnType<typeof ceilingsFor>]>([
  ['nothing set', {}, undefined],
  ['the top of each scale', { server: HIGH }, undefined],
  [
    'the server',
    { server: LOW },
    {
      approval: { mode: 'auto', setting: 'server.max_approval_mode' },
      sandbox: { mode: 'workspace', setting: 'server.max_sandbox_mode' },
    },
  ],
  [
    'a lower one of the key',
    { server: LOW, key: { name: 'ci', ceilings: { sandbox: 'read-only' } } },
    {
      approval: { mode: 'auto', setting: 'server.max_approval_mode' },
      sandbox: { mode: 'read-only', setting: 'max_sandbox_mode of the key ci' },
    },
  ],
  [
    'higher ones of the key',
    { server: LOW, key: { name: 'ci', ceilings: { approval: 'none', sandbox: 'full' } } },
    undefined,
  ],
  [
    'a sandbox that the key requires',
    { key: { name: 'ci', ceilings: { requiresSandbox: true } } },
    { boundary: { setting: 'requires_sandbox of the key ci' } },
  ],
  [
    'no tools for the key',
    { key: { name: 'ci', ceilings: { agentTools: 'none' } } },
    { tools: { setting: 'agent_tools of the key ci' } },
  ],
  [
    'the directories of the key',
    { key: { name: 'ci', ceilings: { directories: ['/srv/a'] } } },
    { directories: { paths: ['/srv/a'], setting: 'directories of the key ci' } },
  ],
  [
    'the agents of the key',
    { key: { name: 'ci', ceilings: { backends: ['codex'] } } },
    { backends: { names: ['codex'], setting: 'backends of the key ci' } },
  ],
  [
    'one of the key alone',
    { key: { name: 'ci', ceilings: { approval: 'always' } } },
    { approval: { mode: 'always', setting: 'max_approval_mode of the key ci' } },
  ],
  ['an open server', { isOpen: true }, { sandbox: { mode: 'read-only', setting: OPEN_SETTING } }],
  [
    'an open server with an approval ceiling',
    { isOpen: true, server: { max_approval_mode: 'none', max_sandbox_mode: '' } },
    { sandbox: { mode: 'read-only', setting: OPEN_SETTING } },
  ],
  ['an open server that is meant to be open', { isOpen: true, server: HIGH }, undefined],
])('takes the ceilings from %s', (_name, facts, ceilings) => {
  expect(ceilingsFor({ ...UNSET, ...facts })).toEqual(ceilings)
})
