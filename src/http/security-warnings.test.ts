import { beforeAll, describe, expect, it } from 'vitest'
import type { Config } from '../config/config.shape.ts'
import type { ConfigPath } from '../config/keys.ts'
import { settle } from '../config/settle.ts'
import { type SecurityFacts, securityWarnings } from './security-warnings.ts'

const configWith = (values: Partial<Record<ConfigPath, unknown>> = {}): Config => {
  const places = new Map()
  return settle([{ values: new Map(Object.entries(values)) as Map<ConfigPath, unknown>, places }]).config
}

let safe: SecurityFacts
beforeAll(() => {
  safe = { config: configWith(), place: { host: '127.0.0.1', port: 8080 }, hasKeys: false, isRoot: false }
})

const warningsOf = (facts: Partial<SecurityFacts>) =>
  securityWarnings({ ...safe, ...facts }).map(({ warning }) => warning.split(':')[0])

const LISTED = configWith({ 'server.allowed_workdir_prefixes': ['/srv'] })

describe('securityWarnings', () => {
  it('has nothing against the defaults', () => {
    expect(warningsOf({})).toEqual([])
  })

  it.each(['0.0.0.0', '::'])('warns of the public bind address %s without keys', (host) => {
    expect(warningsOf({ place: { host, port: 1 }, config: LISTED })).toEqual([
      'public bind address without API key auth',
    ])
  })

  it.each(['192.168.1.5', 'box.example', '2001:db8::1'])('warns of the address %s without keys', (host) => {
    expect(warningsOf({ place: { host, port: 1 }, config: LISTED })).toEqual([
      'bind address beyond this machine without API key auth',
    ])
  })

  it.each([
    { host: 'localhost', port: 1 },
    { host: '::1', port: 1 },
    { host: '127.1.2.3', port: 1 },
    { socket: '/run/x' },
  ])('has nothing against %j without keys', (place) => {
    expect(warningsOf({ place })).toEqual([])
  })

  it('has nothing against a public bind with keys and a list of directories', () => {
    expect(warningsOf({ place: { host: '0.0.0.0', port: 1 }, hasKeys: true, config: LISTED })).toEqual([])
  })

  it('warns of a bind beyond this machine without a list of working directories, keys or not', () => {
    expect(warningsOf({ place: { host: '0.0.0.0', port: 1 }, hasKeys: true })).toEqual([
      'no list of working directories',
    ])
  })

  it('warns of wildcard CORS without keys only', () => {
    const config = configWith({ 'server.cors_allowed_origins': ['*'] })
    expect(warningsOf({ config })).toEqual(['auth disabled together with wildcard CORS'])
    expect(warningsOf({ config, hasKeys: true })).toEqual([])
  })

  it('warns of credentials for a wildcard origin', () => {
    const config = configWith({ 'server.cors_allow_credentials': true })
    expect(warningsOf({ config })).toEqual(['CORS credentials allowed for a wildcard origin'])
    const named = configWith({
      'server.cors_allow_credentials': true,
      'server.cors_allowed_origins': ['https://a.example'],
    })
    expect(warningsOf({ config: named })).toEqual([])
  })

  it.each<ConfigPath>(['unified_flags.approval_mode', 'backends.codex.approval_mode'])('warns of %s: none', (key) => {
    expect(warningsOf({ config: configWith({ [key]: 'none' }) })).toEqual(['approval mode "none"'])
  })

  it('warns of unsafe extra arguments', () => {
    expect(warningsOf({ config: configWith({ 'server.allow_unsafe_extra': true }) })).toEqual([
      'unsafe extra arguments allowed',
    ])
  })

  it('warns of root', () => {
    expect(warningsOf({ isRoot: true })).toEqual(['running as root'])
  })

  it('has a way out for every warning', () => {
    const worst = configWith({
      'server.cors_allowed_origins': ['*'],
      'server.allow_unsafe_extra': true,
      'unified_flags.approval_mode': 'none',
    })
    const found = securityWarnings({ config: worst, place: { host: '::', port: 1 }, hasKeys: false, isRoot: true })
    expect(found).toHaveLength(6)
    for (const { suggestion } of found) expect(suggestion).not.toBe('')
  })
})
