import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

/** In the package and in a clone, this file is two directories below the root. */
export const besidePackage = (path: string) => fileURLToPath(new URL(`../../${path}`, import.meta.url))

export function packageVersion(): string {
  return JSON.parse(readFileSync(besidePackage('package.json'), 'utf8')).version
}

/** An old Node can load the library so far that it gets this message, instead of a syntax error. */
const REQUIRED = 24

export function requireNode(version = process.versions.node): void {
  if (Number(version.split('.')[0]) >= REQUIRED) return
  throw new Error(
    `drover needs Node ${REQUIRED} or newer, but this is Node ${version}: run your program with a newer Node`,
  )
}
