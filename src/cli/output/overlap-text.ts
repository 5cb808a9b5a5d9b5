import type { DrivenRun } from '../../drive/service/driven-run.shape.ts'
import { toPrintable } from './printable.ts'

/** The others with which a run changes the same files. */
export function overlapLines({ overlaps = [] }: Pick<DrivenRun, 'overlaps'>, nameOf: (id: string) => string): string[] {
  return overlaps.map(({ run_id: id, files: [first = '', ...more] }) => {
    const others = more.length === 0 ? '' : ` and ${more.length} more`
    return `changes ${toPrintable(first)}${others}, as ${nameOf(id)} does`
  })
}
