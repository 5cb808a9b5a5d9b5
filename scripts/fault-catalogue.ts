/** Every fault that drover can raise, gathered from the `faults.ts` of each folder. */
import { globSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { FaultMaker } from '../src/kit/fault.ts'
import { compareBytes } from '../src/kit/utf8.ts'

export type Catalogue = { folder: string; faults: FaultMaker<never>[] }

export async function gatherFaults(): Promise<Catalogue[]> {
  const src = join(import.meta.dirname, '..', 'src')
  const files = globSync('**/faults.ts', { cwd: src }).sort()
  const read = files.map(async (file) => {
    const exports: Record<string, unknown> = await import(pathToFileURL(join(src, file)).href)
    return { folder: file.split(/[\\/]/)[0] ?? '', faults: Object.values(exports).filter(isMaker) }
  })
  const folders = Map.groupBy(await Promise.all(read), ({ folder }) => folder)
  return [...folders].map(([folder, parts]) => {
    const faults = parts.flatMap((part) => part.faults)
    return { folder, faults: faults.toSorted((a, b) => compareBytes(a.code, b.code)) }
  })
}

function isMaker(value: unknown): value is FaultMaker<never> {
  return typeof value === 'function' && 'code' in value && 'kind' in value && 'when' in value
}
