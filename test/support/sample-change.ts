/** A change with every kind of step, and the worktree that it is made in. */
import { chmodSync } from 'node:fs'
import { join } from 'node:path'
import type { ChangeReport } from '../../src/contract/reports.shape.ts'
import { checkChangeReport } from '../../src/contract/reports.ts'
import { installFailed } from '../../src/hosts/faults.ts'
import type { Plan, PlanStep } from '../../src/hosts/plan/plan.ts'
import type { TreeDisk } from '../../src/hosts/worktree.ts'
import { digest } from '../../src/kit/digest.ts'
import { Fault } from '../../src/kit/fault.ts'
import { changeAt, createHostWorktree, type HostWorktree } from './host-worktree.ts'

const STEPS: readonly PlanStep[] = [
  { do: 'create', path: '.claude/made/deep/created', text: 'created', mode: 0o644 },
  { do: 'replace', path: '.claude/replaced', expects: digest('replaced, before'), text: 'after', mode: 0o600 },
  { do: 'remove', path: '.claude/emptied/removed', expects: digest('emptied/removed, before') },
  { do: 'verify', path: '.claude/verified', expects: digest('verified, before') },
  { do: 'remove_directory', path: '.claude/emptied' },
]
const PLAN: Plan = { hosts: ['claude'], steps: STEPS, preserved: [], warnings: [] }

export function siteToChange(site = createHostWorktree()): HostWorktree {
  for (const name of ['replaced', 'emptied/removed', 'verified', 'mine'])
    site.write(`.claude/${name}`, `${name}, before`)
  chmodSync(join(site.root, '.claude/replaced'), 0o640)
  return site
}

export type EndedChange = { report: ChangeReport; problem: string | undefined }

/** What a change tells, whether it fails or not. */
export async function tell(site: HostWorktree, disk?: TreeDisk): Promise<EndedChange> {
  try {
    const { report } = await changeAt(site, {
      hosts: [],
      decide: () => PLAN,
      fail: installFailed,
      ...(disk && { disk }),
    })
    return { report: checkChangeReport(report), problem: undefined }
  } catch (error) {
    if (!(error instanceof Fault) || error.code !== installFailed.code) throw error
    const { report, problem } = (error as ReturnType<typeof installFailed>).details
    return { report: checkChangeReport(report), problem }
  }
}

/** The tree before the change, and after it. */
export async function bothEnds(): Promise<{ before: Tree; after: Tree }> {
  const site = siteToChange()
  const before = site.tree()
  await tell(site)
  return { before, after: site.tree() }
}

export type Tree = Record<string, string>
