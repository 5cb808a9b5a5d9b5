import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

/** In the package and in a clone, this file is two directories below the root. */
export const besidePackage = (path: string) => fileURLToPath(new URL(`../../${path}`, import.meta.url))

export function packageVersion(): string {
  return JSON.parse(readFileSync(besidePackage('package.json'), 'utf8')).version
}
