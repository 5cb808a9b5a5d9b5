import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { generatedFiles } from '../scripts/generated-files.ts'

const ROOT = join(import.meta.dirname, '..')

const files = await generatedFiles()

describe('generated files', () => {
  it.each(files)('$path is what npm run generate would write', ({ path, content }) => {
    const file = join(ROOT, path)
    // Compared before `expect`, whose diff of a validator would take minutes.
    const isInStep = existsSync(file) && readFileSync(file, 'utf8') === content
    expect(isInStep, `${path} is out of step; run npm run generate`).toBe(true)
  })

  it('are each written once', () => {
    expect(new Set(files.map(({ path }) => path)).size).toBe(files.length)
  })
})
