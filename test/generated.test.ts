import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { generatedFiles } from '../scripts/generated-files.ts'

const ROOT = join(import.meta.dirname, '..')

const files = await generatedFiles()

describe('generated files', () => {
  it.each(files)('$path is up to date', ({ path, content }) => {
    const file = join(ROOT, path)
    // Compared outside `expect`, whose diff of a validator would take minutes.
    const isUpToDate = existsSync(file) && readFileSync(file, 'utf8') === content
    expect(isUpToDate, `${path} is out of date; run npm run generate`).toBe(true)
  })

  it('are each written once', () => {
    expect(new Set(files.map(({ path }) => path)).size).toBe(files.length)
  })
})
