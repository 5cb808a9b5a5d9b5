import { ConfigFile, ConfigShape } from '../src/config/config.shape.ts'
import { compileShapes, declareShapes } from './compile-shapes.ts'
import { configDocs } from './config-docs.ts'
import { declareKeys, keysModule, listKeys } from './config-keys.ts'
import { configSchema } from './config-schema.ts'
import { errorDocs } from './error-docs.ts'

/** What `npm run generate` writes, and what the drift test expects to find. Paths are relative to the repository. */
export type GeneratedFile = { path: string; content: string }

export async function generatedFiles(): Promise<GeneratedFile[]> {
  return [...(await configFiles()), { path: 'docs/errors.md', content: `${await errorDocs()}\n` }]
}

async function configFiles(): Promise<GeneratedFile[]> {
  const shapes = { validateConfigFile: ConfigFile }
  const keys = listKeys(ConfigShape)
  return [
    { path: 'src/config/checks.generated.js', content: await compileShapes(shapes, { allProblems: true }) },
    { path: 'src/config/checks.generated.d.ts', content: declareShapes(shapes, '../kit/schema.ts') },
    { path: 'src/config/keys.generated.js', content: keysModule(keys) },
    { path: 'src/config/keys.generated.d.ts', content: declareKeys(keys) },
    { path: 'schema/config.json', content: configSchema() },
    { path: 'docs/config.md', content: configDocs() },
  ]
}
