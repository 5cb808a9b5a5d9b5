import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { contractDefinitions } from '../scripts/contract-schema.ts'
import { readJson } from '../src/kit/json/read-json.ts'
import { ALL_EXAMPLES } from './support/contract-examples.ts'
import { MESSAGE_CHECKERS, type MessageName } from './support/message-checkers.ts'
import { PROTOCOL_SCHEMA, protocolValidator } from './support/protocol-schema.ts'
import { numbersOnly } from './support/walk-message.ts'

const ROOT = join(import.meta.dirname, '..')
const page = readFileSync(join(ROOT, 'docs', 'machine-protocol.md'), 'utf8')
const schema = PROTOCOL_SCHEMA
const names = Object.keys(MESSAGE_CHECKERS) as MessageName[]

describe('docs/machine-protocol.md', () => {
  const sections = new Map(page.split(/^## /m).map((section) => [section.slice(0, section.indexOf('\n')), section]))

  it.each(names)('has a section about %s with a valid example', async (name) => {
    const [, example = ''] = /```json\n(.*?)```/s.exec(sections.get(name) ?? '') ?? []
    const check = MESSAGE_CHECKERS[name]
    expect(() => check(readJson(Buffer.from(example), { input: 'the example', limitBytes: 100_000 }))).not.toThrow()
  })

  it('describes every part and has no broken links', () => {
    const headings = [...page.matchAll(/^#+ (.+)$/gm)].map(([, text = '']) => text.toLowerCase().replaceAll(' ', '-'))
    const anchors = [...page.matchAll(/<a id="(\w+)">/g)].map(([, id = '']) => id)
    const places = new Set([...headings, ...anchors])
    const links = [...page.matchAll(/\]\(#([\w-]+)\)/g)].map(([, id = '']) => id)
    const parts = Object.keys(contractDefinitions()).map((name) => name.toLowerCase())
    expect([...links, ...parts].filter((place) => !places.has(place))).toEqual([])
  })

  it('has a sentence for every rule beyond the schema', () => {
    const documented = new Map<string, string>()
    for (const definition of Object.values(contractDefinitions())) {
      for (const [rule, sentence] of Object.entries((definition['x-rules'] ?? {}) as Record<string, string>)) {
        documented.set(rule, sentence)
      }
    }
    const sources = globSync('src/contract/*.ts', { cwd: ROOT }).map((file) => readFileSync(join(ROOT, file), 'utf8'))
    const rules = sources.flatMap((source) => [...source.matchAll(/^(?:export )?function (\w+)\(.*\): Problem\[\]/gm)])
    expect(rules.map(([, name]) => name).sort()).toEqual([...documented.keys()].sort())
    expect([...documented.values()].filter((sentence) => !page.includes(`- ${sentence}`))).toEqual([])
  })
})

describe('schema/machine-protocol-v2.json', () => {
  const ajv = protocolValidator()
  const validate = ajv.compile(schema)

  it('compiles in strict mode without a warning', () => {
    const warnings: unknown[] = []
    const note = (...said: unknown[]) => warnings.push(said)
    const strict = protocolValidator({ logger: { log: note, warn: note, error: note } })
    expect(() => strict.compile(schema)).not.toThrow()
    expect(warnings).toEqual([])
  })

  it.each(ALL_EXAMPLES)('accepts $message, $name, as exactly that message', ({ message, value }) => {
    const json = numbersOnly(value)
    expect(validate(json), ajv.errorsText(validate.errors)).toBe(true)
    const fitting = names.filter((name) => ajv.validate(`${schema.$id}#/$defs/${name}`, json))
    expect(fitting).toEqual([message])
  })

  it('refuses what is not a message', () => {
    expect([{}, { contract_version: 2 }, [], null].filter((value) => validate(value))).toEqual([])
  })

  it('describes every definition, with standard keywords only', () => {
    const silent = Object.entries(schema.$defs as Record<string, { title?: string; description?: string }>).filter(
      ([, { title, description }]) => !title || !description?.endsWith('.'),
    )
    expect(silent.map(([name]) => name)).toEqual([])
    expect(JSON.stringify(schema)).not.toContain('"x-')
  })
})
