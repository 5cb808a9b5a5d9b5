import { ConfigFile } from '../src/config/config.shape.ts'
import { type Json, publishedSchema } from './rewrite-shape.ts'

/** The JSON Schema of the config file, for editors. */
export function configSchema(): string {
  const definitions: Json = {}
  const root = publishedSchema(ConfigFile as Json, definitions)
  const schema = {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    $id: 'https://drover.dev/schema/config.json',
    title: 'drover configuration',
    description: 'The file ~/.drover/config.yaml. Every key may be left out.',
    ...root,
    $defs: definitions,
  }
  return `${JSON.stringify(schema, withoutExtensions, 2)}\n`
}

/** Removes the keywords that only drover uses. */
function withoutExtensions(word: string, value: unknown): unknown {
  return word.startsWith('x-') ? undefined : value
}
