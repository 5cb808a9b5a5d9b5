/** Writes every generated file of the repository. A test compares them with what this would write. */
import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { generatedFiles } from './generated-files.ts'

const root = join(import.meta.dirname, '..')
for (const { path, content } of await generatedFiles()) {
  mkdirSync(dirname(join(root, path)), { recursive: true })
  writeFileSync(join(root, path), content)
  console.log(path)
}
