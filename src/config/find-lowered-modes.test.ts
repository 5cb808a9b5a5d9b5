import { expect, it } from 'vitest'
import { findLoweredModes } from './find-lowered-modes.ts'
import { mergeLayers } from './layers.ts'
import type { ConfigPath } from './setting-keys.ts'

function loweredIn(values: Partial<Record<ConfigPath, unknown>>): string[] {
  const entries = Object.entries(values) as [ConfigPath, unknown][]
  const lines = findLoweredModes(mergeLayers([{ values: new Map(entries), origins: new Map() }]).config)
  return lines.map((line) => line.replace('; requests to the server that name no mode get less', ''))
}

it.each<[Partial<Record<ConfigPath, unknown>>, string[]]>([
  [{}, []],
  [{ 'unified_flags.approval_mode': 'none' }, []],
  [{ 'unified_flags.approval_mode': 'auto', 'server.max_approval_mode': 'auto' }, []],
  [{ 'unified_flags.approval_mode': 'always', 'server.max_approval_mode': 'auto' }, []],
  [{ 'unified_flags.approval_mode': 'default', 'server.max_approval_mode': 'always' }, []],
  [
    { 'unified_flags.approval_mode': 'none', 'server.max_approval_mode': 'auto' },
    ['unified_flags.approval_mode is none, but server.max_approval_mode is auto'],
  ],
  [
    { 'backends.codex.sandbox_mode': 'full', 'server.max_sandbox_mode': 'read-only' },
    ['backends.codex.sandbox_mode is full, but server.max_sandbox_mode is read-only'],
  ],
  [
    { 'backends.codex.sandbox_mode': 'full', 'server.max_approval_mode': 'auto' },
    ['backends.codex.sandbox_mode is full, but server.max_approval_mode is auto'],
  ],
  [{ 'backends.codex.approval_mode': 'none', 'server.max_sandbox_mode': 'read-only' }, []],
])('finds configured modes above the ceilings in %j', (values, lowered) => {
  expect(loweredIn(values)).toEqual(lowered)
})
