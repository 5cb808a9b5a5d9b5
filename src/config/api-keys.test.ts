import { chmodSync, existsSync, mkdtempSync, renameSync, rmSync, unwatchFile, watchFile, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { IS_FULL } from '../../test/support/full-counts.ts'
import { NOWHERE } from '../../test/support/nowhere.ts'
import { digest } from '../kit/digest.ts'
import type { Log } from '../kit/log.ts'
import { type ApiKeys, loadApiKeys } from './api-keys.ts'

function temporaryDirectory(): string {
  const directory = mkdtempSync(join(tmpdir(), 'drover-keys-'))
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }))
  return directory
}

/** The working directory of gopass. */
const HERE = '/'

type NamedKey = Parameters<typeof loadApiKeys>[0]['server']['keys'][number]

type Wishes = {
  env?: Record<string, string>
  readableVariables?: string[]
  keys?: NamedKey[]
  gopass?: string
  /** Reads the keys of the config again. */
  readKeys?: () => Promise<NamedKey[]>
}

async function load(wishes: Wishes): Promise<ApiKeys> {
  const { env = {}, readableVariables = [], keys = [], gopass = '', readKeys } = wishes
  const configFile = readKeys === undefined ? {} : { configFile: { path: `${NOWHERE}/config.yaml`, readKeys } }
  const server = { keys, api_keys_gopass_path: gopass }
  const loaded = await loadApiKeys({ env, readableVariables, cwd: HERE, server, ...configFile })
  onTestFinished(() => loaded.close())
  return loaded
}

/** A `gopass` that does what the text says, and the PATH to find it. */
function fakeGopass(script: string): { PATH: string } {
  const directory = temporaryDirectory()
  writeFileSync(join(directory, 'gopass'), `#!/bin/sh\n${script}\n`)
  chmodSync(join(directory, 'gopass'), 0o755)
  return { PATH: `${directory}:/usr/bin:/bin` }
}

function keysFile(text: string): string {
  const path = join(temporaryDirectory(), 'keys')
  writeFileSync(path, text)
  return path
}

function recordingLog(): { log: Log; lines: string[] } {
  const lines: string[] = []
  const write = (level: string) => (fields: object, message: string) =>
    void lines.push(`${level}: ${message} ${JSON.stringify(fields)}`)
  const log: Log = {
    debug: write('debug'),
    info: write('info'),
    warn: write('warn'),
    error: write('error'),
    with: () => log,
  }
  return { log, lines }
}

async function until(ask: () => boolean): Promise<void> {
  const deadline = performance.now() + 20_000
  while (!ask()) {
    if (performance.now() > deadline) throw new Error('timed out')
    await delay(20)
  }
}

const knows = ({ ring }: ApiKeys, ...keys: string[]) => keys.map((key) => ring.find(key) !== undefined)

describe('loadApiKeys', () => {
  it('requires no key if none is configured', async () => {
    const loaded = await load({})
    expect([loaded.ring.isRequired, loaded.sources]).toEqual([false, []])
  })

  it.each<[string, string]>([
    ['one', 'one'],
    ['commas and blanks', ' one ,, two,'],
    ['lines', 'one\ntwo\r\n\n'],
  ])('reads %s from the variable', async (_name, text) => {
    const loaded = await load({ env: { DROVER_API_KEYS: text } })
    expect(knows(loaded, 'one', 'two', text, '')).toEqual([true, text !== 'one', text === 'one', false])
    expect(loaded.sources).toEqual(['DROVER_API_KEYS'])
  })

  it('combines variable, file, gopass and config', async () => {
    const file = keysFile('two\n')
    const loaded = await load({
      env: { DROVER_API_KEYS: 'one', DROVER_API_KEYS_FILE: file, ...fakeGopass('echo three,four') },
      keys: [{ name: 'five', sha256: digest('five') }],
      gopass: 'api/keys',
    })
    expect(knows(loaded, 'one', 'two', 'three', 'four', 'five', 'six')).toEqual([true, true, true, true, true, false])
    expect(loaded.sources).toEqual([
      'server.keys',
      'DROVER_API_KEYS',
      `the file ${file} (DROVER_API_KEYS_FILE)`,
      'gopass api/keys',
    ])
  })

  it.each<[boolean, string]>([
    [false, 'x'.repeat(16)],
    [true, `${'y'.repeat(16)},${'x'.repeat(15)}`],
  ])('reports %s for short keys in %s', async (isShort, keys) => {
    expect((await load({ env: { DROVER_API_KEYS: keys } })).hasShortKey()).toBe(isShort)
    expect((await load({ env: { DROVER_API_KEYS_FILE: keysFile(keys) } })).hasShortKey()).toBe(isShort)
  })

  it('limits a key as the config says, and only so', async () => {
    const secret = (name: string) => `a-key-of-${name}-that-is-long-enough`
    const named = (name: string) => ({ name, sha256: digest(secret(name)) })
    const { ring } = await load({
      keys: [
        {
          ...named('limited'),
          ...{ id: 'key_1', role: 'operator', max_approval_mode: 'auto', max_sandbox_mode: 'workspace' },
          ...{ rate_limit_rps: 2, rate_limit_burst: 5 },
        },
        { ...named('asking'), max_approval_mode: 'always', rate_limit_rps: 3 },
        { ...named('reading'), max_sandbox_mode: 'read-only', rate_limit_burst: 7 },
        named('free'),
      ],
    })
    const found = ['limited', 'asking', 'reading', 'free'].map((name) => ring.find(secret(name)))
    expect(found[0]).toMatchObject({ id: 'key_1', role: 'operator' })
    expect(found[3]).toMatchObject({ name: 'free', role: 'client' })
    expect(found.map((key) => [key?.ceilings, key?.rateLimit])).toStrictEqual([
      [
        { approval: 'auto', sandbox: 'workspace' },
        { rps: 2, burst: 5 },
      ],
      [{ approval: 'always' }, { rps: 3 }],
      [{ sandbox: 'read-only' }, { burst: 7 }],
      [{}, {}],
    ])
  })

  it('asks gopass again every five minutes, until it is closed', async () => {
    const { log } = recordingLog()
    const asking = await load({ gopass: 'a', env: fakeGopass('echo a-key-that-is-long-enough') })
    const other = await load({ env: { DROVER_API_KEYS: 'a-key-that-is-long-enough' } })
    vi.useFakeTimers()
    onTestFinished(() => void vi.useRealTimers())
    const reload = vi.spyOn(asking, 'reload').mockResolvedValue()
    for (const keys of [asking, other]) keys.watch(log)
    expect(vi.getTimerCount()).toBe(1)
    vi.advanceTimersByTime(5 * 60_000 - 1)
    expect(reload).not.toHaveBeenCalled()
    vi.advanceTimersByTime(1)
    expect(reload).toHaveBeenCalledOnce()
    for (const keys of [asking, other]) keys.close()
    expect(vi.getTimerCount()).toBe(0)
  })

  it('runs gopass for the password only, without a shell', async () => {
    const loaded = await load({ env: fakeGopass('[ "$*" = "show --password a/b" ] && echo right'), gopass: 'a/b' })
    expect(knows(loaded, 'right')).toEqual([true])
  })

  it('does not pass the keys of the variable to gopass', async () => {
    const script = 'echo "seen-${DROVER_API_KEYS-nothing}"'
    const loaded = await load({ env: { ...fakeGopass(script), DROVER_API_KEYS: 'own' }, gopass: 'a' })
    expect(knows(loaded, 'own', 'seen-nothing')).toEqual([true, true])
  })

  it('does not run a gopass that a relative entry of PATH names', async () => {
    const [planted = ''] = fakeGopass('echo planted').PATH.split(':')
    const { PATH } = fakeGopass('echo right')
    const loaded = await load({ env: { PATH: `${relative(HERE, planted)}:${PATH}` }, gopass: 'a' })
    expect(knows(loaded, 'planted', 'right')).toEqual([false, true])
    const failing = load({ env: { PATH: relative(HERE, planted) }, gopass: 'a' })
    await expect(failing).rejects.toThrow('program not found: gopass, or the interpreter in its first line')
  })

  it.each<[string, () => Wishes, RegExp]>([
    [
      'a variable of nothing but commas',
      () => ({ env: { DROVER_API_KEYS: ' , ' } }),
      /DROVER_API_KEYS provides no API key: it contains no key/,
    ],
    [
      'an empty variable',
      () => ({ env: { DROVER_API_KEYS: '' } }),
      /DROVER_API_KEYS provides no API key: the variable is set but empty/,
    ],
    [
      'an empty name of a file',
      () => ({ env: { DROVER_API_KEYS_FILE: '' } }),
      /DROVER_API_KEYS_FILE provides no API key: the variable is set but empty/,
    ],
    [
      'an empty variable beside other keys',
      () => ({ env: { DROVER_API_KEYS: ' ' }, keys: [{ name: 'a', sha256: digest('a') }] }),
      /set but empty/,
    ],
    ['an empty file', () => ({ env: { DROVER_API_KEYS_FILE: keysFile('\n') } }), /it contains no key/],
    [
      'a file that is not there',
      () => ({ env: { DROVER_API_KEYS_FILE: `${NOWHERE}/keys` } }),
      /drover-nowhere-.*\/keys does not exist/,
    ],
    ['a missing gopass', () => ({ env: { PATH: NOWHERE }, gopass: 'a' }), /program not found: gopass/],
    [
      'a failing gopass',
      () => ({ env: fakeGopass('echo locked >&2; exit 3'), gopass: 'a' }),
      /"gopass show a" failed: locked/,
    ],
    [
      'an empty gopass',
      () => ({ env: fakeGopass('true'), gopass: 'a' }),
      /gopass a provides no API key: it contains no key/,
    ],
    [
      'a key that no header can carry',
      () => ({ env: { DROVER_API_KEYS: 'good,ba d' } }),
      /key 2 in DROVER_API_KEYS contains a space/,
    ],
    [
      'a line of the config file',
      () => ({ env: { DROVER_API_KEYS_FILE: keysFile(`a-good-key\nsha256: ${digest('a').slice(7)}\n`) } }),
      /key 2 in the file .* is a digest, which is no secret .* server\.keys of the config file/,
    ],
    ['a marked digest', () => ({ env: { DROVER_API_KEYS: digest('a') } }), /key 1 in DROVER_API_KEYS is a digest/],
    [
      'a digest of the config file',
      () => ({ env: { DROVER_API_KEYS: digest('a').slice(7) }, keys: [{ name: 'a', sha256: digest('a') }] }),
      /key 1 in DROVER_API_KEYS is a digest/,
    ],
    ['a key outside ASCII', () => ({ env: { DROVER_API_KEYS: 'schlüssel' } }), /key 1 in DROVER_API_KEYS/],
  ])('refuses %s', async (_name, wishes, says) => {
    const failing = load(wishes())
    await expect(failing).rejects.toMatchObject({ code: 'api_keys_unavailable' })
    await expect(failing).rejects.toThrow(says)
  })

  it('refuses a variable that agents could read', async () => {
    const env = { DROVER_API_KEYS: 'secret' }
    await expect(load({ env, readableVariables: ['DROVER_API_KEYS'] })).rejects.toMatchObject({
      code: 'api_keys_readable',
    })
    expect((await load({ env, readableVariables: ['PGPASSWORD'] })).ring.isRequired).toBe(true)
    expect((await load({ readableVariables: ['DROVER_API_KEYS'] })).ring.isRequired).toBe(false)
  })

  it('ends a gopass that hangs after five seconds', async () => {
    const failing = load({ env: fakeGopass('sleep 60'), gopass: 'a' })
    await expect(failing).rejects.toThrow('no answer within 5 seconds')
  })

  it('accepts a random key that only looks like a digest', async () => {
    expect(knows(await load({ env: { DROVER_API_KEYS: 'ab'.repeat(32) } }), 'ab'.repeat(32))).toEqual([true])
  })

  it('never prints a key', async () => {
    const failing = load({ env: { DROVER_API_KEYS: 'hidden-key,ba d' } })
    await expect(failing).rejects.not.toThrow(/hidden-key|ba d/)
  })
})

describe('reload', () => {
  it('reloads a file that was rewritten', async () => {
    const file = keysFile('old')
    const loaded = await load({ env: { DROVER_API_KEYS_FILE: file } })
    loaded.watch(recordingLog().log)
    // A change before the first check of the file is not noticed, so it is changed more than once.
    let round = 0
    await until(() => {
      writeFileSync(`${file}.next`, `brand,new,${round++}`)
      renameSync(`${file}.next`, file)
      return knows(loaded, 'brand')[0] === true
    })
    expect(knows(loaded, 'old', 'new')).toEqual([false, true])
  })

  it('does not keep the process running, and stops when it is closed', async () => {
    const file = keysFile('old')
    const loaded = await load({ env: { DROVER_API_KEYS_FILE: file } })
    const reload = vi.spyOn(loaded, 'reload')
    const watchers = () => process.getActiveResourcesInfo().filter((name) => name === 'StatWatcher').length
    const before = watchers()
    loaded.watch(recordingLog().log)
    expect(watchers()).toBe(before)
    const changed = vi.fn()
    watchFile(file, { interval: 500, persistent: false }, changed)
    onTestFinished(() => unwatchFile(file, changed))
    loaded.close()
    let round = 0
    await until(() => {
      writeFileSync(file, `new,${round++}`)
      return changed.mock.calls.length > 0
    })
    expect(reload).not.toHaveBeenCalled()
  })

  it('accepts no key after a file was emptied, and does not open the server', async () => {
    const file = keysFile('old')
    const loaded = await load({ env: { DROVER_API_KEYS_FILE: file } })
    writeFileSync(file, '')
    const { log, lines } = recordingLog()
    await loaded.reload(log)
    expect([knows(loaded, 'old', ''), loaded.ring.isRequired]).toEqual([[false, false], true])
    expect(lines).toEqual([expect.stringContaining('warn: a source of API keys is now empty')])
  })

  it('logs the number of keys if they changed, and nothing if they did not', async () => {
    const file = keysFile('one')
    const loaded = await load({ env: { DROVER_API_KEYS_FILE: file } })
    const { log, lines } = recordingLog()
    await loaded.reload(log)
    expect(lines).toEqual([])
    writeFileSync(file, 'two,three')
    await loaded.reload(log)
    writeFileSync(file, 'three,two')
    await loaded.reload(log)
    expect(lines).toEqual([expect.stringMatching(/^info: API keys were reloaded and have changed .*"count":2/)])
  })

  it('keeps the last keys of a source that fails, and logs that without a key', async () => {
    const file = keysFile('good')
    const loaded = await load({ env: { DROVER_API_KEYS_FILE: file, DROVER_API_KEYS: 'other' } })
    const { log, lines } = recordingLog()
    rmSync(file)
    await loaded.reload(log)
    expect(knows(loaded, 'good', 'other')).toEqual([true, true])
    expect(lines).toHaveLength(1)
    expect(lines[0]).toContain('the previous keys stay valid')
    writeFileSync(file, 'good,ba d')
    await loaded.reload(log)
    expect(knows(loaded, 'good')).toEqual([true])
    expect(lines[1]).not.toMatch(/"good|ba d/)
  })

  it('keeps the result of the later of two reloads', async () => {
    const [answer, isSlow] = [keysFile('first'), keysFile('')]
    const script = `key=$(cat ${answer}); rm ${isSlow} 2> /dev/null && touch ${isSlow}.read && sleep 1; echo $key`
    rmSync(isSlow)
    const loaded = await load({ env: fakeGopass(script), gopass: 'a' })
    const { log } = recordingLog()
    writeFileSync(isSlow, '')
    writeFileSync(answer, 'older')
    const reloads = [loaded.reload(log)]
    await until(() => existsSync(`${isSlow}.read`))
    writeFileSync(answer, 'newer')
    reloads.push(loaded.reload(log))
    await Promise.all(reloads)
    expect(knows(loaded, 'older', 'newer')).toEqual([false, true])
  })

  it.runIf(IS_FULL)('revokes a key of a file while gopass does not answer', async () => {
    const path = keysFile('of-ada-0000000000\nof-bob-0000000000')
    const directory = temporaryDirectory()
    const [slow, asked] = [join(directory, 'slow'), join(directory, 'asked')]
    const { PATH } = fakeGopass(`if [ -e ${slow} ]; then touch ${asked}; exec sleep 60; fi; echo of-gopass-00000000`)
    const loaded = await load({ env: { PATH, DROVER_API_KEYS_FILE: path }, gopass: 'drover/keys' })
    const { log, lines } = recordingLog()
    writeFileSync(slow, '')
    const first = loaded.reload(log)
    await until(() => existsSync(asked))
    writeFileSync(path, 'of-bob-0000000000')
    const second = loaded.reload(log)
    await until(() => !knows(loaded, 'of-ada-0000000000')[0])
    expect(lines.filter((line) => line.startsWith('error'))).toEqual([])
    rmSync(slow)
    await Promise.all([first, second])
    expect(knows(loaded, 'of-ada-0000000000', 'of-bob-0000000000', 'of-gopass-00000000')).toEqual([false, true, true])
  })

  it('runs gopass again', async () => {
    const answer = keysFile('first')
    const loaded = await load({ env: fakeGopass(`cat ${answer}`), gopass: 'a' })
    writeFileSync(answer, 'second')
    await loaded.reload(recordingLog().log)
    expect(knows(loaded, 'first', 'second')).toEqual([false, true])
  })

  it('reads the keys of the config again, with their roles, and keeps them if the config is invalid', async () => {
    let read: () => NamedKey[] = () => []
    const keys = [{ name: 'old', sha256: digest('old') }]
    const loaded = await load({ keys, readKeys: async () => read() })
    const { log, lines } = recordingLog()
    read = () => [{ name: 'new', sha256: digest('new'), role: 'operator' }]
    await loaded.reload(log)
    expect(knows(loaded, 'old', 'new')).toEqual([false, true])
    expect(loaded.ring.find('new')).toMatchObject({ name: 'new', role: 'operator' })
    read = () => {
      throw new Error('the configuration is not valid')
    }
    await loaded.reload(log)
    expect(knows(loaded, 'new')).toEqual([true])
    read = () => [{ name: 'new', sha256: digest('new'), role: 'operator' }]
    await loaded.reload(log)
    await loaded.reload(log)
    read = () => []
    await loaded.reload(log)
    expect([knows(loaded, 'new'), loaded.ring.isRequired]).toEqual([[false], true])
    expect(lines.map((line) => line.split(' {')[0])).toEqual([
      'info: API keys were reloaded and have changed',
      'error: API keys could not be reloaded; the previous keys stay valid',
      'info: API keys can be reloaded again; they have not changed',
      'warn: a source of API keys is now empty; its previous keys are no longer valid',
    ])
  })

  it('says that a server without keys stays open when one is added', async () => {
    const loaded = await load({ readKeys: async () => [{ name: 'new', sha256: digest('new') }] })
    const { log, lines } = recordingLog()
    await loaded.reload(log)
    expect(loaded.ring.isRequired).toBe(false)
    expect(lines[1]).toContain('warn: a key was added, but this server was started without keys and is still open')
  })
})
