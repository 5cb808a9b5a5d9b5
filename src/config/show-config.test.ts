import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { temporaryDirectory } from '../../test/support/run-drover.ts'
import { formatOrigin } from './origin.ts'
import { readConfig } from './read-config.ts'
import { CONFIG_KEYS } from './setting-keys.ts'
import { formatValue, showConfig, showSetting } from './show-config.ts'

async function read(text = '') {
  const home = temporaryDirectory()
  writeFileSync(join(home, 'config.yaml'), text)
  return readConfig({ env: { DROVER_HOME: home, DROVER_SERVER_PORT: '9' }, homeDirectory: '/', cwd: '/' })
}

const digest = 'ab'.repeat(32)

describe('showConfig', () => {
  it('has a row for every key, with its value and origin', async () => {
    const rows = showConfig(await read('session: {default_tags: [a]}\n'))
    expect(rows.map(({ key }) => key)).toEqual(CONFIG_KEYS.map(({ path }) => path))
    expect(rows.filter(({ origin }) => origin.from !== 'default')).toEqual([
      {
        key: 'session.default_tags',
        value: ['a'],
        origin: expect.objectContaining({ from: 'file', line: 1 }),
        isMasked: false,
      },
      {
        key: 'server.port',
        value: 9,
        origin: { from: 'environment', variable: 'DROVER_SERVER_PORT' },
        isMasked: false,
      },
    ])
  })

  it('masks digests', async () => {
    const reading = await read(`server: {keys: [{name: ci, sha256: ${digest}}]}\n`)
    const shown = showConfig(reading).find(({ key }) => key === 'server.keys')
    expect(shown).toMatchObject({ value: [{ name: 'ci', sha256: '********' }], isMasked: true })
    expect(JSON.stringify([showConfig(reading), showSetting(reading, 'server.keys')])).not.toContain(digest)
  })
})

describe('showSetting', () => {
  it.each([
    ['postgres://drover:secret@db/drover', 'postgres://drover:********@db/drover'],
    ['postgres://drover:sec@ret@db/drover?sslmode=require', 'postgres://drover:********@db/drover?sslmode=require'],
    ['postgres://db/drover?user=drover&password=secret', 'postgres://db/drover?user=drover&password=********'],
    ['postgres://drover:12?word@db/drover', 'postgres://drover:********@db/drover'],
    ['postgres://drover@db/drover', 'postgres://drover@db/drover'],
  ])('masks the password of %s', async (url, value) => {
    expect(showSetting(await read(`store: {url: '${url}'}\n`), 'store.url')).toMatchObject({ value })
  })

  it('returns one key', async () => {
    expect(showSetting(await read(), 'server.port')).toMatchObject({ key: 'server.port', value: 9 })
  })

  it.each([
    ['fast', 'gpt-4.1-mini'],
    ['mine', 'x'],
    ['gpt-4.1', 'y'],
    ['none', undefined],
    ['constructor', undefined],
  ])('returns the entry %s of a map', async (entry, value) => {
    const reading = await read('backends: {codex: {model_aliases: {mine: x, gpt-4.1: y}}}\n')
    const key = `backends.codex.model_aliases.${entry}`
    expect(showSetting(reading, key)).toMatchObject({ key, value })
  })

  it.each([
    ['server.prot', 'server.prot is not a known key; did you mean server.port?'],
    ['server', 'server is a section; name one of its keys, such as server.host'],
    ['backends.codex', 'backends.codex is a section; name one of its keys, such as backends.codex.model'],
    ['elephants', 'elephants is not a known key; drover config show lists all keys'],
    ['mcp.port', 'mcp.port is not supported: MCP has no separate settings; drover mcp and /mcp use the others'],
    ['server.api_keys', expect.stringContaining('server.api_keys is not supported: the file may not contain API keys')],
    ['server.port.x', expect.stringContaining('server.port.x is not a known key')],
    ['', '"" is not a known key; drover config show lists all keys'],
  ])('refuses %j', async (key, message) => {
    const reading = await read()
    expect(() => showSetting(reading, key)).toThrow(expect.objectContaining({ code: 'config_key_unknown', message }))
  })
})

describe('formatValue', () => {
  it.each([
    ['x', 'x'],
    ['', ''],
    [8080, '8080'],
    [false, 'false'],
    [['a', 'b'], 'a, b'],
    [[], ''],
    [{ fast: 'x', slow: 'y' }, 'fast=x, slow=y'],
    [[{ name: 'ci' }], '{"name":"ci"}'],
    [undefined, ''],
  ])('formats %j on one line', (value, text) => {
    expect(formatValue(value)).toBe(text)
  })
})

describe('formatOrigin', () => {
  it.each([
    [{ from: 'default' } as const, 'default'],
    [{ from: 'file', file: '/c.yaml', line: 3, column: 5 } as const, '/c.yaml:3:5'],
    [{ from: 'environment', variable: 'DROVER_X' } as const, 'DROVER_X'],
    [{ from: 'flag', flag: '--port' } as const, '--port'],
  ])('formats %j', (origin, text) => {
    expect(formatOrigin(origin)).toBe(text)
  })
})
