import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { readConfig } from '../src/config/read-config.ts'
import { UNSUPPORTED_KEYS } from '../src/config/resolve-key.ts'
import { CONFIG_KEYS } from '../src/config/setting-keys.ts'
import { temporaryDirectory } from './support/run-drover.ts'

const ROOT = join(import.meta.dirname, '..')
const page = readFileSync(join(ROOT, 'docs', 'config.md'), 'utf8')
const examples = [...page.matchAll(/^```yaml\n(.*?)^```/gms)].map(([, text = ''], index) => ({
  number: index + 1,
  text,
}))
const example = examples[0]?.text ?? ''

describe('docs/config.md', () => {
  it.each(examples)('has an example $number that drover accepts', async ({ text }) => {
    const file = join(temporaryDirectory(), 'config.yaml')
    writeFileSync(file, text)
    await expect(readConfig({ env: { DROVER_CONFIG: file }, homeDirectory: '/', cwd: '/' })).resolves.toMatchObject({
      file: { exists: true },
      warnings: [],
    })
  })

  it('has a row for every key and no other', () => {
    const documented = [
      ...page.matchAll(/^\| `([^`]+)` \| (?:string|integer|boolean|enum|list|map|entries) \| \S+.* \| /gm),
    ]
    const names = documented
      .map(([, name = '']) => name)
      .filter((name) => name.includes('.') || ['default_backend', 'budgets', 'prices', 'mcp_servers'].includes(name))
    const keys = CONFIG_KEYS.map(({ path }) => path.replace(/^backends\.\w+/, 'backends.<name>'))
    expect([...new Set(names)]).toEqual([...new Set(keys)])
  })

  it('lists every variable', () => {
    const variables = CONFIG_KEYS.flatMap((key) => key.variables)
    const general = variables.map((name) =>
      name.replace(/(?<=^DROVER_(?:BACKENDS_)?)(?:CLAUDE|CODEX|GEMINI)(?=_)/, '<NAME>'),
    )
    expect(general.filter((name) => !page.includes(`\`${name}\``))).toEqual([])
  })

  it('lists the keys that are refused', () => {
    expect(UNSUPPORTED_KEYS.filter(({ path }) => !page.includes(`| \`${path}\` |`))).toEqual([])
  })
})

describe('schema/config.json', () => {
  const schema = JSON.parse(readFileSync(join(ROOT, 'schema', 'config.json'), 'utf8'))
  const validate = new Ajv2020({ strict: true, allErrors: true }).compile(schema)

  it('accepts the example of the documentation', () => {
    expect(validate(parse(example)), JSON.stringify(validate.errors)).toBe(true)
  })

  it.each([{ prot: 1 }, { server: { port: 65_536 } }, { server: { keys: [{ name: 'x', key: 'y' }] } }])(
    'refuses %j',
    (value) => {
      expect(validate(value)).toBe(false)
    },
  )

  it('has a description and a default for each key', () => {
    expect(schema.$defs.server.properties.port).toMatchObject({ type: 'integer', default: 8080, maximum: 65_535 })
    expect(schema.$defs.server.properties.port.description).toContain('Port to listen on')
  })
})
