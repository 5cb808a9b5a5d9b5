/** A run that is delivered as a branch, and what is compared before and after something is done with it. */
import { cpSync, mkdtempSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { createDriving } from './driven-agents.ts'
import { type DrivenScript, dataOf, runIdIn } from './driven-home.ts'
import type { Repository } from './git-repository.ts'

/** Checks run after the work only. */
const QUICK = ['--no-review', '--rounds', '0', '--baseline', 'skip', '--check', 'sh check.sh']
export const GOAL = 'Show the wind in knots'

type Delivery = { script?: DrivenScript; args?: readonly string[]; before?: (repository: Repository) => void }

type Delivered = Awaited<ReturnType<typeof driveToDelivery>>

/** What most tests begin with, once for all tests of this process: to copy it back to its place takes less than to drive. */
let kept: { run: Delivered; copy: string } | undefined

/** The repository has `main` checked out unless `before` changes that. */
export async function deliverRun(delivery?: Delivery): Promise<Delivered> {
  if (delivery !== undefined) return driveToDelivery(delivery)
  if (kept === undefined) {
    const copy = join(mkdtempSync(join(tmpdir(), 'drover-delivered-')), 'scratch')
    process.once('exit', () => rmSync(join(copy, '..'), { recursive: true, force: true }))
    const run = await driveToDelivery({})
    cpSync(run.scratch, copy, { recursive: true, verbatimSymlinks: true, preserveTimestamps: true })
    kept = { run, copy }
    return run
  }
  const { run, copy } = kept
  const { scratch } = run
  onTestFinished(() => rmSync(scratch, { recursive: true, force: true, maxRetries: 10, retryDelay: 50 }))
  cpSync(copy, scratch, { recursive: true, verbatimSymlinks: true, preserveTimestamps: true })
  return run
}

async function driveToDelivery({ script, args = [], before }: Delivery) {
  const driving = createDriving(script)
  before?.(driving.repository)
  const ran = await driving.drive(GOAL, ...QUICK, ...args)
  const id = runIdIn(ran.stdout)
  const [started] = dataOf(driving.records(id), 'drive_started')
  const [delivered] = dataOf(driving.records(id), 'delivered')
  const { git } = driving.repository
  return {
    ...driving,
    id,
    root: realpathSync(driving.repository.root),
    place: started?.place ?? { root: '' },
    branch: delivered?.branch ?? '',
    commit: delivered?.commit ?? '',
    git: (...words: string[]) => git(...words).trim(),
    /** Commits to the branch that is checked out. */
    commitFile: (path: string, content: string) => {
      driving.repository.write(path, content)
      driving.repository.commit()
    },
    /** Everything that must not change if something is refused. */
    state: () => [
      git('for-each-ref'),
      git('status', '--porcelain', '--branch'),
      git('worktree', 'list'),
      git('stash', 'list'),
    ],
  }
}
