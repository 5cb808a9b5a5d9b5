import { spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { IS_FULL, runsOf, STEP } from '../../test/support/full-counts.ts'
import { NOWHERE } from '../../test/support/nowhere.ts'
import { temporaryDirectory } from '../../test/support/run-drover.ts'
import { setConfigValue, unsetConfigValue } from './edit-config.ts'
import { readConfig } from './read-config.ts'
import { CONFIG_KEYS, type ConfigKey } from './setting-keys.ts'
import { showSetting } from './show-config.ts'

const text = (path: string) => readFileSync(path, 'utf8')

const mode = (path: string) => statSync(path).mode & 0o777

/** A config file with this text, in its own directory. */
function configFile(content?: string): string {
  const path = join(temporaryDirectory(), 'config.yaml')
  if (content !== undefined) writeFileSync(path, content)
  return path
}

const set = async (content: string, key: string, ...value: string[]) => {
  const path = configFile(content)
  await setConfigValue({ path, key, value })
  return text(path)
}

const unset = async (content: string, key: string) => {
  const path = configFile(content)
  const { wasSet } = await unsetConfigValue({ path, key })
  return { wasSet, content: text(path) }
}

const get = async (path: string, key: string) =>
  showSetting(await readConfig({ env: { DROVER_CONFIG: path }, homeDirectory: NOWHERE, cwd: '/' }), key).value

describe('setConfigValue', () => {
  it.each([
    ['default_backend', ['codex'], 'default_backend: codex\n'],
    ['server.port', ['9000'], 'server:\n  port: 9000\n'],
    ['output.color', ['off'], 'output:\n  color: false\n'],
    ['backends.codex.model', ['5'], 'backends:\n  codex:\n    model: "5"\n'],
    ['backends.codex.model', [''], 'backends:\n  codex:\n    model: ""\n'],
    ['session.default_tags', ['work', 'review'], 'session:\n  default_tags:\n    - work\n    - review\n'],
    ['session.default_tags', ['work,review'], 'session:\n  default_tags:\n    - work\n    - review\n'],
    ['drive.checks', ['["npm test","sh -c \'a, b\'"]'], "drive:\n  checks:\n    - npm test\n    - sh -c 'a, b'\n"],
    ['drive.checks', ['[ -f "a" ]'], 'drive:\n  checks:\n    - \'[ -f "a" ]\'\n'],
    ['drive.checks', ['[]'], 'drive:\n  checks: []\n'],
    ['session.default_tags', [''], 'session:\n  default_tags: []\n'],
    [
      'backends.codex.extra_flags',
      ['-c', 'a="b,c"'],
      'backends:\n  codex:\n    extra_flags:\n      - -c\n      - a="b,c"\n',
    ],
    ['backends.codex.model_aliases.fast', ['x'], 'backends:\n  codex:\n    model_aliases:\n      fast: x\n'],
    ['backends.codex.model_aliases.gpt-4.1', ['x'], 'backends:\n  codex:\n    model_aliases:\n      gpt-4.1: x\n'],
  ])('writes %s %j into a new file', async (key, value, content) => {
    const path = configFile()
    await setConfigValue({ path, key, value })
    expect(text(path)).toBe(content)
  })

  it('returns the value that it wrote', async () => {
    expect(await setConfigValue({ path: configFile(), key: 'server.port', value: ['9000'] })).toEqual({ value: 9000 })
  })

  it.each([
    [
      'replaces a value and keeps the comments around it',
      '# mine\n\n# about the server\nserver:\n  # which port\n  port: 1 # low\n  host: ::1\n\noutput: {color: true}\n# end\n',
      '# mine\n\n# about the server\nserver:\n  # which port\n  port: 9000 # low\n  host: ::1\n\noutput: { color: true }\n\n# end\n',
    ],
    [
      'adds a key behind the others',
      'server:\n  host: ::1 # six\noutput: {}\n',
      'server:\n  host: ::1 # six\n  port: 9000\noutput: {}\n',
    ],
    [
      'keeps comments in the place of keys',
      'server:\n  # port: 1\noutput: {}\n',
      'server:\n  # port: 1\n  port: 9000\noutput: {}\n',
    ],
    ['keeps comments around a null', 'server: # a\n  null # b\n', 'server:\n  # a\n  # b\n  port: 9000\n'],
    ['fills a file of comments', '# mine\n', '# mine\n\nserver:\n  port: 9000\n'],
    ['fills a file of nothing but {}', '{}\n', 'server:\n  port: 9000\n'],
    ['fills an empty section', 'server: {}\n', 'server:\n  port: 9000\n'],
    ['fills a null document', '---\n', '---\nserver:\n  port: 9000\n'],
  ])('%s', async (_title, before, after) => {
    expect(await set(before, 'server.port', '9000')).toBe(after)
  })

  it('does not wrap unchanged long lines', async () => {
    const prompt = 'word '.repeat(60).trim()
    const file = `backends:\n  codex:\n    system_prompt: ${prompt}\n`
    expect(await set(file, 'default_backend', 'codex')).toBe(`${file}default_backend: codex\n`)
  })

  it.each([
    ['server.port', ['70000'], 'server.port was not changed: server.port must be at most 65535'],
    ['server.port', ['x'], 'server.port was not changed: server.port must be an integer, 0 to 65535'],
    ['server.port', ['1', '2'], 'server.port was not changed: server.port takes one value, not 2'],
    ['server.port', [], 'server.port was not changed: server.port takes one value, not 0'],
    [
      'drive.checks',
      ['["npm test",'],
      'drive.checks was not changed: drive.checks must be a list of texts in JSON, or texts one after another',
    ],
    [
      'drive.checks',
      ['["npm test",1]'],
      'drive.checks was not changed: drive.checks must be a list of texts in JSON, or texts one after another',
    ],
    ['output.color', ['maybe'], 'output.color was not changed: output.color must be true or false'],
    [
      'output.format',
      ['xml'],
      'output.format was not changed: output.format must be one of "default", "text", "json", "stream-json"',
    ],
    [
      'server.trusted_proxies',
      ['::1', 'proxy'],
      'server.trusted_proxies was not changed: server.trusted_proxies[1] must be an IP address or a CIDR range',
    ],
    [
      'backends.codex.model_aliases',
      ['x'],
      'backends.codex.model_aliases was not changed: backends.codex.model_aliases has named entries; set one, as in backends.codex.model_aliases.NAME',
    ],
    [
      'server.keys',
      ['x'],
      'server.keys was not changed: server.keys has entries with several fields: write them into the file that "drover config path" names',
    ],
    [
      'server.rate_limit_enabled',
      ['true'],
      'server.rate_limit_enabled was not changed: server.rate_limit_rps must be at least 1 when server.rate_limit_enabled is true',
    ],
  ])('refuses %s %j and does not change the file', async (key, value, message) => {
    const before = 'server: {rate_limit_rps: 0} # none\n'
    const path = configFile(before)
    await expect(setConfigValue({ path, key, value })).rejects.toMatchObject({ code: 'config_value_invalid', message })
    expect(text(path)).toBe(before)
  })

  it('refuses an unknown key and creates no file', async () => {
    const path = configFile()
    const edit = setConfigValue({ path, key: 'server.prot', value: ['1'] })
    await expect(edit).rejects.toMatchObject({ code: 'config_key_unknown' })
    expect(existsSync(path)).toBe(false)
  })

  it.each([
    ['is not YAML', 'server: [\n', /:2:1: the file is not valid YAML: /],
    ['has an unknown key', 'prot: 1\n', /:1:1: prot is not a known key; did you mean server.port\?$/],
    ['has a wrong value', 'server:\n  host: 1\n', /:2:3: server.host must be a string$/],
    [
      'breaks a rule as a whole',
      'server: {rate_limit_enabled: true, rate_limit_rps: 0}\n',
      /:1:36: server.rate_limit_rps/,
    ],
  ])('does not change a file that %s', async (_what, before, message) => {
    const path = configFile(before)
    const edit = setConfigValue({ path, key: 'server.port', value: ['9000'] })
    await expect(edit).rejects.toMatchObject({ code: 'config_invalid', message: expect.stringMatching(message) })
    expect(text(path)).toBe(before)
  })

  it('does not change a file with aliases', async () => {
    const before = 'server: {read_timeout_secs: &t 5, idle_timeout_secs: *t}\n'
    const path = configFile(before)
    await expect(setConfigValue({ path, key: 'server.read_timeout_secs', value: ['9'] })).rejects.toMatchObject({
      code: 'config_value_invalid',
      message: 'server.read_timeout_secs was not changed: the file has aliases (*); edit it by hand',
    })
    expect(text(path)).toBe(before)
  })

  it('creates file and directory with access for the user only', async () => {
    const directory = join(temporaryDirectory(), 'home', '.drover')
    const path = join(directory, 'config.yaml')
    await setConfigValue({ path, key: 'server.port', value: ['9000'] })
    expect([mode(directory), mode(path)]).toEqual([0o700, 0o600])
    expect(readdirSync(directory).sort()).toEqual(['config.yaml', 'config.yaml.lock'])
  })

  it('keeps the modes of a file and a directory that exist: others may have to read them', async () => {
    const directory = join(temporaryDirectory(), 'project')
    mkdirSync(directory)
    chmodSync(directory, 0o755)
    const path = join(directory, 'team.yaml')
    writeFileSync(path, '', { mode: 0o644 })
    await setConfigValue({ path, key: 'server.port', value: ['9000'] })
    expect([mode(directory), mode(path)]).toEqual([0o755, 0o644])
  })

  it('writes through a symbolic link', async () => {
    const directory = temporaryDirectory()
    const [path, target] = [join(directory, 'config.yaml'), join(directory, 'dotfile')]
    writeFileSync(target, '# mine\n')
    symlinkSync('dotfile', path)
    await setConfigValue({ path, key: 'server.port', value: ['9000'] })
    expect(lstatSync(path).isSymbolicLink()).toBe(true)
    expect(text(target)).toBe('# mine\n\nserver:\n  port: 9000\n')
    expect(existsSync(`${target}.lock`)).toBe(true)
  })
})

describe('unsetConfigValue', () => {
  it.each([
    [
      'takes a key out and keeps the comments around it',
      '# mine\n\nserver:\n  host: ::1 # six\n  port: 1 # low\n\n# end\n',
      'server.port',
      '# mine\n\nserver:\n  host: ::1 # six\n\n# end\n',
    ],
    [
      'takes sections that are empty then',
      'backends:\n  codex:\n    model: x\noutput: {}\n',
      'backends.codex.model',
      'output: {}\n',
    ],
    [
      'leaves sections that still hold something',
      'backends:\n  codex:\n    model: x\n  claude: {model: y}\n',
      'backends.codex.model',
      'backends:\n  claude: { model: y }\n',
    ],
    ['leaves an empty mapping of the last key', 'server:\n  port: 1\n', 'server.port', '{}\n'],
    [
      'takes an entry of a map',
      'backends: {codex: {model_aliases: {gpt-4.1: x, b: y}}}\n',
      'backends.codex.model_aliases.gpt-4.1',
      'backends: { codex: { model_aliases: { b: y } } }\n',
    ],
  ])('%s', async (_title, before, key, after) => {
    expect(await unset(before, key)).toEqual({ wasSet: true, content: after })
  })

  it.each([
    ['the file has other keys', 'server: {host: ::1}\n'],
    ['the section is empty', 'server:\n'],
    ['the file is empty', ''],
  ])('reports that the key was not set: %s', async (_what, before) => {
    expect(await unset(before, 'server.port')).toEqual({ wasSet: false, content: before })
  })

  it('creates no file', async () => {
    const path = configFile()
    expect(await unsetConfigValue({ path, key: 'server.port' })).toEqual({ wasSet: false })
    expect(readdirSync(join(path, '..'))).toEqual([])
  })

  it('does not remove a key that others need', async () => {
    const before = 'server: {cors_allow_credentials: true, cors_allowed_origins: [https://a.com], rate_limit_rps: 1}\n'
    expect(await unset(before, 'server.rate_limit_rps')).toMatchObject({ wasSet: true })
    await expect(unset('prot: 1\nserver: {port: 1}\n', 'server.port')).rejects.toMatchObject({ code: 'config_invalid' })
  })
})

describe('a value that was set', () => {
  it('is read back, for every key with a single value', async () => {
    const single = CONFIG_KEYS.filter(({ type }) => ['string', 'integer', 'boolean', 'enum'].includes(type))
    for (const key of single.filter((_, place) => place % STEP === 0)) {
      const path = configFile('# mine\n')
      const setThenGet = fc.asyncProperty(valuesOf(key), async (value) => {
        await setConfigValue({ path, key: key.path, value: [String(value)] })
        expect(await get(path, key.path)).toEqual(value)
      })
      await fc.assert(setThenGet, { numRuns: 1 })
      expect(text(path)).toMatch(/^# mine\n/)
    }
  })

  it('is read back at the maximum, for every integer', async () => {
    for (const { path: key, maximum } of CONFIG_KEYS.filter(({ type }) => type === 'integer')) {
      const path = configFile()
      await setConfigValue({ path, key, value: [String(maximum)] })
      expect(await get(path, key)).toBe(maximum)
    }
  })

  it('is read back, for lists and entries of maps', async () => {
    const path = configFile()
    const words = fc.string({ minLength: 1 }).filter((word) => !word.includes('\0'))
    await fc.assert(
      fc.asyncProperty(fc.array(words), words, modelNames(), async (flags, alias, model) => {
        await setConfigValue({ path, key: 'backends.codex.extra_flags', value: flags })
        await setConfigValue({ path, key: `backends.codex.model_aliases.${alias}`, value: [model] })
        expect(await get(path, 'backends.codex.extra_flags')).toEqual(flags)
        expect(await get(path, `backends.codex.model_aliases.${alias}`)).toBe(model)
      }),
      { numRuns: runsOf(20) },
    )
  })

  it('survives concurrent changes of other keys', async () => {
    const path = configFile('# mine\n')
    const keys = CONFIG_KEYS.filter(({ type }) => type === 'integer').slice(0, IS_FULL ? 6 : 3)
    const module = JSON.stringify(join(import.meta.dirname, 'edit-config.ts'))
    const code = `const { setConfigValue } = await import(${module}); const [path, key] = process.argv.slice(1)
      await setConfigValue({ path, key, value: ['7'] })`
    const children = keys.map((key) =>
      spawn(process.execPath, ['--input-type=module', '-e', code, path, key.path], { stdio: 'inherit' }),
    )
    const exits = await Promise.all(children.map((child) => once(child, 'exit')))
    expect(exits.map(([status]) => status)).toEqual(keys.map(() => 0))
    for (const key of keys) expect(await get(path, key.path)).toBe(7)
    expect(text(path)).toMatch(/^# mine\n/)
  })
})

function valuesOf(key: ConfigKey): fc.Arbitrary<unknown> {
  if (key.allowed !== undefined) return fc.constantFrom(...key.allowed)
  if (key.type === 'boolean') return fc.boolean()
  // A rate of 0 is invalid if the limit is enabled; that rule has its own test.
  if (key.type === 'integer') return fc.integer({ min: Math.max(key.minimum ?? 0, 1), max: key.maximum ?? 0 })
  if (key.path === 'default_backend') return fc.constantFrom('claude', 'codex', 'gemini')
  if (key.path.endsWith('.model')) return modelNames()
  if (/\.(allowed_tools|system_prompt)$/.test(key.path))
    return fc.string({ unit: 'binary' }).filter((text) => !text.includes('\0'))
  if (key.path.endsWith('.command')) return fc.stringMatching(/^[A-Za-z0-9 _.-]{1,20}$/)
  if (key.path === 'server.host') return fc.oneof(fc.ipV4(), fc.ipV6(), fc.domain())
  if (key.path === 'telemetry.otlp_endpoint') return fc.domain().map((domain) => `https://${domain}`)
  if (key.path === 'store.url') return fc.domain().map((domain) => `postgres://${domain}/drover`)
  if (['drive.mention', 'store.schema'].includes(key.path)) return fc.stringMatching(/^[a-z][a-z0-9]{0,20}$/)
  if (key.path === 'server.webhook_secret_file') return fc.stringMatching(/^\/[A-Za-z0-9/_.-]{0,20}$/)
  if (['server.errors_base', 'server.public_url'].includes(key.path))
    return fc.domain().map((domain) => `https://${domain}`)
  return fc.stringMatching(/^[A-Za-z0-9/_.][A-Za-z0-9/_.-]{0,20}$/)
}

function modelNames(): fc.Arbitrary<string> {
  return fc.string({ minLength: 1, unit: 'grapheme' }).filter((name) => !/^-|\p{Cc}/u.test(name))
}
