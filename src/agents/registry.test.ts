import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { NATIVE_BACKENDS } from './adapter/agent.ts'
import { NATIVE_AGENTS } from './registry.ts'

describe('NATIVE_AGENTS', () => {
  it('contains every backend in order, under its own name', () => {
    expect(Object.values(NATIVE_AGENTS).map(({ backend }) => backend)).toEqual(NATIVE_BACKENDS)
    expect(Object.keys(NATIVE_AGENTS)).toEqual(NATIVE_BACKENDS)
  })

  it('matches the table of extra flags in docs/agents.md', () => {
    const page = readFileSync(join(import.meta.dirname, '../../docs/agents.md'), 'utf8')
    const section = page.split('## `extra`')[1]?.split('\n## ')[0] ?? ''
    const rows = NATIVE_BACKENDS.map((backend) => {
      const row = new RegExp(`^\\| ${backend} \\| (.+) \\|$`, 'm').exec(section)?.[1] ?? ''
      return [...row.matchAll(/`([^`]+)`/g)].map(([, flag]) => flag)
    })
    expect(rows).toEqual(NATIVE_BACKENDS.map((backend) => Object.keys(NATIVE_AGENTS[backend].extraFlags)))
  })
})
