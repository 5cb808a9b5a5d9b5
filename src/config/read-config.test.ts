import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { NOWHERE } from '../../test/support/nowhere.ts'
import { temporaryDirectory } from '../../test/support/run-drover.ts'
import { type Override, readConfig } from './read-config.ts'

type Given = { file?: string; env?: Record<string, string>; overrides?: readonly Override[]; configFlag?: string }

/** Reads the configuration of a user whose file has this text; without a text there is no file. */
async function read({ file, env = {}, ...rest }: Given) {
  const home = temporaryDirectory()
  const path = join(home, '.drover', 'config.yaml')
  if (file !== undefined) {
    mkdirSync(join(home, '.drover'))
    writeFileSync(path, file)
  }
  return { path, reading: readConfig({ env, homeDirectory: home, cwd: home, ...rest }) }
}

const problemsOf = async (given: Given) => {
  const { path, reading } = await read(given)
  const fault = await reading.then(
    () => undefined,
    (error: unknown) => error as { code: string; message: string; details: { problems: unknown[] } },
  )
  return { path, code: fault?.code, message: fault?.message, problems: fault?.details.problems }
}

describe('readConfig', () => {
  it('works without a file', async () => {
    const { path, reading } = await read({})
    const { config, file, warnings } = await reading
    expect(config.default_backend).toBe('claude')
    expect(file).toEqual({ path, exists: false })
    expect(warnings).toEqual([])
  })

  it('prefers flags to the environment, the environment to the file, the file to the default', async () => {
    const { path, reading } = await read({
      file: 'server:\n  port: 1\n  host: ::1\n  idle_timeout_secs: 7\n',
      env: { DROVER_SERVER_PORT: '2', DROVER_SERVER_HOST: '::2' },
      overrides: [
        { key: 'server.port', flag: '--port', value: 3 },
        { key: 'server.host', flag: '--host', value: undefined },
      ],
    })
    const { config, origins, file } = await reading
    const { port, host, idle_timeout_secs, read_timeout_secs } = config.server
    expect([port, host, idle_timeout_secs, read_timeout_secs]).toEqual([3, '::2', 7, 30])
    expect([
      origins['server.port'],
      origins['server.host'],
      origins['server.idle_timeout_secs'],
      origins['server.read_timeout_secs'],
    ]).toEqual([
      { from: 'flag', flag: '--port' },
      { from: 'environment', variable: 'DROVER_SERVER_HOST' },
      { from: 'file', file: path, line: 4, column: 3 },
      { from: 'default' },
    ])
    expect(file).toEqual({ path, exists: true })
  })

  it('accepts false, 0 and empty from a flag', async () => {
    const { reading } = await read({
      file: 'output: {color: true}\nserver: {port: 9, trusted_proxies: [::1]}\n',
      overrides: [
        { key: 'output.color', flag: '--no-color', value: false },
        { key: 'server.port', flag: '--port', value: 0 },
        { key: 'server.trusted_proxies', flag: '--proxy', value: [] },
      ],
    })
    const { output, server } = (await reading).config
    expect([output.color, server.port, server.trusted_proxies]).toEqual([false, 0, []])
  })

  it('reports every problem of the file and of the variables together, by line', async () => {
    const { path, ...found } = await problemsOf({
      file: 'prot: 1\nserver:\n  port: 65536\n  host: "?"\nmcp: {}\n',
      env: { DROVER_OUTPUT_COLOR: 'maybe', DROVER_BACKEND: 'Cursor' },
    })
    const at = (line: number, column: number) => ({ from: 'file', file: path, line, column })
    expect(found.code).toBe('config_invalid')
    expect(found.problems).toEqual([
      {
        key: 'output.color',
        rule: 'must be true or false',
        origin: { from: 'environment', variable: 'DROVER_OUTPUT_COLOR' },
      },
      {
        key: 'default_backend',
        rule: 'must be the name of a backend',
        origin: { from: 'environment', variable: 'DROVER_BACKEND' },
      },
      { key: 'prot', rule: 'is not a known key; did you mean server.port?', origin: at(1, 1) },
      { key: 'server.port', rule: 'must be at most 65535', origin: at(3, 3) },
      { key: 'server.host', rule: 'must be an IP address or a host name', origin: at(4, 3) },
      { key: 'mcp', rule: expect.stringContaining('is not supported'), origin: at(5, 1) },
    ])
    const [first, ...lines] = found.message?.split('\n') ?? []
    expect(first).toBe('the configuration is not valid:')
    expect(lines).toHaveLength(6)
    expect(lines[0]).toBe('DROVER_OUTPUT_COLOR: output.color must be true or false')
    expect(lines[3]).toBe(`${path}:3:3: server.port must be at most 65535`)
  })

  it('names the invalid item of a list', async () => {
    const { path, problems } = await problemsOf({ file: 'server:\n  trusted_proxies:\n    - ::1\n    - proxy\n' })
    expect(problems).toEqual([
      {
        key: 'server.trusted_proxies[1]',
        rule: 'must be an IP address or a CIDR range',
        origin: { from: 'file', file: path, line: 4, column: 7 },
      },
    ])
  })

  it('names the entry that lacks a field', async () => {
    const { path, problems } = await problemsOf({ file: 'server:\n  keys:\n    - name: ci\n' })
    expect(problems).toEqual([
      { key: 'server.keys[0].sha256', rule: 'is required', origin: { from: 'file', file: path, line: 3, column: 7 } },
    ])
  })

  it('refuses an invalid flag', async () => {
    const { message } = await problemsOf({ overrides: [{ key: 'server.port', flag: '--port', value: 65_536 }] })
    expect(message).toBe('the configuration is not valid: --port: server.port must be at most 65535')
  })

  it('refuses values that are invalid in combination, from any source', async () => {
    const { path, problems } = await problemsOf({
      file: 'server:\n  rate_limit_rps: 0\n',
      env: { DROVER_SERVER_RATE_LIMIT_ENABLED: 'true' },
    })
    expect(problems).toEqual([
      {
        key: 'server.rate_limit_rps',
        rule: 'must be at least 1 when server.rate_limit_enabled is true',
        origin: { from: 'file', file: path, line: 2, column: 3 },
      },
    ])
  })

  it.each([
    [20, ':20:1: wrong_19 is not a known key'],
    [21, 'and 1 more'],
  ])('prints %i problems, one per line, the last is %j', async (count, last) => {
    const file = Array.from({ length: count }, (_, at) => `wrong_${at}: 1\n`).join('')
    const { message, problems } = await problemsOf({ file })
    expect(problems).toHaveLength(count)
    const lines = message?.split('\n') ?? []
    expect(lines).toHaveLength(1 + count)
    expect(lines.at(-1)).toContain(last)
  })

  it('warns about valid settings that are probably a mistake', async () => {
    const { reading } = await read({ file: 'backends: {claude: {enabled: false}}\n', env: { DROVER_BACKND: 'codex' } })
    expect((await reading).warnings).toEqual([
      'the variable DROVER_BACKND is unknown and has no effect; did you mean DROVER_BACKEND?',
      'default_backend is claude, but backends.claude.enabled is false; prompts must name another backend',
    ])
  })
})

describe('the config file', () => {
  it('that --config names must exist', async () => {
    const { reading } = await read({ configFlag: `${NOWHERE}/team.yaml`, env: { DROVER_CONFIG: '/elsewhere.yaml' } })
    await expect(reading).rejects.toMatchObject({
      code: 'config_file_missing',
      message: `--config names ${NOWHERE}/team.yaml, which does not exist; correct the path or leave it out`,
    })
  })

  it('that DROVER_CONFIG names must exist', async () => {
    const { reading } = await read({ env: { DROVER_CONFIG: `${NOWHERE}/team.yaml` } })
    await expect(reading).rejects.toMatchObject({
      code: 'config_file_missing',
      message: `DROVER_CONFIG names ${NOWHERE}/team.yaml, which does not exist; correct the path or leave it out`,
    })
  })

  it('that is named replaces the one in the directory', async () => {
    const other = join(temporaryDirectory(), 'team.yaml')
    writeFileSync(other, 'server: {port: 5}\n')
    const { reading } = await read({ file: 'server: {port: 4}\n', configFlag: other })
    expect((await reading).config.server.port).toBe(5)
    expect((await reading).file).toEqual({ path: other, exists: true })
  })

  it('may be a symbolic link', async () => {
    const home = temporaryDirectory()
    writeFileSync(join(home, 'dotfile'), 'server: {port: 5}\n')
    symlinkSync('dotfile', join(home, 'config.yaml'))
    const { config } = await readConfig({ env: { DROVER_HOME: home }, homeDirectory: NOWHERE, cwd: '/' })
    expect(config.server.port).toBe(5)
  })

  it('may have 1 MiB but no more', async () => {
    const file = `#${' '.repeat(1_048_574)}\n`
    await expect((await read({ file })).reading).resolves.toMatchObject({ file: { exists: true } })
    await expect((await read({ file: `${file}\n` })).reading).rejects.toMatchObject({ code: 'file_too_large' })
  })

  it('must be text', async () => {
    const { path, reading } = await read({ file: '' })
    await reading
    writeFileSync(path, Buffer.from([0x61, 0xff]))
    await expect(readConfig({ env: { DROVER_CONFIG: path }, homeDirectory: '/', cwd: '/' })).rejects.toMatchObject({
      code: 'text_not_utf8',
    })
  })

  it('must be a file', async () => {
    const home = temporaryDirectory()
    mkdirSync(join(home, 'config.yaml'))
    const reading = readConfig({ env: { DROVER_HOME: home }, homeDirectory: '/', cwd: '/' })
    await expect(reading).rejects.toMatchObject({ code: 'file_not_regular' })
  })

  it.skipIf(process.getuid?.() === 0)('must be readable', async () => {
    const { path, reading } = await read({ file: '' })
    await reading
    chmodSync(path, 0)
    await expect(readConfig({ env: { DROVER_CONFIG: path }, homeDirectory: '/', cwd: '/' })).rejects.toMatchObject({
      code: 'file_unreadable',
    })
  })
})

describe('a backend that the file defines', () => {
  const file = 'backends:\n  opencode:\n    protocol: acp\n    command: [opencode, acp]\n'

  it('has every setting of a backend', async () => {
    const { reading } = await read({ file: `${file}    env: {KEY: secret}\n    model: x/y\n` })
    const { config, origins } = await reading
    expect(Object.keys(config.backends)).toEqual(['claude', 'codex', 'gemini', 'opencode'])
    expect(config.backends['opencode']).toEqual({
      protocol: 'acp',
      command: ['opencode', 'acp'],
      env: { KEY: 'secret' },
      model: 'x/y',
      profile: {},
      ignores_project: false,
      approval_mode: '',
      sandbox_mode: '',
      silence_secs: -1,
      enabled: true,
      plan: false,
      system_prompt: '',
      allowed_tools: '',
      extra_flags: [],
      model_aliases: {},
    })
    expect(origins['backends.opencode.command']).toMatchObject({ from: 'file', line: 4 })
    expect(origins['backends.opencode.enabled']).toEqual({ from: 'default' })
  })

  it('is changed by variables, which cannot define one', async () => {
    const env = {
      DROVER_BACKENDS_MY_AGENT_MODEL: 'a/b',
      DROVER_BACKENDS_MY_AGENT_ENABLED: 'no',
      DROVER_BACKENDS_MY_AGENT_APPROVAL_MODE: 'auto',
      DROVER_BACKENDS_OTHER_MODEL: 'x',
    }
    const { reading } = await read({ file: `${file.replace('opencode:', 'my-agent:')}    model: x/y\n`, env })
    const { config, origins, warnings } = await reading
    expect(config.backends['my-agent']).toMatchObject({ model: 'a/b', enabled: false, approval_mode: 'auto' })
    expect(config.backends['other']).toBeUndefined()
    expect(origins['backends.my-agent.model']).toEqual({
      from: 'environment',
      variable: 'DROVER_BACKENDS_MY_AGENT_MODEL',
    })
    expect(warnings).toEqual([expect.stringContaining('DROVER_BACKENDS_OTHER_MODEL is unknown and has no effect')])
  })

  it('refuses a variable with a wrong value, and reports the mistakes of the file once', async () => {
    const env = { DROVER_BACKENDS_X_APPROVAL_MODE: 'maybe', DROVER_BACKENDS_X_MODEL: '-x' }
    const { reading } = await read({ file: 'backends:\n  x: {protocol: acp, command: [./x]}\n', env })
    await expect(reading).rejects.toMatchObject({
      details: {
        problems: [
          { key: 'backends.x.model', origin: { variable: 'DROVER_BACKENDS_X_MODEL' } },
          { key: 'backends.x.approval_mode', origin: { variable: 'DROVER_BACKENDS_X_APPROVAL_MODE' } },
          { key: 'backends.x.command[0]', origin: { from: 'file' } },
        ],
      },
    })
  })

  it('can be the default, and the target of a rule', async () => {
    const more = 'default_backend: opencode\nserver:\n  model_rules: [kimi-*=opencode]\n'
    const { reading } = await read({ file: file + more, env: { DROVER_BACKEND: 'codex' } })
    expect((await reading).config).toMatchObject({
      default_backend: 'codex',
      server: { model_rules: ['kimi-*=opencode'] },
    })
  })

  it.each([
    [
      'claud: {model: opus}',
      [
        'backends.claud.protocol is required to define a backend, and must be acp; did you mean backends.claude?',
        'backends.claud.command is required',
      ],
    ],
    ['x: {protocol: acp}', ['backends.x.command is required']],
    ['x: {protocol: acp, command: []}', ['backends.x.command must have at least 1 item']],
    [
      'x: {protocol: acp, command: [./agent]}',
      ['backends.x.command[0] must be the name of a program or an absolute path'],
    ],
    ['x: {protocol: acp, command: opencode}', ['backends.x.command must be an array']],
    ['x: {protocol: mcp, command: [x]}', ['backends.x.protocol must be "acp"']],
    [
      'x: {protocol: acp, command: [x], comand: y}',
      ['backends.x.comand is not a known key; did you mean backends.x.command?'],
    ],
    [
      'x: {protocol: acp, command: [x], env: {A-B: c, DROVER_API_KEYS: d}}',
      [
        'backends.x.env.A-B is not the name of a variable',
        'backends.x.env.DROVER_API_KEYS is a variable of drover, which no agent gets',
      ],
    ],
    ['my-agent: {protocol: acp, command: [x], model: 5}', ['backends.my-agent.model must be a string']],
    ['all: {protocol: acp, command: [x]}', ['backends.all is a reserved word; choose another name']],
    ['constructor: {protocol: acp, command: [x]}', ['backends.constructor is a reserved word; choose another name']],
    ['Big: {protocol: acp, command: [x]}', ['backends.Big is not a known key']],
    [`${'x'.repeat(33)}: {protocol: acp, command: [x]}`, [`backends.${'x'.repeat(33)} is not a known key`]],
    ['x: {}', ['backends.x needs protocol: acp and a command']],
    ['claude: {protocol: acp}', ['backends.claude.protocol is not a known key']],
  ])('is refused: %s', async (section, expected) => {
    const { problems = [] } = await problemsOf({ file: `backends:\n  ${section}\n` })
    const rules = (problems as { key: string; rule: string }[]).map(({ key, rule }) => `${key} ${rule}`)
    expect(rules.map((rule) => rule.split('; did you mean backends.claude.')[0]).sort()).toEqual([...expected].sort())
  })

  it.each([
    [
      'default_backend: opencod\n',
      'default_backend names the backend "opencod", which does not exist; did you mean opencode?',
    ],
    [
      'server: {model_rules: [o9-*=missing]}\n',
      'server.model_rules[0] names the backend "missing", which does not exist; use claude, codex, gemini, opencode',
    ],
    [
      `server: {keys: [{name: ci, sha256: ${'a'.repeat(64)}, backends: [claude, codx]}]}\n`,
      'server.keys[0].backends[1] names the backend "codx", which does not exist; did you mean codex?',
    ],
  ])('must exist: %s', async (text, message) => {
    const { problems = [] } = await problemsOf({ file: file + text })
    expect(problems).toMatchObject([{ key: message.split(' ')[0], rule: message.slice(message.indexOf(' ') + 1) }])
  })

  it('may have a name of 32 letters', async () => {
    const name = 'x'.repeat(32)
    const { reading } = await read({ file: `backends:\n  ${name}: {protocol: acp, command: [x]}\n` })
    expect((await reading).config.backends[name]).toMatchObject({ command: ['x'] })
  })
})

describe('an MCP server', () => {
  it.each([
    ['{name: docs, command: docs, args: [-v], env: {LEVEL: debug, TOKEN: "${DOCS}"}}', []],
    ['{name: docs, url: "https://docs.example/mcp", headers: {Authorization: "Bearer ${file:/etc/docs}"}}', []],
    ['{name: docs}', ['must have either command or url']],
    ['{name: docs, command: a, url: "http://b"}', ['must have either command or url']],
    ['{name: docs, command: ./docs}', ['must be the name of a program or an absolute path']],
    ['{name: docs, command: a, headers: {A: b}}', ['must have headers only with a url']],
    ['{name: docs, url: "http://b", args: [a]}', ['must have args and env only with a command']],
    ['{name: docs, url: "ftp://b"}', ['must have a url with http or https']],
    ['{name: docs, url: "http://me:secret@b"}', ['must have no password in its url; use headers']],
    [
      '{name: docs, command: a, env: {API_KEY: plain}}',
      ['must refer to the secret API_KEY: ${NAME} for a variable, ${file:/path} for a file'],
    ],
    ['{name: client, command: a}', ['must have a name that is not taken']],
    ['{name: none, command: a}', ['must have a name that is not taken']],
  ])('%s: %j', async (entry, expected) => {
    const file = `mcp_servers:\n  - ${entry}\n`
    if (expected.length === 0) {
      const { reading } = await read({ file })
      return expect((await reading).config.mcp_servers).toHaveLength(1)
    }
    const { problems = [] } = await problemsOf({ file })
    expect((problems as { rule: string }[]).map(({ rule }) => rule)).toEqual(expected)
  })

  it('has a separate name', async () => {
    const { problems } = await problemsOf({ file: 'mcp_servers: [{name: a, command: a}, {name: a, command: b}]\n' })
    expect(problems).toMatchObject([{ key: 'mcp_servers[1]', rule: 'must have a name that is not taken' }])
  })
})
