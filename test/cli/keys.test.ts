import { createHash } from 'node:crypto'
import { chmodSync, existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, describe, expect, it } from 'vitest'
import { callMain } from '../support/call-main.ts'
import { runDrover, temporaryDirectory } from '../support/run-drover.ts'
import { portOf, serveDrover } from '../support/serve-drover.ts'
import { ask } from '../support/start-server.ts'
import { until } from '../support/until.ts'

const sha256 = (key: string) => createHash('sha256').update(key).digest('hex')
const KEY = /^drover_key_[0-9a-f]{48}$/

let home: string
let file: string

beforeEach(() => {
  home = temporaryDirectory()
  file = join(home, '.drover', 'config.yaml')
})

const drover = (line: string) => callMain(line.split(' '), { cwd: home, env: {} })

function writeConfig(text: string): void {
  mkdirSync(join(home, '.drover'))
  writeFileSync(file, text)
}

describe('drover keys create', () => {
  it('prints a key once, and stores only its digest, in a private file', async () => {
    const { code, stdout, stderr } = await drover('keys create ci')
    const key = stdout.trim()
    expect([code, key]).toEqual([0, expect.stringMatching(KEY)])
    const stored = readFileSync(file, 'utf8')
    const [, id] = /id: (key_[0-9a-f]{24})$/m.exec(stored) ?? []
    expect(stored).toBe(`server:\n  keys:\n    - name: ci\n      id: ${id}\n      sha256: ${sha256(key)}\n`)
    expect(statSync(file).mode & 0o777).toBe(0o600)
    expect(stderr).toBe(
      `drover: stored the digest of the key ci in ${file}; the key itself is not shown again\n` +
        'drover: restart any server that was started without keys; it is still open\n',
    )
  })

  it('warns about a directory in which the key cannot work', async () => {
    const settings = { server: { allowed_workdir_prefixes: ['/srv/projects'] }, drive: { repositories: ['/srv/runs'] } }
    writeConfig(JSON.stringify(settings))
    const usable = ['/srv', '/srv/projects/app', '/srv/runs'].map((path) => `--directory ${path}`).join(' ')
    const { stderr } = await drover(`keys create web ${usable} --directory /srv/nope`)
    expect(stderr.split('\n').filter((line) => line.includes('warning'))).toEqual([
      'drover: warning: the key cannot work in /srv/nope, because server.allowed_workdir_prefixes does not allow it',
    ])
  })

  it('stores role and limits, and prints JSON', async () => {
    const flags = '--role operator --rps 2 --burst 9 --max-approval auto --max-sandbox workspace --json'
    const { stdout, stderr } = await drover(`keys create ops ${flags}`)
    const { key, ...shown } = JSON.parse(stdout)
    const rates = { rate_limit_rps: 2, rate_limit_burst: 9 }
    const limits = { role: 'operator', ...rates, max_approval_mode: 'auto', max_sandbox_mode: 'workspace' }
    expect([key, shown]).toEqual([expect.stringMatching(KEY), { name: 'ops', id: shown.id, ...limits, file }])
    expect(readFileSync(file, 'utf8')).toContain(`      sha256: ${sha256(key)}\n      role: operator\n`)
    expect(stderr).toContain('drover: warning: --rps has no effect until server.rate_limit_enabled is true\n')
    expect(JSON.parse((await drover('keys list --json')).stdout)).toEqual({
      file,
      keys: [{ name: 'ops', id: shown.id, ...limits }],
    })
  })

  it('keeps comments, order, other keys and the permissions of the file', async () => {
    const before = [
      '# mine',
      'server:',
      '  keys:',
      '    # the build machine',
      '    - name: ci # do not remove',
      `      sha256: ${sha256('one')}`,
      '  port: 9000 # free',
      '',
    ]
    writeConfig(before.join('\n'))
    chmodSync(file, 0o644)
    const { stdout, stderr } = await drover('keys create alice')
    const [id] = /id: key_.*/.exec(readFileSync(file, 'utf8')) ?? []
    const added = ['    - name: alice', `      ${id}`, `      sha256: ${sha256(stdout.trim())}`]
    expect(readFileSync(file, 'utf8')).toBe(before.toSpliced(6, 0, ...added).join('\n'))
    expect(stderr).toContain('drover: a running server accepts it within seconds\n')
    await drover('keys revoke alice')
    // A server that runs as another user must still be able to read it.
    expect(statSync(file).mode & 0o777).toBe(0o644)
    expect(readFileSync(file, 'utf8')).toBe(before.join('\n'))
  })

  it.each(['server:\n  keys: []\n', 'server: {}\n', '{}\n', ''])('adds to the file %j', async (text) => {
    writeConfig(text)
    expect((await drover('keys create ci')).code).toBe(0)
    expect(JSON.parse((await drover('keys list --json')).stdout).keys).toMatchObject([{ name: 'ci', role: 'client' }])
  })

  const ONE = `server:\n  keys:\n    - name: ci\n      sha256: ${sha256('one')}\n`

  it.each<[string, string, string, string]>([
    [
      'a name that is taken',
      'create ci',
      ONE,
      'already has a key with the name ci; choose another name, edit its entry there, or run "drover keys rotate ci" for a new secret',
    ],
    [
      'a bad name',
      'create a/b',
      ONE,
      'server.keys[1].name must be a name of 1 to 64 letters, digits, dots, underscores or hyphens',
    ],
    ['a name of 65 characters', `create ${'a'.repeat(65)}`, ONE, 'must be a name of 1 to 64 letters'],
    ['an unknown role', 'create x --role root', ONE, '--role'],
    ['a rate of 0', 'create x --rps 0', ONE, '--rps'],
    ['a burst of 0', 'create x --burst 0', ONE, '--burst'],
    ['no ceiling', 'create x --max-sandbox default', ONE, '--max-sandbox'],
    [
      'an invalid file',
      'create x',
      'server:\n  prot: 1\n',
      'server.prot is not a known key; did you mean server.port?',
    ],
    ['a file that is not YAML', 'create x', 'server: [', 'the configuration is not valid'],
    ['an unknown key to revoke', 'revoke ic', ONE, 'has no key with the name "ic"; did you mean ci?'],
    ['another unknown key to revoke', 'revoke production', ONE, 'run "drover keys list" to see the names'],
  ])('refuses %s and changes nothing', async (_name, words, text, sentence) => {
    writeConfig(text)
    const { code, stdout, stderr } = await drover(`keys ${words}`)
    expect({ isFailure: code !== 0, stdout, stderr }).toEqual({
      isFailure: true,
      stdout: '',
      stderr: expect.stringContaining(sentence),
    })
    expect(readFileSync(file, 'utf8')).toBe(text)
  })

  it('stores the directories of a key as absolute paths', async () => {
    const { stdout } = await drover('keys create web --directory /srv/a/../b --directory inner --json')
    const { directories } = JSON.parse(stdout)
    expect(directories).toEqual(['/srv/b', expect.stringMatching(/^\/.+\/inner$/)])
    expect((await drover('keys list')).stdout).toContain(`DIRECTORIES`)
    expect((await drover('keys list')).stdout).toContain('/srv/b')
  })

  it('stores the agents of a key, which must exist', async () => {
    const { stdout } = await drover('keys create web --backend claude --backend codex --json')
    expect(JSON.parse(stdout).backends).toEqual(['claude', 'codex'])
    expect((await drover('keys list')).stdout).toMatch(/BACKENDS *\n.* claude, codex/)
    expect((await drover('keys create other --backend codx')).stderr).toContain('did you mean codex?')
    expect((await drover('keys list')).stdout).not.toContain('other')
  })

  it('stores budgets and an end, and refuses those that it cannot read', async () => {
    const { stdout } = await drover('keys create ada --budget 20usd/day --budget 5Mtokens/week --expires 30d --json')
    const { budgets, expires_at: end } = JSON.parse(stdout)
    expect(budgets).toEqual(['20usd/day', '5Mtokens/week'])
    expect(Date.parse(end) - Date.now()).toBeGreaterThan(29.9 * 24 * 3_600_000)
    expect((await drover('keys list')).stdout).toContain('20usd/day, 5Mtokens/week')
    expect(await drover('keys create bob --budget 20eur/day')).toMatchObject({
      stdout: '',
      stderr: expect.stringContaining('20usd/day'),
    })
    expect(await drover('keys create bob --expires soon')).toMatchObject({ code: 2, stdout: '' })
  })

  it('gives a key a new secret, under the same id, even if the file has none', async () => {
    const old = `sha256: ${'ab'.repeat(32)}`
    writeConfig(`server:\n  keys:\n    - name: old # of the team\n      ${old}\n`)
    const rotated = await Promise.all(['keys rotate old', 'keys rotate old', 'keys rotate old'].map(drover))
    const keys = rotated.map(({ stdout }) => stdout.trim())
    expect(new Set(keys).size).toBe(3)
    const stored = readFileSync(file, 'utf8')
    expect(stored).toContain(`id: key_${'ab'.repeat(12)}`)
    expect(stored).toContain('# of the team')
    // The last of them counts.
    expect(keys.filter((key) => stored.includes(sha256(key)))).toHaveLength(1)
    expect(await drover('keys rotate odl')).toMatchObject({ stderr: expect.stringContaining('old') })
  })

  it('accepts a name of 64 characters', async () => {
    expect((await drover(`keys create ${'a'.repeat(64)}`)).code).toBe(0)
  })

  it('loses no key if several are created at once', async () => {
    const names = ['a', 'b', 'c', 'd']
    await Promise.all(names.map((name) => drover(`keys create ${name}`)))
    const { keys } = JSON.parse((await drover('keys --json')).stdout)
    expect(keys.map(({ name }: { name: string }) => name).sort()).toEqual(names)
  })
})

describe('drover keys list', () => {
  it('shows names, roles and limits, but no digests', async () => {
    await drover('keys create ci')
    await drover('keys create ops --role operator --rps 5 --max-approval none --require-sandbox')
    expect((await drover('keys')).stdout).toBe(
      [
        'NAME  ROLE      RPS  BURST  MAX APPROVAL  MAX SANDBOX  SANDBOX',
        'ci    client    -    -      -             -            -',
        'ops   operator  5    -      none          -            required',
        '',
      ].join('\n'),
    )
  })

  it('says that there are no keys, and creates no file', async () => {
    expect((await drover('keys list')).stdout).toBe(`${file} has no keys; "drover keys create NAME" adds one\n`)
    expect(existsSync(file)).toBe(false)
  })
})

describe('drover keys revoke', () => {
  it('removes one key, and warns when none is left', async () => {
    await drover('keys create ci')
    await drover('keys create ops')
    const first = await drover('keys revoke ci --json')
    expect([JSON.parse(first.stdout), first.stderr]).toEqual([{ name: 'ci', file, keys_left: 1 }, ''])
    const last = await drover('keys revoke ops')
    expect(last).toEqual({
      code: 0,
      stdout: `removed the key ops from ${file}; a running server refuses it within seconds\n`,
      stderr:
        'drover: warning: the file has no keys any more: a server that starts now requires a key only if it has another source\n',
    })
  })
})

describe('a running server', () => {
  it('accepts a created key, refuses a revoked one, and stays closed without any', async () => {
    const create = async (name: string) => (await runDrover(['keys', 'create', name], { home })).stdout.trim()
    const first = await create('first')
    const serving = serveDrover(['-p', '0', '--quiet'], { HOME: home })
    const port = await portOf(serving)
    const status = async (key: string) =>
      (await ask({ port, path: '/api/v1/backends', headers: { 'x-api-key': key } })).status
    expect(await status(first)).toBe(200)
    const second = await create('second')
    await until(async () => (await status(second)) === 200)
    for (const name of ['first', 'second']) await drover(`keys revoke ${name}`)
    await until(async () => (await status(first)) === 401 && (await status(second)) === 401)
  })
})
