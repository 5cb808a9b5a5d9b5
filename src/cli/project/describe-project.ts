/** How worktrees of a repository are prepared, as text. Pure. */
import type { ProjectFile } from '../../config/projects/project.shape.ts'
import type { Proposal } from '../../workspace/prepare/ecosystems.ts'
import { toPrintable } from '../output/printable.ts'

export function projectLines({ setup = [], copy = [], share = [], checks = [] }: ProjectFile): string[] {
  const rows = Object.entries({ setup, copy, share, checks }).flatMap(([name, values]) =>
    values.map((value) => `  ${name.padEnd(6)}  ${toPrintable(value)}`),
  )
  return rows.length === 0 ? ['  nothing'] : rows
}

export function describeFound({ found }: Proposal): string {
  return `This project uses ${found.map(({ manager, file }) => `${manager} (${file})`).join(', ')}.`
}
