import { describe, expect, it } from 'vitest'
import { readEnvironment } from './read-config.ts'

const read = (env: Record<string, string>) => readEnvironment(env)

describe('readEnvironment', () => {
  it.each([
    ['DROVER_BACKEND', 'codex', 'default_backend', 'codex'],
    ['DROVER_DEFAULT_BACKEND', 'gemini', 'default_backend', 'gemini'],
    ['DROVER_CLAUDE_MODEL', 'opus', 'backends.claude.model', 'opus'],
    ['DROVER_CODEX_MODEL', 'gpt-5.2', 'backends.codex.model', 'gpt-5.2'],
    ['DROVER_GEMINI_MODEL', '1', 'backends.gemini.model', '1'],
    ['DROVER_API_KEYS_GOPASS_PATH', 'team/drover', 'server.api_keys_gopass_path', 'team/drover'],
    ['DROVER_TIMEOUT', '60', 'unified_flags.command_timeout_secs', 60],
    ['DROVER_SERVER_PORT', '9000', 'server.port', 9000],
    ['DROVER_OUTPUT_COLOR', 'false', 'output.color', false],
    ['DROVER_OUTPUT_COLOR', 'No', 'output.color', false],
    ['DROVER_OUTPUT_COLOR', 'off', 'output.color', false],
    ['DROVER_OUTPUT_COLOR', '0', 'output.color', false],
    ['DROVER_PARALLEL_FAIL_FAST', 'TRUE', 'parallel.fail_fast', true],
    ['DROVER_PARALLEL_FAIL_FAST', 'yes', 'parallel.fail_fast', true],
    ['DROVER_PARALLEL_FAIL_FAST', 'on', 'parallel.fail_fast', true],
    ['DROVER_PARALLEL_FAIL_FAST', '1', 'parallel.fail_fast', true],
    ['DROVER_SERVER_TRUSTED_PROXIES', '10.0.0.1, 10.1.0.0/16,', 'server.trusted_proxies', ['10.0.0.1', '10.1.0.0/16']],
  ])('takes %s=%s for %s', (variable, text, key, value) => {
    const { layer, problems, warnings } = read({ [variable]: text })
    expect([...layer.values]).toEqual([[key, value]])
    expect([...layer.origins]).toEqual([[key, { from: 'environment', variable }]])
    expect([problems, warnings]).toEqual([[], []])
  })

  it('treats an empty variable as not set', () => {
    expect(read({ DROVER_SERVER_PORT: '', DROVER_BACKEND: '' }).layer.values.size).toBe(0)
  })

  it.each([
    ['DROVER_SERVER_PORT', '80a', 'server.port', 'must be an integer, 0 to 65535'],
    ['DROVER_SERVER_PORT', '0x50', 'server.port', 'must be an integer, 0 to 65535'],
    ['DROVER_SERVER_PORT', '1e3', 'server.port', 'must be an integer, 0 to 65535'],
    ['DROVER_SERVER_PORT', '9'.repeat(17), 'server.port', 'must be an integer, 0 to 65535'],
    ['DROVER_OUTPUT_COLOR', 'maybe', 'output.color', 'must be true or false'],
    ['DROVER_OUTPUT_COLOR', 'constructor', 'output.color', 'must be true or false'],
  ])('refuses %s=%s', (variable, text, key, rule) => {
    const { layer, problems } = read({ [variable]: text })
    expect(problems).toEqual([{ key, rule, origin: { from: 'environment', variable } }])
    expect(layer.values.size).toBe(0)
  })

  it('accepts two variables of one key with the same value', () => {
    const { layer, problems } = read({ DROVER_BACKEND: 'codex', DROVER_DEFAULT_BACKEND: 'codex' })
    expect([...layer.values]).toEqual([['default_backend', 'codex']])
    expect(problems).toEqual([])
  })

  it('refuses two variables of one key with different values', () => {
    expect(read({ DROVER_BACKEND: 'codex', DROVER_DEFAULT_BACKEND: 'gemini' }).problems).toEqual([
      {
        key: 'default_backend',
        rule: 'has a different value in DROVER_BACKEND; unset one of the two',
        origin: { from: 'environment', variable: 'DROVER_DEFAULT_BACKEND' },
      },
    ])
  })

  it('warns about unknown variables, with a suggestion', () => {
    expect(
      read({ DROVER_SERVER_PROT: '1', DROVER_API_KEY: 'secret', DROVER_ELEPHANTS: '1', OTHER: '1' }).warnings,
    ).toEqual([
      'the variable DROVER_SERVER_PROT is unknown and has no effect; did you mean DROVER_SERVER_PORT?',
      'the variable DROVER_API_KEY is unknown and has no effect; did you mean DROVER_API_KEYS?',
      'the variable DROVER_ELEPHANTS is unknown and has no effect',
    ])
  })

  it.each([
    'DROVER_HOME',
    'DROVER_CONFIG',
    'DROVER_API_KEYS',
    'DROVER_DEBUG',
    'DROVER_TREE',
    'DROVER_OWNER',
    'DROVER_RUN',
    'DROVER_PORT',
  ])('neither takes %s for a key nor warns of it', (variable) => {
    const { layer, problems, warnings } = read({ [variable]: 'x' })
    expect([layer.values.size, problems, warnings]).toEqual([0, [], []])
  })
})
