import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { temporaryDirectory } from '../../../test/support/run-drover.ts'
import { configuredModel, modelInConfig, serviceInConfig } from './surroundings.ts'

it.each([
  [
    'model_provider = "a"\n[model_providers.b]\nbase_url = "http://b"\n[model_providers.a]\nname = "x"\nbase_url = "http://a/v1"',
    ['http://a/v1'],
  ],
  ['[model_providers.a]\nbase_url = "http://a"', []],
  ['model_provider = "a"\nprofile = "p"\n[model_providers.a]\nbase_url = "http://a"', []],
  ['', []],
])('%j chooses the model service %j', (text, service) => {
  expect(serviceInConfig(text)).toEqual(service)
})

describe('the model in the config of codex', () => {
  it.each([
    ['model = "gpt-5.5"', 'gpt-5.5'],
    ['# mine\n  model=\'gpt-5.5\' # the best\napproval_policy = "never"\n', 'gpt-5.5'],
    ['model_provider = "x"\n[profiles.a]\nmodel = "other"', undefined],
    ['instructions = """\nmodel = "not this"\n"""\nmodel = "gpt-5.5"', 'gpt-5.5'],
    ['model = "gpt-5.5"\nprofile = "fast"', undefined],
    ['model = "a\\u0062"', undefined],
    ['model = 5', undefined],
    ['', undefined],
  ])('%j is %s', (text, model) => {
    expect(modelInConfig(text)).toBe(model)
  })

  it.each([
    [[], 'from-config'],
    [['--color', 'never'], 'from-config'],
    [['-m', 'm-1'], 'm-1'],
    [['--model=m-1', '--model', 'm-2'], 'm-2'],
    [['-c', 'model="x"'], undefined],
    [['--profile=fast'], undefined],
  ])('gives way to the arguments %j', (extra, model) => {
    const home = temporaryDirectory()
    mkdirSync(join(home, '.codex'))
    writeFileSync(join(home, '.codex', 'config.toml'), 'model = "from-config"')
    expect(configuredModel({ extra, env: { HOME: home } })).toBe(model)
    expect(configuredModel({ extra, env: { HOME: '/none', CODEX_HOME: join(home, '.codex') } })).toBe(model)
  })

  it('is unknown without a config', () => {
    expect(configuredModel({ extra: [], env: { HOME: '/none' } })).toBeUndefined()
    expect(configuredModel({ extra: [], env: {} })).toBeUndefined()
  })
})
