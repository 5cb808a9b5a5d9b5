import { describe, expect, it } from 'vitest'
import { isWithin } from '../../sandbox/sandbox-policy.ts'
import { findAcpNeeds } from './agent-needs.ts'
import { KNOWN_AGENTS } from './known-agents.ts'

const place = { env: { HOME: '/home/ada', OPENAI_HOST: 'https://models.example:8443' }, workdir: '/home/ada/project' }

const tried = KNOWN_AGENTS.flatMap(({ name, command: [program] }) => {
  const needs = findAcpNeeds(program)?.(place)
  return needs === undefined ? [] : [{ name, ...needs }]
})

describe.each(tried)('the needs of $name', ({ read, copied, logins, kept }) => {
  it('have a place for its sessions, in its own directories', () => {
    expect(kept.length).toBeGreaterThan(0)
    expect([...read, ...copied, ...logins, ...kept].filter((path) => !isWithin(path, ['/home/ada']))).toEqual([])
  })

  it('keep no directory that has settings or logins in it', () => {
    expect([...read, ...copied, ...logins].filter((path) => isWithin(path, kept))).toEqual([])
  })
})

it('a host that a variable names is reached', () => {
  expect(findAcpNeeds('goose')?.(place).hosts).toContain('models.example:8443')
})

it('a variable can name a path in the home', () => {
  expect(findAcpNeeds('cline')?.(place).variables).toMatchObject({
    CLINE_DB_DATA_DIR: '/home/ada/.cline/sandbox/db',
    CLINE_SESSION_BACKEND_MODE: 'local',
  })
})

it('no one has tried an agent that drover does not know', () => {
  expect(findAcpNeeds('mine')).toBeUndefined()
})
