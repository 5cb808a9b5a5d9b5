import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
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

const NONE = { token: '', secret: '' }
const begin = (logins: Logins) => logins.useKey(KEY) ?? NONE

describe('Logins', () => {
  it('find a login by both its parts, and by neither alone', () => {
    const logins = setUp().open()
    const [one, other] = [begin(logins), begin(logins)]
    expect(one.token).not.toBe(one.secret)
    expect(logins.find(one)?.name).toBe('ci')
    const wrong = ['', one.token, other.secret, one.secret.slice(1)].map((secret) => ({ token: one.token, secret }))
    const swapped = { token: one.secret, secret: one.token }
    for (const proof of [...wrong, swapped, { ...one, token: '' }, { ...one, token: other.token }])
      expect(logins.find(proof)).toBeUndefined()
  })

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
    const login = begin(logins)
    wait(ms)
    expect(logins.find(login)?.name).toBe(name)
  })

  it('accepts a link once, and no key that is not valid', () => {
    const { open, wait } = setUp()
    const logins = open()
    const [link, old] = [logins.createLink(), logins.createLink()]
    expect([link, link, 'unknown'].map((token) => logins.useLink(token) !== undefined)).toEqual([true, false, false])
    expect(logins.useKey('another-key-that-is-long')).toBeUndefined()
    wait(5 * MINUTE_MS)
    expect([logins.createLink(), old].map((token) => logins.useLink(token) !== undefined)).toEqual([true, false])
  })

  it('tells how long a login lasts, and stores none that has ended', () => {
    const { open, file, wait } = setUp()
    const logins = open()
    expect(logins.useKey(KEY)?.maxAgeSecs).toBe(WEEK_MS / 1000)
    const stored = () => (JSON.parse(readFileSync(file, 'utf8')) as unknown[]).length
    begin(logins)
    expect(stored()).toBe(2)
    wait(WEEK_MS)
    begin(logins)
    expect(stored()).toBe(1)
  })

  it('keeps logins when the server restarts, in a file without secrets that only the user can read', () => {
    const { open, file } = setUp()
    const login = begin(open())
    expect(open().find(login)?.name).toBe('ci')
    const stored = readFileSync(file, 'utf8')
    expect([login.token, login.secret, KEY].map((text) => stored.includes(text))).toEqual([false, false, false])
    expect(statSync(file).mode & 0o777).toBe(0o600)
  })

  it('keeps those of another server of the user', () => {
    const { open } = setUp()
    const [one, other] = [open(), open()]
    const begun = [one, other].map(begin)
    expect(begun.map((login) => open().find(login)?.name)).toEqual(['ci', 'ci'])
  })

  it('keeps the 50 newest of each key, and those of others', () => {
    const { open } = setUp()
    const logins = open()
    const user = logins.useLink(logins.createLink()) ?? NONE
    const begun = Array.from({ length: 51 }, () => begin(logins))
    expect(begun.map((login) => logins.find(login)?.name)).toEqual([undefined, ...Array(50).fill('ci')])
    expect(logins.find(user)?.name).toBe('console@local')
  })

  it('ends a login with its key', () => {
    const { open, keys } = setUp()
    const logins = open()
    const login = begin(logins)
    keys.replace([])
    expect(logins.find(login)).toBeUndefined()
  })

  it('ends a login with a logout, also after a restart', () => {
    const { open } = setUp()
    const logins = open()
    const login = begin(logins)
    logins.end(login)
    expect([logins.find(login), open().find(login)]).toEqual([undefined, undefined])
  })

  it('ends a login with a log-out at another server of the user, for good', () => {
    const { open } = setUp()
    const [one, other] = [open(), open()]
    const login = begin(one)
    expect(other.find(login)?.name).toBe('ci')
    one.end(login)
    expect(other.find(login)).toBeUndefined()
    begin(other)
    expect([one, other, open()].map((logins) => logins.find(login))).toEqual([undefined, undefined, undefined])
  })

  it('ends all logins when the file is removed', () => {
    const { open, file, warnings } = setUp()
    const logins = open()
    const login = begin(logins)
    rmSync(file)
    expect(logins.find(login)).toBeUndefined()
    expect(warnings).toEqual([])
  })

  it('keeps a login that could not be saved', () => {
    const { open, file, warnings } = setUp()
    mkdirSync(file)
    const logins = open()
    const login = begin(logins)
    expect(logins.find(login)?.name).toBe('ci')
    expect(warnings).toContain('logins to the console could not be saved; they end when the server stops')
  })

  it('starts without logins if the file is damaged, and says so', () => {
    const { open, file, warnings } = setUp()
    writeFileSync(file, '{')
    expect(open().find(NONE)).toBeUndefined()
    expect(warnings).toEqual(['logins to the console could not be read; log in again'])
  })
})
