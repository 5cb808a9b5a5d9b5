/** What a person should look at before using the work. Pure. */
import { flagsOfRun } from '../evidence/repository-flags.ts'
import type { ReviewFlag } from '../record/drive-event.shape.ts'
import type { DriveState } from '../record/drive-state.ts'
import { isSerious } from '../record/review-flags.ts'

export function seriousFlags(drive: DriveState): readonly ReviewFlag[] {
  return flagsOfRun(drive).filter(isSerious)
}

export function describeFlag({ flag, detail }: Pick<ReviewFlag, 'flag' | 'detail'>): string {
  return `${flag.replaceAll('_', ' ')}: ${detail}`
}
