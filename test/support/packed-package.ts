import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'vitest'
import { copyClone, linkDependencies, NPM, NPM_ENVIRONMENT } from './npm.ts'
import { runAt } from './run-drover.ts'

/** Builds a copy of the clone and packs it into the directory, as `npm publish` would. */
export async function packPackage(directory: string): Promise<{ tarball: string; files: string[] }> {
  const copy = join(directory, 'copy')
  mkdirSync(copy)
  copyClone(copy)
  linkDependencies(copy)
  expect(await runAt(copy, [process.execPath, 'scripts/build.ts'], {})).toMatchObject({ code: 0, stderr: '' })
  const pack = [...NPM, 'pack', '--ignore-scripts', '--json', '--pack-destination', directory]
  const { code, stdout } = await runAt(copy, pack, NPM_ENVIRONMENT)
  expect(code).toBe(0)
  const [{ filename, files }] = JSON.parse(stdout)
  return { tarball: join(directory, filename), files: files.map((file: { path: string }) => file.path) }
}
