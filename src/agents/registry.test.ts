import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { BACKENDS } from './adapter/agent.ts'
import { AGENTS } from './registry.ts'

describe('AGENTS', () => {
  it('contains every backend in order, under its own name', () => {
    expect(Object.values(AGENTS).map(({ backend }) => backend)).toEqual(BACKENDS)
    expect(Object.keys(AGENTS)).toEqual(BACKENDS)
  })

  it('matches the table of extra flags in docs/agents.md', () => {
    const page = readFileSync(join(import.meta.dirname, '../../docs/agents.md'), 'utf8')
    const section = page.split('## `extra`')[1]?.split('\n## ')[0] ?? ''
    const rows = BACKENDS.map((backend) => {
      const row = new RegExp(`^\\| ${backend} \\| (.+) \\|$`, 'm').exec(section)?.[1] ?? ''
      return [...row.matchAll(/`([^`]+)`/g)].map(([, flag]) => flag)
    })
    expect(rows).toEqual(BACKENDS.map((backend) => Object.keys(AGENTS[backend].extraFlags)))
  })
})
