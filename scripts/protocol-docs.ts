/** Generates docs/machine-protocol.md from the text in protocol-docs.md. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { LIMITS } from '../src/contract/limits.ts'
import { VARIANTS } from '../src/contract/next-variants.ts'
import { writeIndentedJson } from '../src/kit/json/write-json.ts'
import { contractDefinitions, MESSAGE_NAMES } from './contract-schema.ts'
import { fieldRows, typeOf } from './field-table.ts'
import { markdownTable } from './markdown-table.ts'
import { EXAMPLES } from './protocol-examples.ts'
import type { Json } from './rewrite-shape.ts'

const definitions = contractDefinitions()

export function protocolDocs(): string {
  const text = readFileSync(join(import.meta.dirname, 'protocol-docs.md'), 'utf8')
  return text.replace(/\{\{(\w+) ?(\w*)\}\}/g, (marker, maker: string, name: string) => {
    const made = RENDERERS[maker]?.(name)
    if (made === undefined) throw new Error(`protocol-docs.md has an unknown marker ${marker}`)
    return made
  })
}

const RENDERERS: Readonly<Record<string, (name: string) => string | undefined>> = {
  fields: (name) => definitions[name] && describe(definitions[name]),
  example: (name) => `\`\`\`json\n${writeIndentedJson(EXAMPLES[name as keyof typeof EXAMPLES])}\n\`\`\``,
  limit: (name) => String(LIMITS[name as keyof typeof LIMITS]),
  parts,
  texts,
  variants,
}

function describe(definition: Json): string {
  const rows = fieldRows(definition, definitions)
  const fields = markdownTable(
    ['Field', 'Required', 'Type', 'Meaning'],
    rows.map(({ name, presence, type, meaning }) => [`\`${name}\``, presence, type, meaning]),
  )
  const rules = Object.values((definition['x-rules'] ?? {}) as Record<string, string>)
  const list = rules.length === 0 ? '' : `\n\nBeyond its schema:\n\n${rules.map((rule) => `- ${rule}`).join('\n')}`
  return fields + list
}

function parts(): string {
  const names = Object.keys(definitions).filter((name) => !MESSAGE_NAMES.includes(name) && hasFields(name))
  return names
    .map((name) => `### ${name}\n\n${definitions[name]?.['description']}\n\n${describe(definitions[name] as Json)}`)
    .join('\n\n')
}

function texts(): string {
  const names = Object.keys(definitions).filter((name) => !hasFields(name))
  const rows = names.map((name) => {
    const definition = definitions[name] as Json
    const allowed = definition['enum'] === undefined ? '' : `: ${typeOf(definition)}`
    const said = String(definition['description']).replace(/\.$/, '')
    return [`<a id="${name.toLowerCase()}"></a>${name}`, `${said}${allowed}`]
  })
  return markdownTable(['Name', 'What it is'], rows)
}

function hasFields(name: string): boolean {
  return fieldRows(definitions[name] as Json, definitions).length > 0
}

function variants(): string {
  const rows = VARIANTS.map(({ id, operations, words, inputs }) => {
    const named = inputs.map(({ name, required }) => `\`${name}\`${required ? '' : ' (optional)'}`)
    return [operations.join(', '), `\`${id}\``, `\`${words}\``, named.join(', ') || '–']
  })
  return markdownTable(['Operation', 'Variant', 'Command', 'Inputs'], rows)
}
