import { chmodSync, mkdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, describe, expect, it } from 'vitest'
import { callDrover } from '../support/call-drover.ts'
import { IS_FULL } from '../support/full-counts.ts'
import { NOWHERE } from '../support/nowhere.ts'
import { hasTerminals, startOnTerminal } from '../support/on-terminal.ts'
import { runDrover, temporaryDirectory } from '../support/run-drover.ts'
import { portOf, serveDrover } from '../support/serve-drover.ts'

let home: string
let file: string

beforeEach(() => {
  home = temporaryDirectory()
  file = join(home, '.drover', 'config.yaml')
})

const drover = (args: string, env: Record<string, string> = {}) => callDrover(args.split(' '), { home, env })
const droverProcess = (args: string) => runDrover(args.split(' '), { home })

function writeConfig(text: string): void {
  mkdirSync(join(home, '.drover'))
  writeFileSync(file, text, 'latin1')
}

describe('drover config set', () => {
  it('creates the file with private permissions', async () => {
    expect(await droverProcess('config set server.port 9000')).toEqual({
      code: 0,
      stdout: `server.port = 9000 (in ${file})\n`,
      stderr: '',
    })
    expect(readFileSync(file, 'utf8')).toBe('server:\n  port: 9000\n')
    expect(statSync(file).mode & 0o777).toBe(0o600)
    expect(statSync(join(home, '.drover')).mode & 0o777).toBe(0o700)
  })

  it.each([
    ['store.url', 'postgres://ada:sekret@db/drover', 'postgres://ada:********@db/drover'],
    ['backends.mine.env.TOKEN', 'sekret', '********'],
    ['backends.codex.model_aliases.fast', 'mini', 'mini'],
  ])('prints %s as config get does', async (key, value, shown) => {
    writeConfig('backends: {mine: {protocol: acp, command: [mine]}}\n')
    expect(await drover(`config set ${key} ${value}`)).toMatchObject({ stdout: `${key} = ${shown} (in ${file})\n` })
    expect(await drover(`config get ${key}`)).toMatchObject({ stdout: `${shown}\n` })
    expect(readFileSync(file, 'utf8')).toContain(value)
  })

  it.each([
    ['server.max_request_body_bytes', '2M', '2097152'],
    ['drive.template_max_bytes', '5G', '5368709120'],
    ['server.max_request_body_bytes', '512kB', '524288'],
    ['server.max_request_body_bytes', '1GiB', '1073741824'],
    ['executions.max_mb', '2G', '2048'],
    ['executions.max_mb', '300', '300'],
  ])('takes a size for %s: %s', async (key, size, shown) => {
    expect(await drover(`config set ${key} ${size}`)).toMatchObject({
      code: 0,
      stdout: `${key} = ${shown} (in ${file})\n`,
    })
    const variable = `DROVER_${key.replaceAll('.', '_').toUpperCase()}`
    expect(await drover(`config get ${key}`, { [variable]: size })).toMatchObject({ stdout: `${shown}\n` })
    const [section = '', name = ''] = key.split('.')
    writeFileSync(file, `${section}:\n  ${name}: ${size}\n`)
    expect(await drover(`config get ${key}`)).toMatchObject({ stdout: `${shown}\n` })
  })

  it.each([
    ['server.max_request_body_bytes', '1025M'],
    ['server.max_request_body_bytes', '1.5M'],
    ['server.max_request_body_bytes', '2T'],
    ['executions.max_mb', '1K'],
    ['server.port', '8K'],
  ])('refuses a wrong size for %s: %s', async (key, size) => {
    expect(await drover(`config set ${key} ${size}`)).toMatchObject({
      code: 2,
      stdout: '',
      stderr: expect.stringContaining(key),
    })
  })

  it.runIf(IS_FULL)('says that a running server needs a restart, unless it does not', async () => {
    const serving = serveDrover(['-p', '0', '--demo'])
    await portOf(serving)
    const set = async (...args: string[]) => (await runDrover(['config', ...args], { home: serving.home })).stderr
    const note = (key: string) =>
      `drover: note: the running server (process ${serving.child.pid}) uses the new value of ${key} after a restart; restart it\n`
    expect(await set('set', 'server.metrics_enabled', 'true')).toBe(note('server.metrics_enabled'))
    expect(await set('set', 'backends.claude.model_aliases.x', 'y')).toBe(note('backends.claude.model_aliases.x'))
    expect(await set('set', 'output.color', 'false')).toBe('')
    expect(await set('unset', 'server.metrics_enabled')).toBe(note('server.metrics_enabled'))
    expect(await set('unset', 'server.metrics_enabled')).toBe('')
  })

  it('keeps comments, order, other keys and the mode of the file', async () => {
    writeConfig('# mine\nserver:\n  host: 127.0.0.1 # loopback\n  port: 1\nsession:\n  retention_days: 3\n')
    chmodSync(file, 0o644)
    await drover('config set server.port 9000')
    expect(readFileSync(file, 'utf8')).toBe(
      '# mine\nserver:\n  host: 127.0.0.1 # loopback\n  port: 9000\nsession:\n  retention_days: 3\n',
    )
    expect(statSync(file).mode & 0o777).toBe(0o644)
  })

  it('writes to the file that --config names', async () => {
    const other = join(home, 'team.yaml')
    await drover(`config set output.show_timing true --config ${other}`)
    expect(readFileSync(other, 'utf8')).toBe('output:\n  show_timing: true\n')
  })

  it.each([
    ['an unknown key', 'server.prot 1', 'server.prot is not a known key; did you mean server.port?'],
    ['a value of the wrong type', 'server.port many', 'server.port was not changed: server.port must be'],
    ['a value past the limit', 'server.port 65536', 'server.port must be at most 65535'],
    ['a value that is not offered', 'output.format xml', 'must be one of "default", "text", "json", "stream-json"'],
    ['a backend that does not exist', 'default_backend claud', 'which does not exist; did you mean claude?'],
    ['two values where one belongs', 'server.port 1 2', 'takes one value, not 2'],
  ])('refuses %s and changes nothing', async (_name, words, sentence) => {
    writeConfig('server:\n  port: 1\n')
    const { code, stdout, stderr } = await drover(`config set ${words}`)
    expect({ code, stdout, stderr }).toEqual({ code: 2, stdout: '', stderr: expect.stringContaining(sentence) })
    expect(readFileSync(file, 'utf8')).toBe('server:\n  port: 1\n')
  })

  it('loses nothing when several processes set values at the same time', async () => {
    const keys = ['server.port', 'server.rate_limit_rps', 'parallel.max_workers', 'session.retention_days']
    await Promise.all(keys.map((key) => droverProcess(`config set ${key} 7`)))
    for (const key of keys) expect(await drover(`config get ${key}`)).toMatchObject({ stdout: '7\n' })
  })
})

describe('a config file that cannot be used', () => {
  it.each<[string, () => void, string[], string]>([
    [
      'a directory in its place',
      () => mkdirSync(file, { recursive: true }),
      ['get', 'server.port'],
      'is a directory, not a regular file; give the path of a file',
    ],
    [
      'a file that is too large',
      () => writeConfig('#'.repeat(1_048_577)),
      ['get', 'server.port'],
      'has 1048577 bytes; the limit is 1048576',
    ],
    ['no text', () => writeConfig('a: \u00ff'), ['get', 'server.port'], 'is not UTF-8 text; save it as UTF-8'],
    [
      'a file in place of the directory',
      () => writeFileSync(join(home, '.drover'), ''),
      ['set', 'server.port', '1'],
      'cannot be used as a private directory: it is a regular file; move it away or choose another',
    ],
    [
      'a foreign lock file',
      () => writeForeignLock(),
      ['set', 'server.port', '1'],
      'is not a lock file: it is not empty; move it away if you do not need it',
    ],
    [
      'a link that leads nowhere',
      () => linkNowhere(),
      ['set', 'server.port', '1'],
      'could not be written and is unchanged: no such file or directory (ENOENT); fix that and try again',
    ],
  ])('is reported in one sentence with a remedy: %s', async (_name, prepare, words, sentence) => {
    prepare()
    const { code, stdout, stderr } = await callDrover(['config', ...words], { home })
    expect({ code, stdout, lines: stderr.trim().split('\n') }).toEqual({
      code: 1,
      stdout: '',
      lines: [expect.stringMatching(/^drover: /)],
    })
    expect(stderr).toContain(sentence)
  })

  it('accepts a file of exactly the maximum size', async () => {
    writeConfig('#'.repeat(1_048_576))
    expect((await drover('config get server.port')).stdout).toBe('8080\n')
  })

  function writeForeignLock(): void {
    writeConfig('')
    writeFileSync(`${file}.lock`, 'precious')
  }

  function linkNowhere(): void {
    mkdirSync(join(home, '.drover'))
    symlinkSync(`${NOWHERE}/target`, file)
  }
})

describe('drover config get and show', () => {
  it('print the origin of each value by priority', async () => {
    writeConfig('server:\n  port: 1\n  host: localhost\n')
    const { stdout } = await drover('config show --json --changed', { DROVER_SERVER_PORT: '2' })
    expect(JSON.parse(stdout)).toEqual({
      file: { path: file, exists: true },
      settings: [
        { key: 'server.host', value: 'localhost', origin: { from: 'file', file, line: 3, column: 3 } },
        { key: 'server.port', value: 2, origin: { from: 'environment', variable: 'DROVER_SERVER_PORT' } },
      ],
    })
  })

  it('print a list with one item per line', async () => {
    await drover('config set session.default_tags work review')
    expect(await drover('config get session.default_tags')).toEqual({ code: 0, stdout: 'work\nreview\n', stderr: '' })
  })

  it('print every key as text', async () => {
    const { code, stdout } = await drover('config show')
    expect(code).toBe(0)
    expect(stdout).toMatch(/server\.port +8080 +default/)
  })

  it.runIf(hasTerminals)('fit a terminal', async () => {
    await drover('config set server.port 9000')
    const terminal = { cwd: home, env: { HOME: home, NO_COLOR: '1' } }
    const { seen } = await startOnTerminal(['config', 'show'], { ...terminal, columns: 70 }).ended
    expect(seen).toMatch(/server\.port +9000 +line \d+:\d+/)
    const [, , ...lines] = seen.trimEnd().split('\n')
    expect(Math.max(...lines.map((line) => line.length))).toBe(70)
  })

  it('mask the digests of API keys', async () => {
    writeConfig(`server:\n  keys:\n    - name: ci\n      sha256: ${'a1'.repeat(32)}\n`)
    const outputs = await Promise.all(
      ['config show', 'config show --json', 'config get server.keys'].map((c) => drover(c)),
    )
    for (const { code, stdout } of outputs) {
      expect(code).toBe(0)
      expect(stdout).toContain('ci')
      expect(stdout).not.toContain('a1a1')
    }
  })
})

describe('drover config unset', () => {
  it('removes the key and its section if that is then empty', async () => {
    writeConfig('# mine\n\nserver:\n  port: 1\nparallel:\n  max_workers: 2\n')
    expect(await drover('config unset server.port')).toMatchObject({ code: 0, stderr: '' })
    expect(readFileSync(file, 'utf8')).toBe('# mine\n\nparallel:\n  max_workers: 2\n')
  })

  it('says so when the key was not set', async () => {
    expect(await drover('config unset server.port')).toMatchObject({
      code: 0,
      stdout: `server.port was not set in ${file}; nothing changed\n`,
    })
  })
})

describe('a broken config', () => {
  const BROKEN = 'server:\n  prot: 1\n  port: x\nretry:\n  global: {}\n'

  it('stops a command that needs it and names file, line and nearest key', async () => {
    writeConfig(BROKEN)
    const { code, stdout, stderr } = await drover('config get server.port')
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
    expect(stderr).toContain(`${file}:2:3: server.prot is not a known key; did you mean server.port?`)
    expect(stderr).toContain(`${file}:3:3: server.port must be an integer`)
  })

  it('does not stop a command that does not need it', async () => {
    writeConfig(BROKEN)
    expect((await drover('version')).code).toBe(0)
    expect((await drover('config path')).code).toBe(0)
  })

  it('makes validate list all problems and exit 1', async () => {
    writeConfig(BROKEN)
    const { code, stdout } = await drover('config validate')
    expect(code).toBe(1)
    expect(stdout.trim().split('\n')).toHaveLength(3)
    const json = await drover('config validate --json')
    expect(json.code).toBe(1)
    expect(JSON.parse(json.stdout)).toMatchObject({ valid: false, file, problems: [{ key: 'server.prot' }, {}, {}] })
  })

  it('is not edited', async () => {
    writeConfig(BROKEN)
    expect((await drover('config set server.host localhost')).code).toBe(1)
    expect(readFileSync(file, 'utf8')).toBe(BROKEN)
  })

  it.each([
    ['a variable', { DROVER_SERVER_PORT: 'x' }, 'DROVER_SERVER_PORT: server.port must be'],
    [
      'a file that was asked for and is not there',
      { DROVER_CONFIG: `${NOWHERE}/x.yaml` },
      `DROVER_CONFIG names ${NOWHERE}/x.yaml`,
    ],
  ])('can also be %s', async (_name, env, sentence) => {
    const { code, stderr } = await drover('config show', env)
    expect(code).not.toBe(0)
    expect(stderr).toContain(sentence)
  })

  it('is reported as valid when it is not broken', async () => {
    writeConfig('server:\n  port: 1\n')
    expect(await drover('config validate')).toEqual({ code: 0, stdout: `${file} is valid\n`, stderr: '' })
  })
})

describe('drover config validate with ceilings', () => {
  it('warns that a configured mode is lowered for requests, which other commands do not', async () => {
    writeConfig('unified_flags:\n  approval_mode: none\nserver:\n  max_approval_mode: auto\n')
    const warning = 'unified_flags.approval_mode is none, but server.max_approval_mode is auto'
    const { code, stdout } = await drover('config validate')
    expect([code, stdout]).toEqual([0, expect.stringContaining(`warning: ${warning}`)])
    expect((await drover('config get server.port')).stderr).toBe('')
  })
})
