import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { createKeyRing } from '../../config/key-ring.ts'
import { digest } from '../../kit/digest.ts'
import { randomIds } from '../../kit/ids.ts'
import { Logins } from './logins.ts'

const KEY = 'a-key-that-is-long-enough'
const MINUTE_MS = 60_000
const WEEK_MS = 7 * 24 * 60 * MINUTE_MS

function setUp() {
  const directory = mkdtempSync(join(tmpdir(), 'drover-logins-'))
  onTestFinished(() => rmSync(directory, { recursive: true }))
  const file = join(directory, 'logins.json')
  const keys = createKeyRing({ isRequired: true })
  const valid = { digest: digest(KEY), name: 'ci', role: 'client' as const, rateLimit: {} }
  keys.replace([valid])
  let now = 0
  const warnings: string[] = []
  const log = {
    debug() {},
    info() {},
    error() {},
    warn: (_: object, text: string) => warnings.push(text),
    with: () => log,
  }
  const open = () => new Logins({ clock: { now: () => new Date(now) }, ids: randomIds, keys, log, file })
  return { file, keys, open, warnings, wait: (ms: number) => (now += ms) }
}

describe('Logins', () => {
  it.each([
    ['5 minutes', 5 * MINUTE_MS - 1, true],
    ['no longer', 5 * MINUTE_MS, false],
  ])('accepts a link for %s', (_name, ms, isAccepted) => {
    const { open, wait } = setUp()
    const logins = open()
    const link = logins.createLink()
    wait(ms)
    expect(logins.useLink(link) !== undefined).toBe(isAccepted)
  })

  it.each([
    ['a week', WEEK_MS - 1, 'ci'],
    ['no longer', WEEK_MS, undefined],
  ])('keeps a login for %s', (_name, ms, name) => {
    const { open, wait } = setUp()
    const logins = open()
    const { token = '' } = logins.useKey(KEY) ?? {}
    wait(ms)
    expect(logins.find(token)?.name).toBe(name)
  })

  it('keeps logins when the server restarts, in a file without secrets that only the user can read', () => {
    const { open, file } = setUp()
    const { token = '' } = open().useKey(KEY) ?? {}
    expect(open().find(token)?.name).toBe('ci')
    const stored = readFileSync(file, 'utf8')
    expect([stored.includes(token), stored.includes(KEY)]).toEqual([false, false])
    expect(statSync(file).mode & 0o777).toBe(0o600)
  })

  it('keeps those of another server of the user', () => {
    const { open } = setUp()
    const [one, other] = [open(), open()]
    const tokens = [one, other].map((logins) => logins.useKey(KEY)?.token ?? '')
    expect(tokens.map((token) => open().find(token)?.name)).toEqual(['ci', 'ci'])
  })

  it('keeps the 50 newest of each key, and those of others', () => {
    const { open } = setUp()
    const logins = open()
    const { token: user = '' } = logins.useLink(logins.createLink()) ?? {}
    const tokens = Array.from({ length: 51 }, () => logins.useKey(KEY)?.token ?? '')
    expect(tokens.map((token) => logins.find(token)?.name)).toEqual([undefined, ...Array(50).fill('ci')])
    expect(logins.find(user)?.name).toBe('console@local')
  })

  it('ends a login with its key', () => {
    const { open, keys } = setUp()
    const logins = open()
    const { token = '' } = logins.useKey(KEY) ?? {}
    keys.replace([])
    expect(logins.find(token)).toBeUndefined()
  })

  it('ends a login with a logout, also after a restart', () => {
    const { open } = setUp()
    const logins = open()
    const { token = '' } = logins.useKey(KEY) ?? {}
    logins.end(token)
    expect([logins.find(token), open().find(token)]).toEqual([undefined, undefined])
  })

  it('starts without logins if the file is damaged, and says so', () => {
    const { open, file, warnings } = setUp()
    writeFileSync(file, '{')
    expect(open().find('x')).toBeUndefined()
    expect(warnings).toEqual(['logins to the console could not be read; log in again'])
  })
})
