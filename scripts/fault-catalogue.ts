/** Every fault that drover can raise, gathered from `faults.ts` and `*-faults.ts` of each folder. */
import { globSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { FAILURES } from '../src/agents/adapter/failure.ts'
import { STOPS } from '../src/agents/agent-result.ts'
import type { FaultMaker } from '../src/kit/fault.ts'
import { compareBytes } from '../src/kit/utf8.ts'
import { CANCELED_CODE } from '../src/prompts/prompt-result.ts'
import { WIRE_CODES } from '../src/service/public-error.ts'

export type Catalogue = { folder: string; faults: FaultMaker<never>[] }

/** Codes that are not of a fault. An agent that fails is not one: its result has the code. */
export const RESULT_CODES: Readonly<Record<string, string>> = {
  ...FAILURES,
  ...STOPS,
  [CANCELED_CODE]: 'A prompt was canceled before its agent started.',
}

/** Every code of an error that drover reports. */
export async function gatherCodes(): Promise<string[]> {
  const faults = (await gatherFaults()).flatMap((catalogue) => catalogue.faults.map(({ code }) => code))
  return [...new Set([...faults, ...Object.keys(RESULT_CODES), ...Object.values(WIRE_CODES)])].sort(compareBytes)
}

export async function gatherFaults(): Promise<Catalogue[]> {
  const src = join(import.meta.dirname, '..', 'src')
  const files = globSync('**/{faults,*-faults}.ts', { cwd: src }).sort()
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
