import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { compileShapes, type ShapeTable } from '../../scripts/compile-shapes.ts'
import type { Validate } from '../../src/kit/schema.ts'

/** Compiles shapes the way `npm run generate` does and loads the result the way the program does. */
export async function loadValidators<T extends ShapeTable>(
  shapes: T,
  options = { allProblems: false },
): Promise<Record<keyof T, Validate>> {
  const directory = mkdtempSync(join(tmpdir(), 'drover-shapes-'))
  const file = join(directory, 'checks.generated.mjs')
  writeFileSync(file, await compileShapes(shapes, options))
  try {
    return await import(/* @vite-ignore */ pathToFileURL(file).href)
  } finally {
    rmSync(directory, { recursive: true })
  }
}
