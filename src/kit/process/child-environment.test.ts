import { describe, expect, it } from 'vitest'
import {
  hasPassword,
  hiddenIn,
  isForChildren,
  keepFromChildren,
  secretTexts,
  toChildEnvironment,
  toOwnEnvironment,
} from './child-environment.ts'

describe('isForChildren', () => {
  it.each([
    'DROVER_API_KEYS',
    'drover_api_keys',
    'DROVER_STORE_URL',
    'DROVER_SERVER_PORT',
    'PGPASSWORD',
    'PGPASSFILE',
    'PGSERVICEFILE',
    'PGHOST',
    'pghost',
    'OTEL_EXPORTER_OTLP_HEADERS',
    'OTEL_EXPORTER_OTLP_TRACES_HEADERS',
  ])('hides %s', (name) => {
    expect(isForChildren({ name, value: 'x' }, [])).toBe(false)
  })

  it.each([
    'DROVER_TREE',
    'DROVER_OWNER',
    'DROVER_DEPTH',
    'DROVER_HOME',
    'DROVER_CONFIG',
    'MY_DROVER_KEY',
    'MY_PGHOST',
    'MY_OTEL_HEADERS',
    'ANTHROPIC_API_KEY',
    'OTEL_SERVICE_NAME',
    'OTEL_EXPORTER_OTLP_HEADERS_MODE',
  ])('shows %s', (name) => {
    expect(isForChildren({ name, value: 'x' }, [])).toBe(true)
  })

  it.each([
    ['OTEL_EXPORTER_OTLP_ENDPOINT', 'https://collector.example.com', true],
    ['OTEL_EXPORTER_OTLP_ENDPOINT', 'https://me:secret@collector.example.com', false],
    ['MY_OTEL_ENDPOINT', 'https://me:secret@collector.example.com', true],
    ['OTEL_RESOURCE_ATTRIBUTES', 'team=weather', true],
    ['OTEL_RESOURCE_ATTRIBUTES', 'team=weather,api_key=abcdefgh', false],
  ])('shows a setting of OpenTelemetry if it has no credentials: %s=%s', (name, value, isShown) => {
    expect(isForChildren({ name, value }, [])).toBe(isShown)
  })

  it.each([
    ['SETTINGS', '{"db":"hunter2-hunter"}'],
    ['DATABASE_URL', 'postgres://me:drover@db/x'],
    ['POSTGRES_PASSWORD', 'drover'],
    ['TWELVE', 'of-12-digits'],
  ])('hides a variable with a secret text: %s=%s', (name, value) => {
    expect(isForChildren({ name, value }, ['hunter2-hunter', 'drover', 'of-12-digits'])).toBe(false)
  })

  it.each([
    ['PATH', '/opt/drover/bin:/bin'],
    ['USER', 'drover'],
    ['DATABASE_URL', 'postgres://me:another@db/x'],
  ])('shows a variable with a short text that may be a common word: %s=%s', (name, value) => {
    expect(isForChildren({ name, value }, ['hunter2-hunter', 'drover'])).toBe(true)
  })
})

describe('toChildEnvironment', () => {
  it('hides what the address of the store contains, and the password of libpq', () => {
    const env = {
      PATH: '/bin',
      UNSET: undefined,
      DROVER_STORE_URL: 'postgres://drover:p%40ssw0rd-of-db@db/drover',
      PGPASSWORD: 'another-password',
      DATABASE_URL: 'postgres://drover:p%40ssw0rd-of-db@db/drover',
      PLAIN: 'p@ssw0rd-of-db',
      OTHER: 'another-password',
    }
    expect(toChildEnvironment(env)).toStrictEqual({ PATH: '/bin' })
  })
})

describe('hiddenIn', () => {
  it('hides nothing for the sake of a password that is not set', () => {
    const isHidden = hiddenIn({})
    expect(['PATH', 'API_KEY', 'DATABASE_URL'].filter((name) => isHidden({ name, value: 'a:@b' }))).toEqual([])
  })

  it('hides the texts of every store that this process knows', () => {
    const variable = { name: 'SETTINGS', value: '{"db":"known-to-drover"}' }
    expect(hiddenIn({})(variable)).toBe(false)
    keepFromChildren('postgres://me:known-to-drover@db/x')
    expect(hiddenIn({})(variable)).toBe(true)
  })
})

describe('toOwnEnvironment', () => {
  it('keeps everything that is set', () => {
    expect(toOwnEnvironment({ DROVER_API_KEYS: 'a', PGHOST: '', UNSET: undefined })).toStrictEqual({
      ...{ DROVER_API_KEYS: 'a', PGHOST: '' },
    })
  })
})

describe('secretTexts', () => {
  it.each([
    ['sqlite:', []],
    ['', []],
    ['no address', []],
    ['postgres://db/drover', ['postgres://db/drover']],
    ['postgres://me@db/drover', ['postgres://me@db/drover']],
    ['postgres://me:a%40b@db/x', ['postgres://me:a%40b@db/x', 'a%40b', 'a@b']],
    ['postgres://me:%zz@db/x', ['postgres://me:%zz@db/x', '%zz']],
    ['postgres:///x?password=secret', ['postgres:///x?password=secret', 'secret']],
  ])('finds the secrets of %s', (url, texts) => {
    expect(secretTexts(url)).toEqual(texts)
  })
})

describe('hasPassword', () => {
  it.each([
    ['postgres://me:secret@db/x', true],
    ['postgres:///x?password=secret', true],
    ['postgres://me@db/x', false],
    ['sqlite:', false],
  ])('of %s: %s', (url, has) => {
    expect(hasPassword(url)).toBe(has)
  })
})
